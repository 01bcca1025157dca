"""Fields of other objects, objects beside the workload, and nodes of another class."""

from copy import deepcopy
from typing import Any

import pytest

from firstlight.core.errors import BadInput
from tests.manifests.operating import change_of, done
from tests.manifests.shapes import deployment, objects

POOL: dict[str, Any] = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "gpu", "uid": "u", "labels": {"a": "b"}},
    "spec": {"template": {"spec": {"nodeClassRef": {"name": "gpu"}}}},
    "status": {"nodes": 1},
}
CLASS: dict[str, Any] = {
    "apiVersion": "karpenter.k8s.aws/v1",
    "kind": "EC2NodeClass",
    "metadata": {"name": "gpu"},
    "spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}]},
}
RETAIN = {
    "do": "set-field",
    "kind": "NodePool",
    "path": "/spec/disruption/consolidateAfter",
    "value": "10m",
}
NEW = {
    "do": "new-node-class",
    "suffix": "pre",
    "fields": {"/spec/userData": "#!/bin/bash"},
    "ami_families": ["al2023"],
}
WORKLOAD = deployment({"args": ["m"]})
SELECTING = deployment({"args": ["m"]}, nodeSelector={"karpenter.sh/nodepool": "gpu"})


def called(value: dict[str, Any], name: str, **spec: Any) -> dict[str, Any]:
    made = deepcopy(value)
    made["metadata"]["name"] = name
    made["spec"] |= spec
    return made


def test_a_field_is_set_with_all_that_is_missing_on_the_way() -> None:
    """In the only object of its kind."""
    after = done(objects(WORKLOAD, POOL), RETAIN)

    assert {"consolidateAfter": "10m"} == after.of_kind("NodePool")[0].value["spec"]["disruption"]


def test_of_several_pools_the_one_that_the_pods_select_is_meant() -> None:
    """By selector or by affinity; else it is asked."""
    pools = (called(POOL, "cpu"), POOL)
    match = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["gpu"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [match]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    by_affinity = deployment({"args": ["m"]}, affinity=affinity)

    for workload in (SELECTING, by_affinity):
        patched = change_of(objects(workload, *pools), RETAIN).patches
        assert ["NodePool/gpu"] == [str(patch.target) for patch in patched]
    with pytest.raises(BadInput, match="which NodePool the pods use cannot be told: cpu, gpu"):
        change_of(objects(WORKLOAD, *pools), RETAIN)


def test_a_field_of_what_is_not_there_is_refused() -> None:
    """With what to give."""
    with pytest.raises(BadInput, match="changes a NodePool") as refusal:
        change_of(objects(WORKLOAD), RETAIN)

    assert "give the workload's NodePool and EC2NodeClass too" == refusal.value.remedy


def test_a_field_that_something_else_stands_in_the_way_of_is_refused() -> None:
    """A text has no fields."""
    with pytest.raises(BadInput, match="/spec/disruption is something else"):
        change_of(objects(WORKLOAD, called(POOL, "gpu", disruption="never")), RETAIN)


def test_nodes_of_another_class_get_another_pool() -> None:
    """Copies without what the server wrote; the workload selects the new pool."""
    change = change_of(objects(WORKLOAD, POOL, CLASS), NEW)
    node_class, pool = (manifest.value for manifest in change.added)

    assert {"name": "gpu-pre"} == node_class["metadata"]
    assert {"name": "gpu-pre", "labels": {"a": "b"}} == pool["metadata"]
    assert "status" not in pool
    assert "#!/bin/bash" == node_class["spec"]["userData"]
    assert ["Deployment/llm"] == [str(patch.target) for patch in change.patches]
    done(objects(WORKLOAD, POOL, CLASS), NEW)
    done(objects(SELECTING, POOL, CLASS), NEW)


def test_what_a_server_wrote_is_not_copied() -> None:
    """A list out of a cluster has it: a copy with a finalizer or a hash would be another's."""
    written = {"finalizers": ["karpenter.k8s.aws/termination"], "generation": 3}
    marks = {
        "karpenter.k8s.aws/ec2nodeclass-hash": "1",
        "karpenter.sh/nodepool-hash": "2",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "team": "ml",
    }
    live = [
        one | {"metadata": {"name": "gpu", "annotations": marks, **written}, "status": {}}
        for one in (POOL, CLASS)
    ]
    node_class, pool = (m.value for m in change_of(objects(WORKLOAD, *live), NEW).added)

    for made in (node_class, pool):
        assert {"name": "gpu-pre", "annotations": {"team": "ml"}} == made["metadata"]
        assert "status" not in made


def test_an_affinity_to_the_pool_follows() -> None:
    """A selector beside it would ask for two pools at once."""
    match = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["gpu"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [match]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    after = done(objects(deployment({"args": ["m"]}, affinity=affinity), POOL, CLASS), NEW)

    pod = after.manifests[0].value["spec"]["template"]["spec"]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert ["gpu-pre"] == required["nodeSelectorTerms"][0]["matchExpressions"][0]["values"]
    assert "nodeSelector" not in pod


@pytest.mark.parametrize(
    ("others", "why"),
    [
        ([], "it changes a NodePool, and there is none"),
        ([POOL], "EC2NodeClass gpu of NodePool/gpu is not"),
        ([called(POOL, "a"), called(POOL, "b"), CLASS], "which NodePool the pods use"),
        ([POOL, called(CLASS, "gpu", userData="echo")], "has userData of its own"),
        ([POOL, called(CLASS, "gpu", amiFamily="Bottlerocket")], "are of bottlerocket"),
        ([POOL, called(CLASS, "gpu", amiSelectorTerms=[{"id": "ami-1"}])], "does not name"),
        (
            [POOL, CLASS, called(POOL, "cpu"), called(POOL, "gpu-pre")],
            "a NodePool called gpu-pre already",
        ),
    ],
)
def test_nodes_that_cannot_be_had_are_refused(others: list[dict[str, Any]], why: str) -> None:
    """A script for another system would be ignored, and the technique void."""
    with pytest.raises(BadInput, match=why):
        change_of(objects(SELECTING if len(others) > 3 else WORKLOAD, *others), NEW)


CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "c"},
    "data": {},
}
ADDED = {"do": "add-object", "object": CONFIG}


def test_an_object_is_added_once() -> None:
    """One that a server has added to is the same one; another one of the name is refused."""
    other = CONFIG | {"data": {"a": "b"}}
    wanted = {"do": "add-object", "object": other}

    assert ["ConfigMap"] == [m.identity.kind for m in done(objects(WORKLOAD), ADDED)][1:]
    assert change_of(objects(WORKLOAD, other), ADDED).is_empty
    with pytest.raises(BadInput, match="another ConfigMap/c"):
        change_of(objects(WORKLOAD, CONFIG), wanted)
