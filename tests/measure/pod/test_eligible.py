"""Which nodes could take a pod."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.measure.pod.eligible import could_take
from firstlight.readers.kube.quantities import quantity
from tests.measure.pod.fake_cluster import node, pod

GPU = {"nvidia.com/gpu": "1"}


def wanting(**spec: Any) -> dict[str, Any]:
    one = pod(1)
    one["spec"] |= spec
    return one


def having(
    labels: dict[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    allocatable: dict[str, str] | None = None,
) -> dict[str, Any]:
    one = node("a", status={"allocatable": allocatable or {}})
    one["metadata"]["labels"] = labels or {}
    one["spec"]["taints"] = taints or []
    return one


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": required}


def says(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def asking(requests: dict[str, str], limits: dict[str, str] | None = None) -> dict[str, Any]:
    resources = {"requests": requests, "limits": limits or {}}
    return wanting(containers=[{"name": "vllm", "resources": resources}])


NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
A_OR_B = affinity(says("z", "In", "a"), says("z", "In", "b"))
OURS = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("one", "there", "expected"),
    [
        (pod(1), having(), True),
        (wanting(nodeSelector={"gpu": "h200"}), having({"gpu": "h200"}), True),
        (wanting(nodeSelector={"gpu": "h200"}), having({"gpu": "l4"}), False),
        (wanting(affinity=affinity(says("z", "In", "a", "b"))), having({"z": "b"}), True),
        (wanting(affinity=affinity(says("z", "In", "a"))), having({"z": "b"}), False),
        (wanting(affinity=affinity(says("z", "NotIn", "a"))), having(), True),
        (wanting(affinity=affinity(says("z", "Exists"))), having(), False),
        (wanting(affinity=affinity(says("z", "DoesNotExist"))), having({"z": ""}), False),
        (wanting(affinity=affinity(says("n", "Gt", "4"))), having({"n": "8"}), True),
        (wanting(affinity=affinity(says("n", "Lt", "4"))), having({"n": "8"}), False),
        (wanting(affinity=affinity(says("n", "Gt", "4"))), having({"n": "many"}), False),
        (wanting(affinity=A_OR_B), having({"z": "b"}), True),
        (wanting(affinity=affinity(says("z", "Newer", "a"))), having(), True),
        (
            wanting(
                affinity=affinity(
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}
                )
            ),
            having(),
            False,
        ),
        (pod(1), having(taints=[OURS]), False),
        (pod(1), having(taints=[{**OURS, "effect": "PreferNoSchedule"}]), True),
        (pod(1), having(taints=[NOT_READY]), True),
        (wanting(tolerations=[{"operator": "Exists"}]), having(taints=[OURS]), True),
        (wanting(tolerations=[OURS]), having(taints=[OURS]), True),
        (wanting(tolerations=[{**OURS, "value": "x"}]), having(taints=[OURS]), False),
        (wanting(tolerations=[{**OURS, "effect": "NoExecute"}]), having(taints=[OURS]), False),
        (asking(GPU), having(allocatable={"cpu": "8"}), False),
        (asking({}, GPU), having(allocatable={"cpu": "8"}), False),
        (asking(GPU), having(allocatable=GPU), True),
        (asking({"memory": "16Gi"}), having(allocatable={"memory": "16777216Ki"}), True),
        (asking({"memory": "16Gi"}), having(allocatable={"memory": "16000000Ki"}), False),
        (asking({"cpu": "1500m"}), having(allocatable={"cpu": "2"}), True),
        (asking({"cpu": "1500m"}), having(allocatable={"cpu": "odd"}), True),
        (asking(GPU), having(), True),
    ],
)
def test_a_node_is_judged_by_what_both_say(
    one: dict[str, Any], there: dict[str, Any], *, expected: bool
) -> None:
    """Unsure means that it could."""
    assert expected is could_take(there, one)


@given(st.integers(0, 10**6), st.sampled_from(["", "k", "Ki", "M", "Mi", "G", "Gi", "Ti"]))
def test_a_quantity_is_exact(number: int, suffix: str) -> None:
    """As Kubernetes counts."""
    powers = {"k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    factor = {**powers, "Ti": 2**40, "": 1}[suffix]

    assert number * factor == quantity(f"{number}{suffix}")
    assert number == quantity(f"{number}e0")


@pytest.mark.parametrize("text", ["", "x", "1x", "--1", "1e99999999", "1.2.3", "Gi"])
def test_what_is_no_quantity_is_none(text: str) -> None:
    """Nothing is guessed, and nothing takes for ever."""
    assert None is quantity(text)
