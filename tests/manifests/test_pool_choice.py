"""Which NodePool a pod's nodes come from, where that is beyond doubt."""

from typing import Any

import pytest

from firstlight.manifests.pool_choice import Unclear, chosen_pool, named_pool

LABEL = "karpenter.sh/nodepool"
ZONE = "topology.kubernetes.io/zone"
TYPE = "node.kubernetes.io/instance-type"


def term(*matches: tuple[str, str, list[str]]) -> dict[str, Any]:
    return {
        "matchExpressions": [
            {"key": key, "operator": operator, "values": values}
            for key, operator, values in matches
        ]
    }


def pod(*terms: dict[str, Any], **fields: Any) -> dict[str, Any]:
    if not terms:
        return fields
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [*terms]}}
    return {"affinity": {"nodeAffinity": required}} | fields


def pool(
    name: str = "gpu",
    *,
    labels: dict[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    requirements: list[dict[str, Any]] | None = None,
) -> tuple[dict[str, Any], str]:
    spec = {"taints": taints, "requirements": requirements}
    template = {"metadata": {"labels": labels or {}}, "spec": spec}
    return {"metadata": {"name": name}, "spec": {"template": template}}, f"NodePool/{name}"


def selecting(**labels: str) -> dict[str, Any]:
    return pod(nodeSelector=labels)


NAMES_GPU = term((LABEL, "In", ["gpu"]))


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (pod(), None),
        (selecting(a="b"), None),
        (selecting(**{LABEL: "gpu"}), "gpu"),
        (pod(NAMES_GPU), "gpu"),
        (pod(NAMES_GPU, NAMES_GPU), "gpu"),
        (pod(term((LABEL, "In", ["gpu", "b"]), (LABEL, "In", ["gpu"]))), "gpu"),
        (pod(term((LABEL, "In", ["gpu", "b"])), nodeSelector={LABEL: "gpu"}), "gpu"),
        (pod(term((ZONE, "In", ["a"])), nodeSelector={LABEL: "gpu"}), "gpu"),
        (pod(term((ZONE, "In", ["a"]))), None),
    ],
)
def test_a_pool_that_is_named(of: dict[str, Any], expected: str | None) -> None:
    """By the selector, or by every alternative of the affinity."""
    assert expected == named_pool(of)


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (pod(nodeName="ip-1"), "names its node"),
        (pod(term((LABEL, "In", ["a", "b"]))), "several pools: a, b"),
        (pod(term((LABEL, "In", ["a"])), term((LABEL, "In", ["b"]))), "several pools: a, b"),
        (pod(NAMES_GPU, term((ZONE, "In", ["a"]))), "not each of them names a pool"),
        (pod(term((LABEL, "NotIn", ["cpu"]))), "by NotIn"),
        (pod(term((LABEL, "Exists", []))), "by Exists"),
        (pod(NAMES_GPU, nodeSelector={LABEL: "cpu"}), "its affinity another"),
    ],
)
def test_a_pool_that_is_not_one(of: dict[str, Any], why: str) -> None:
    """A name in its place would be something else."""
    with pytest.raises(Unclear, match=why):
        named_pool(of)
    with pytest.raises(Unclear, match=why):
        chosen_pool(of, [pool("gpu")])


GPU_TAINT = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}
ASKS = {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]}


def required(key: str, operator: str, *values: str) -> list[dict[str, Any]]:
    return [{"key": key, "operator": operator, "values": list(values)}]


@pytest.mark.parametrize(
    ("of", "one"),
    [
        (pod(), pool()),
        (selecting(workload="gpu"), pool(labels={"workload": "gpu"})),
        (selecting(**{ZONE: "a"}), pool()),
        (selecting(**{ZONE: "a"}), pool(requirements=required(ZONE, "In", "a", "b"))),
        (selecting(team="ml"), pool(requirements=required("team", "Exists"))),
        (pod(term(("w", "In", ["x"])), term((ZONE, "In", ["a"]))), pool()),
        (pod(term((ZONE, "NotIn", ["a"]))), pool()),
        (pod(tolerations=[{"operator": "Exists"}]), pool(taints=[GPU_TAINT])),
        (pod(tolerations=[{"key": "nvidia.com/gpu"}]), pool(taints=[GPU_TAINT])),
        (pod(**ASKS), pool(taints=[GPU_TAINT])),
        (pod(), pool(taints=[{"key": "a", "effect": "PreferNoSchedule"}])),
    ],
)
def test_the_only_pool_is_its_own_if_the_pod_may_run_there(
    of: dict[str, Any], one: tuple[dict[str, Any], str]
) -> None:
    """Labels that every node has are there without a word."""
    assert one == chosen_pool(of, [one])


@pytest.mark.parametrize(
    ("of", "one", "why"),
    [
        (selecting(workload="gpu"), pool(labels={"workload": "cpu"}), "label workload=gpu"),
        (selecting(workload="gpu"), pool(), "label workload=gpu"),
        (selecting(**{ZONE: "c"}), pool(requirements=required(ZONE, "In", "a")), "label"),
        (selecting(**{TYPE: "x"}), pool(requirements=required(TYPE, "NotIn", "x")), "label"),
        (pod(term(("w", "In", ["x"]))), pool(), "required affinity"),
        (pod(), pool(taints=[GPU_TAINT]), "its taint nvidia.com/gpu"),
        (
            pod(tolerations=[{"key": "nvidia.com/gpu", "value": "x"}]),
            pool(taints=[GPU_TAINT]),
            "its taint",
        ),
    ],
)
def test_the_only_pool_is_not_its_own_otherwise(
    of: dict[str, Any], one: tuple[dict[str, Any], str], why: str
) -> None:
    """It runs on nodes of a pool that nobody showed."""
    with pytest.raises(Unclear, match=f"do not fit the only one among the objects, gpu.*{why}"):
        chosen_pool(of, [one])


def test_of_several_pools_one_has_to_be_named() -> None:
    """What fits today may be another one tomorrow."""
    with pytest.raises(Unclear, match="cannot be told: a, b"):
        chosen_pool(pod(), [pool("a"), pool("b")])
    assert pool("b") == chosen_pool(selecting(**{LABEL: "b"}), [pool("a"), pool("b")])


def test_a_pool_that_is_not_there_is_none() -> None:
    """Also where another one is."""
    assert None is chosen_pool(selecting(**{LABEL: "b"}), [pool("a")])
    assert None is chosen_pool(pod(), [])
