"""What a card says must not be there, and the values that it is drawn with."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change
from firstlight.manifests.drawing import draw, has
from firstlight.manifests.objects import ObjectSet
from firstlight.wiring.cards import deck
from tests.manifests.shapes import deployment, objects
from tests.manifests.test_node_operations import CLASS, POOL, called

GATE = {"firstlight_image": "firstlight:1"}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
PREPULL_POOLS = (POOL, CLASS)


def drawn(technique: str, on: ObjectSet, **given: Any) -> Change:
    return draw(deck().card(technique), on, deck=deck(), given=given)


def engine(*args: str, **container: Any) -> dict[str, Any]:
    return {"command": ["vllm", "serve", "m", *args]} | container


@pytest.mark.parametrize("argument", ["--uds=/s", "--ssl-keyfile=k", "--ssl-certfile=c"])
def test_a_gateway_that_could_not_reach_the_engine_is_refused(argument: str) -> None:
    """A socket, or TLS: with where it is given."""
    name = argument.partition("=")[0]

    with pytest.raises(BadInput, match=rf"with {name}.*Deployment/llm"):
        drawn("sleep-wake", objects(deployment(engine(argument))), **GATE)


def test_a_gateway_on_the_engines_own_port_is_refused() -> None:
    """Two cannot listen on one port of a pod."""
    on = objects(deployment(engine("--port", "8001")))

    with pytest.raises(BadInput, match="would be the same in one pod"):
        drawn("sleep-wake", on, **GATE)
    after = applied(drawn("sleep-wake", on, **GATE, inner_port="8002"), on)
    assert has(deck().card("sleep-wake"), after, given={})


@pytest.mark.parametrize(
    "container",
    [{"imagePullPolicy": "Always"}, {"image": "vllm/vllm-openai"}, {"image": "vllm:latest"}],
)
@pytest.mark.parametrize("technique", ["image-prepull", "image-in-volume-snapshot"])
def test_an_image_that_is_always_asked_for_is_never_present(
    technique: str, container: dict[str, Any]
) -> None:
    """By its policy, or by the one that Kubernetes sets for its tag."""
    classes = called(CLASS, "gpu", amiFamily="Bottlerocket") if "snap" in technique else CLASS
    given = {"snapshot_id": "snap-0a1b2c3d"} if "snap" in technique else {}

    with pytest.raises(BadInput, match="with imagePullPolicy Always"):
        drawn(technique, objects(deployment(engine(**container)), POOL, classes), **given)


@pytest.mark.parametrize(
    "container",
    [
        {"image": "vllm:latest", "imagePullPolicy": "IfNotPresent"},
        {"image": f"vllm@sha256:{'a' * 64}"},
        {"image": "localhost:5000/vllm:1"},
    ],
)
def test_an_image_that_may_be_present_is_pulled_beforehand(container: dict[str, Any]) -> None:
    """A port is no tag, and a digest needs none."""
    assert not drawn(
        "image-prepull", objects(deployment(engine(**container)), *PREPULL_POOLS)
    ).is_empty


def test_a_login_of_the_pods_own_is_said() -> None:
    """The node's role may be able to pull as well, so it is no refusal."""
    on = objects(deployment(engine(), imagePullSecrets=[{"name": "r"}]), *PREPULL_POOLS)

    assert any("imagePullSecrets" in said for said in drawn("image-prepull", on).assumptions)


def test_a_snapshot_that_is_not_looked_at_is_refused() -> None:
    """Images lie on the node's own disks then."""
    on_disks = called(CLASS, "gpu", amiFamily="Bottlerocket", instanceStorePolicy="RAID0")

    with pytest.raises(BadInput, match="RAID0, and the snapshot would not be looked at"):
        drawn(
            "image-in-volume-snapshot",
            objects(deployment(engine()), POOL, on_disks),
            snapshot_id="snap-0a1b2c3d",
        )


