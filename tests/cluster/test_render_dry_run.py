"""
Every step, given to a real API server, which would have taken it.

The server is of 1.20 and checks what a schema cannot: names, cross-references of ports and
volumes, what may not change. It does not know Karpenter, so Karpenter's kinds are defined
in it first, by the schemas of `tests/manifests/schemas`.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from onenode import Client, ClusterFailed, ControlPlane

from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.written_differences import written_differences
from tests.manifests.intents import NAMES, example
from tests.manifests.karpenter_schemas import crd, schemas
from tests.manifests.rendered import example_steps
from tests.manifests.shapes import objects

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]

UNKNOWN_TO_THE_SERVER = frozenset({"EC2NodeClass", "NodePool"})
"""What 1.20 has no schema for; it knows every other kind that is rendered."""


def values(name: str, number: int) -> list[dict[str, Any]]:
    return [manifest.value for manifest in example_steps(name)[number].objects]


STEPS = [(name, number) for name in NAMES for number in range(6)]


@pytest.fixture(scope="module")
def kubectl(control_plane: ControlPlane) -> Iterator[Client]:
    """A server with Karpenter's kinds and the namespaces of the examples.

    A dry run makes no namespace, and what goes into one is refused without it.
    """
    client = control_plane.kubectl
    namespaces = sorted({example(name).namespace for name in NAMES})
    for kind in sorted(UNKNOWN_TO_THE_SERVER):
        client.apply(crd(kind))
    for kind in sorted(UNKNOWN_TO_THE_SERVER):
        name = crd(kind)["metadata"]["name"]
        client("wait", "--for=condition=Established", f"crd/{name}", "--timeout=30s")
    for namespace in namespaces:
        client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    yield client
    for kind in sorted(UNKNOWN_TO_THE_SERVER):
        client("delete", "crd", crd(kind)["metadata"]["name"], "--wait=true")
    for namespace in namespaces:
        client("delete", "namespace", namespace, "--wait=false")


def dry_run(kubectl: Client, objects: list[dict[str, Any]]) -> str:
    whole = {"apiVersion": "v1", "kind": "List", "items": objects}
    return kubectl("apply", "--dry-run=server", "-f", "-", "-o", "name", input=json.dumps(whole))


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_the_server_would_take_every_object(kubectl: Client, name: str, number: int) -> None:
    """All of a step in one `kubectl apply`, none refused and none left out."""
    objects = values(name, number)

    taken = dry_run(kubectl, objects).split()
    assert len(objects) == len(taken)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_server_fills_in_is_no_difference(kubectl: Client, name: str) -> None:
    """Applied for real and read back, a step is what it was; one edit in it is found."""
    step = example_steps(name)[-1].objects
    namespaced = ObjectSet(manifests=tuple(m for m in step if m.identity.kind != "Namespace"))
    whole = json.dumps({"apiVersion": "v1", "kind": "List", "items": [m.value for m in namespaced]})
    kubectl("apply", "-f", "-", input=whole)

    read = json.loads(kubectl("get", "-f", "-", "-o", "json", input=whole))["items"]
    kubectl("delete", "-f", "-", "--wait=false", input=whole)

    assert () == written_differences(namespaced, objects(*read))
    deployment = next(one for one in read if one["kind"] == "Deployment")
    deployment["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    (found,) = written_differences(namespaced, objects(*read))
    assert "spec.template.spec.restartPolicy" == found.path


def test_what_the_server_does_not_know_is_listed() -> None:
    """Whatever is rendered beyond these would be a kind that this server never checked."""
    groups = {"", "apps"}
    kinds = {
        m.identity.kind
        for name in NAMES
        for step in example_steps(name)
        for m in step.objects
        if m.identity.group not in groups
    }

    assert UNKNOWN_TO_THE_SERVER == kinds == set(schemas())


def test_a_step_that_is_wrong_is_refused(kubectl: Client) -> None:
    """A dry run that takes everything proves nothing."""
    (deployment,) = (v for v in values("intent", 0) if v["kind"] == "Deployment")
    wrong = json.loads(json.dumps(deployment))
    wrong["spec"]["template"]["spec"]["containers"][0]["volumeMounts"][0]["name"] = "absent"

    with pytest.raises(ClusterFailed, match="absent"):
        dry_run(kubectl, [wrong])


def test_karpenters_kinds_are_checked_too(kubectl: Client) -> None:
    """By our schemas, on the server's side."""
    (pool,) = (v for v in values("intent", 0) if v["kind"] == "NodePool")
    wrong = json.loads(json.dumps(pool))
    wrong["spec"]["disruption"]["consolidationPolicy"] = "Always"

    with pytest.raises(ClusterFailed, match="consolidationPolicy"):
        dry_run(kubectl, [wrong])


def test_one_step_after_the_other_needs_nothing_but_apply(kubectl: Client) -> None:
    """What a Deployment, a claim or a Service may not change, no step changes."""
    for number in range(6):
        for value in values("intent", number):
            kubectl.apply(value)

    found = json.loads(kubectl("get", "deployment", "-n", "serving", "-o", "json"))
    assert ["vllm"] == [item["metadata"]["name"] for item in found["items"]]
    for kind in ("nodepool", "ec2nodeclass", "pv"):
        kubectl("delete", kind, "--all", "--wait=false")
