"""Fields of raw objects."""

from firstlight.core.objects import (
    condition,
    controller,
    metadata,
    name,
    owner_uids,
    owners,
    spec,
    status,
    uid,
)

READY = {"type": "Ready", "status": "True"}
MAKER = {"kind": "ReplicaSet", "name": "vllm-abc", "uid": "rs", "controller": True}
POD = {
    "metadata": {"name": "vllm-0", "uid": "u", "ownerReferences": [{"uid": "other"}, MAKER]},
    "spec": {"nodeName": "node-1"},
    "status": {"conditions": [{"type": "PodScheduled"}, READY]},
}


def test_what_an_object_says() -> None:
    """Each field as the server sent it."""
    assert ("vllm-0", "u") == (name(POD), uid(POD))
    assert {"nodeName": "node-1"} == spec(POD)
    assert {"other", "rs"} == owner_uids(POD)
    assert MAKER == controller(POD)
    assert READY == condition(POD, "Ready")


def test_absent_and_null_are_the_same() -> None:
    """As they are to Kubernetes."""
    null = {"metadata": None, "spec": None, "status": None}
    inner = {"metadata": {"name": None, "uid": None, "ownerReferences": None}}

    for one in ({}, null, inner, {"status": {"conditions": None}}):
        assert ("", "") == (name(one), uid(one))
        assert ({}, []) == (spec(one), owners(one))
        assert (None, {}) == (controller(one), condition(one, "Ready"))
    assert {} == metadata(null) == status(null)
