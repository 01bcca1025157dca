"""Every technique on manifests of five kinds of people: a patch that applies, or a reason."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.differences import differences
from firstlight.manifests.drawing import draw, has
from firstlight.manifests.objects import ObjectSet
from firstlight.wiring.cards import deck
from tests.manifests.shapes import SHAPES, shape

GIVEN: dict[str, dict[str, Any]] = {
    "capture-sizes": {"max_capture_size": "128"},
    "compile-cache-published": {
        "cache_uri": "s3://acme/cache",
        "firstlight_image": "registry.example/firstlight:1",
        "trusted_key": f"ed25519:{'a' * 43}=",
    },
    "fuse-mount": {"bucket": "acme", "bucket_prefix": "m", "region": "eu-west-1"},
    "image-in-volume-snapshot": {"snapshot_id": "snap-0a1b2c3d"},
    "sleep-wake": {"firstlight_image": "registry.example/firstlight:1"},
    "stream-weights": {"model_uri": "s3://acme/m"},
    "warm-pool": {"nodepool": "gpu", "cpu": "4", "memory": "8Gi"},
    "worker-fork": {"cuda_arch": "12.0f"},
}
EXCLUDED = dict.fromkeys(
    ("ebs-compile-cache", "ebs-weights", "soci-lazy", "weight-daemon"), "cannot be rendered"
)
NO_NODES = {
    "image-in-volume-snapshot": "there is none among the objects",
    "image-prepull": "there is none among the objects",
    "node-retention": "there is none among the objects",
}
REFUSED: dict[str, dict[str, str]] = {
    "several-containers": NO_NODES,
    "one-string": {
        "image-in-volume-snapshot": "nodes of bottlerocket, and those of .* are of al2023",
        "fuse-mount": "/mnt/models is the volume bucket already",
    },
    "configured-elsewhere": NO_NODES
    | dict.fromkeys(("capture-sizes", "fuse-mount", "sleep-wake"), r"said by \$EXTRA_ARGS"),
    "existing-volumes": NO_NODES
    | {
        "fuse-mount": "/models is the volume models already",
        "compile-cache-published": "/root/.cache is where the volume hub is mounted",
    },
    "helm-output": NO_NODES,
}
"""Why not, by shape and technique; what is not here is drawn."""
BESIDE = {"image-prepull", "node-retention", "warm-pool"}
"""These change no container that is there."""
CASES = [(name, card.id) for name in SHAPES for card in deck()]
DRAWN = [
    (name, technique)
    for name, technique in CASES
    if technique not in EXCLUDED and technique not in REFUSED[name]
]


def prepared(name: str, technique: str) -> ObjectSet:
    """The shape with what the technique builds on."""
    objects = shape(name)
    for other in deck().card(technique).builds_on:
        objects = applied(draw(deck().card(other), objects, deck=deck(), given={}), objects)
    return objects


def given_for(technique: str) -> dict[str, Any]:
    return GIVEN.get(technique, {})


def test_the_shapes_are_all_here() -> None:
    """A table over no files cannot fail."""
    assert set(REFUSED) == set(SHAPES)
    assert len(SHAPES) == 5


@pytest.mark.parametrize(("name", "technique"), [c for c in CASES if c not in DRAWN])
def test_a_technique_that_is_not_drawn_says_why(name: str, technique: str) -> None:
    """One sentence, and what to do."""
    with pytest.raises(BadInput, match=(EXCLUDED | REFUSED[name])[technique]) as refusal:
        draw(
            deck().card(technique),
            prepared(name, technique),
            deck=deck(),
            given=given_for(technique),
        )

    assert refusal.value.remedy


@pytest.mark.parametrize(("name", "technique"), DRAWN)
def test_a_technique_that_is_drawn_is_there_afterwards(name: str, technique: str) -> None:
    """The patch applies, changes something, and once is enough: also without saying it again."""
    card, objects = deck().card(technique), prepared(name, technique)

    change = draw(card, objects, deck=deck(), given=given_for(technique))
    after = applied(change, objects)

    assert not change.is_empty
    assert differences(objects, after)
    assert draw(card, after, deck=deck(), given=given_for(technique)).is_empty
    assert has(card, after, given={})
    assert not has(card, objects, given=given_for(technique))


@pytest.mark.parametrize(("name", "technique"), [c for c in DRAWN if c[1] not in BESIDE])
def test_a_patch_hits_nothing_else(name: str, technique: str) -> None:
    """On a manifest whose lists have moved, it fails instead of changing another container."""
    card, objects = deck().card(technique), prepared(name, technique)
    change = draw(card, objects, deck=deck(), given=given_for(technique))
    workload = next(m for m in objects if m.identity == change.patches[0].target)

    containers = workload.value["spec"]["template"]["spec"]["containers"]
    containers.insert(0, {"name": "newcomer", "args": ["--x"]})

    with pytest.raises(BadInput, match="has changed since"):
        applied(change, objects)


def test_streaming_takes_the_bucket_from_the_mount_and_the_mount_away() -> None:
    """The address of the model is worked out, and nothing of the file system is left."""
    objects = shape("one-string")

    change = draw(deck().card("stream-weights"), objects, deck=deck(), given={})
    after = applied(change, objects)

    pod = after.of_kind("Deployment")[0].value["spec"]["template"]["spec"]
    script = pod["containers"][0]["args"]
    assert "exec vllm serve s3://acme-models/models/gemma \\\n" in script[0]
    assert '--served-model-name "$MODEL_DIR"' in script[0]
    assert script[0].endswith("--load-format runai_streamer 2>&1 | tee /tmp/engine.log\n")
    assert {"PersistentVolume/weights", "PersistentVolumeClaim/weights"} == {
        str(identity) for identity in change.removed
    }
    assert "volumes" not in pod


def test_the_gateway_takes_over_the_port_that_clients_use() -> None:
    """Whatever the engine listened on, by its arguments."""
    objects = shape("one-string")

    after = applied(
        draw(deck().card("sleep-wake"), objects, deck=deck(), given=GIVEN["sleep-wake"]), objects
    )

    engine, gateway = after.of_kind("Deployment")[0].value["spec"]["template"]["spec"]["containers"]
    assert "--listen=:8080" in gateway["args"]
    assert "--gpu-memory-utilization 0.80" in engine["args"][0]
    assert "--port 8001" in engine["args"][0]


def test_a_cache_that_people_have_is_used_as_it_is() -> None:
    """Its volume stays, and the rest of the caches goes beside it."""
    objects = shape("existing-volumes")

    change = draw(deck().card("compile-cache-local"), objects, deck=deck(), given={})
    after = applied(change, objects).of_kind("Deployment")[0].value["spec"]["template"]["spec"]

    env = {e["name"]: e["value"] for e in after["containers"][0]["env"]}
    assert "/root/.cache/vllm" == env["VLLM_CACHE_ROOT"]
    assert "/root/.cache/triton" == env["TRITON_CACHE_DIR"]
    assert ["models", "hub"] == [v["name"] for v in after["volumes"]]
    assert any("/root/.cache lies in the volume hub" in sentence for sentence in change.assumptions)


def test_a_new_class_leaves_the_old_one_alone() -> None:
    """A pool of its own, selected by this workload only."""
    objects = shape("one-string")

    change = draw(deck().card("image-prepull"), objects, deck=deck(), given={})
    after = applied(change, objects)

    pools = {m.identity.name: m.value for m in after.of_kind("NodePool")}
    classes = {m.identity.name: m.value for m in after.of_kind("EC2NodeClass")}
    pod = after.of_kind("Deployment")[0].value["spec"]["template"]["spec"]
    assert {"gpu", "gpu-prepull"} == set(pools) == set(classes)
    assert "gpu-prepull" == pools["gpu-prepull"]["spec"]["template"]["spec"]["nodeClassRef"]["name"]
    assert "gpu-prepull" == pod["nodeSelector"]["karpenter.sh/nodepool"]
    assert "vllm/vllm-openai:v0.26.0" in classes["gpu-prepull"]["spec"]["userData"]
    assert "userData" not in classes["gpu"]["spec"]