@pytest.mark.parametrize(
    ("level", "refused"), [("baseline", True), ("restricted", True), ("privileged", False)]
)
def test_a_namespace_that_forbids_the_nodes_folders_is_told(level: str, refused: bool) -> None:
    """Where it is among the objects; another one is not meant."""
    label = {"pod-security.kubernetes.io/enforce": level}
    own = NAMESPACE | {"metadata": {"name": "ns", "labels": label}}
    other = NAMESPACE | {"metadata": {"name": "other", "labels": label}}

    if refused:
        with pytest.raises(BadInput, match="Pod Security level forbids hostPath"):
            drawn("compile-cache-local", objects(deployment(engine()), own))
    else:
        assert not drawn("compile-cache-local", objects(deployment(engine()), own)).is_empty
    assert not drawn("compile-cache-local", objects(deployment(engine()), other)).is_empty


BAD_IMAGES = ["", "x'; touch /tmp/x; '", "vllm\nEND\ntouch /tmp/x\n", "$(IMG)", "a b:1"]


@pytest.mark.parametrize("image", BAD_IMAGES)
@pytest.mark.parametrize("technique", ["image-prepull", "warm-pool"])
def test_what_is_no_image_reaches_no_script(technique: str, image: str) -> None:
    """One of them runs as root on a node; it is refused with its place."""
    container = engine(image=image, imagePullPolicy="IfNotPresent")
    on = objects(deployment(container), *PREPULL_POOLS)

    with pytest.raises(BadInput, match=r"is no reference of an image \(Deployment/llm\)"):
        drawn(technique, on)


@pytest.mark.parametrize(
    ("technique", "given"),
    [
        ("stream-weights", {"model_uri": "/m"}),
        ("compile-cache-local", {"cache_dir": "/"}),
        ("compile-cache-local", {"cache_dir": "/a/../b"}),
        ("compile-cache-local", {"cache_host_path": "a:b"}),
        ("sleep-wake", GATE | {"inner_port": "99999"}),
        ("sleep-wake", {"firstlight_image": "a b"}),
        ("node-retention", {"retention": "10 minutes"}),
    ],
)
def test_what_a_user_gives_is_held_against_its_kind(technique: str, given: dict[str, Any]) -> None:
    """Before anything is drawn with it."""
    with pytest.raises(BadInput, match=f"^{list(given)[-1]} is .*, and has to be"):
        drawn(technique, objects(deployment(engine()), *PREPULL_POOLS), **given)


def test_a_container_that_only_looks_like_it_is_said() -> None:
    """Whoever named it may know; the patch says what it took for granted."""
    gpus = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
    for container, said in (
        ({"command": ["/start.sh"]} | gpus, True),
        (engine() | gpus, False),
    ):
        change = drawn("compile-cache-local", objects(deployment(container)))
        assert said is any("nothing shows that the container vllm" in a for a in change.assumptions)


def test_a_class_of_its_own_follows_the_image() -> None:
    """Drawn again after the image has changed, in place, which is said: nodes are replaced."""
    on = objects(
        deployment(engine(), nodeSelector={"karpenter.sh/nodepool": "gpu"}), *PREPULL_POOLS
    )
    before = applied(drawn("image-prepull", on), on)
    before.manifests[0].value["spec"]["template"]["spec"]["containers"][0]["image"] = "vllm:2"

    change = drawn("image-prepull", before)
    after = applied(change, before)

    assert ["EC2NodeClass/gpu-prepull"] == [str(patch.target) for patch in change.patches]
    assert () == change.added
    assert "Karpenter replaces the nodes of it" in change.assumptions[0]
    names = {m.identity.name: m.value for m in after.of_kind("EC2NodeClass")}
    assert "image='vllm:2'" in names["gpu-prepull"]["spec"]["userData"]
    assert drawn("image-prepull", after).is_empty


def test_a_script_of_somebody_elses_is_not_written_over() -> None:
    """Its name is alike, and it is not ours."""
    theirs = called(CLASS, "gpu-prepull", userData="#!/bin/bash\n# pull\n")
    pool = called(POOL, "gpu-prepull")
    pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] = "gpu-prepull"

    with pytest.raises(BadInput, match="has userData of its own"):
        drawn("image-prepull", objects(deployment(engine()), pool, theirs))


def test_an_empty_script_is_none() -> None:
    """Templates leave it so."""
    on = objects(deployment(engine()), POOL, called(CLASS, "gpu", userData=""))

    assert not drawn("image-prepull", on).is_empty
