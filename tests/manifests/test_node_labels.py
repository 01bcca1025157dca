"""Which labels the nodes of a pool can have."""

from typing import Any

import pytest

from firstlight.manifests.node_labels import alternatives, of_pool

POOL = "karpenter.sh/nodepool"
TYPE = "node.kubernetes.io/instance-type"
CPU = "karpenter.k8s.aws/instance-cpu"


def says(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


GPU = {
    "metadata": {"name": "gpu"},
    "spec": {
        "template": {
            "metadata": {"labels": {"tier": "gpu"}},
            "spec": {
                "requirements": [
                    says(TYPE, "In", "g6e.4xlarge", "g6e.8xlarge"),
                    says(CPU, "Gt", "8"),
                    says(CPU, "Lt", "33"),
                    says("team", "Exists"),
                    says("old", "DoesNotExist"),
                    says("zone", "NotIn", "a"),
                ]
            },
        }
    },
}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (says("tier", "In", "gpu", "cpu"), True),
        (says("tier", "In", "cpu"), False),
        (says("tier", "NotIn", "gpu"), False),
        (says("tier", "DoesNotExist"), False),
        (says(POOL, "In", "gpu"), True),
        (says(POOL, "NotIn", "gpu"), False),
        (says(TYPE, "In", "g6e.8xlarge"), True),
        (says(TYPE, "In", "p5.48xlarge"), False),
        (says(TYPE, "NotIn", "g6e.4xlarge"), True),
        (says(TYPE, "NotIn", "g6e.4xlarge", "g6e.8xlarge"), False),
        (says(CPU, "Gt", "16"), True),
        (says(CPU, "Gt", "32"), False),
        (says(CPU, "Lt", "9"), False),
        (says("team", "In", "llm"), True),
        (says("team", "DoesNotExist"), False),
        (says("old", "DoesNotExist"), True),
        (says("old", "Exists"), False),
        (says("zone", "In", "a"), False),
        (says("zone", "In", "b"), True),
        (says("nobody", "Exists"), False),
        (says("nobody", "In", "x"), False),
        (says("nobody", "NotIn", "x"), True),
        (says("nobody", "DoesNotExist"), True),
        (says("nobody", "Newer", "x"), True),
        (says("topology.kubernetes.io/zone", "In", "x"), True),
        (says("metadata.name", "In", "ip-10-0-0-1"), True),
    ],
)
def test_what_a_node_of_the_pool_may_be(asked: dict[str, Any], *, expected: bool) -> None:
    """By its labels and requirements together; what nobody says only every node's labels are."""
    assert expected is of_pool(GPU).may_fit((asked,))


def test_all_that_is_asked_has_to_fit() -> None:
    """Several expressions about one label may each fit and all of them not."""
    both = (says(CPU, "Gt", "20"), says(CPU, "Lt", "22"))

    assert of_pool(GPU).may_fit(both)
    assert not of_pool(GPU).may_fit((*both, says(CPU, "NotIn", "21")))


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    listed = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [*terms]}}
    return {"affinity": {"nodeAffinity": listed}}


def test_the_selector_is_a_part_of_each_alternative() -> None:
    """One that is empty chooses nothing, and a pod that asks for nothing has one alternative."""
    selected = says("a", "In", "1")
    one, two = says("b", "Exists"), says("c", "Exists")
    pod = required({"matchExpressions": [one]}, {"matchFields": [two]}, {})

    assert ((),) == alternatives({})
    assert ((selected,),) == alternatives({"nodeSelector": {"a": "1"}})
    assert ((selected, one), (selected, two)) == alternatives(pod | {"nodeSelector": {"a": "1"}})
    assert () == alternatives(required({}))
