"""Which NodePools the engines of some objects come from."""

from typing import Any

import pytest
import yaml

from firstlight.lint.pools import PoolIndex
from firstlight.lint.scene import scene
from tests.lint.judging import objects_of
from tests.lint.rules.around import deployment, pool

POOL = "karpenter.sh/nodepool"
TYPE = "node.kubernetes.io/instance-type"
PRODUCT = "nvidia.com/gpu.product"
SMALL = pool(name="small", labels={"tier": "gpu"}, required={TYPE: ["g6e.4xlarge"]})
LARGE = pool(name="large", labels={"tier": "gpu"}, required={TYPE: ["p5.48xlarge"]})
ANY = pool(name="any", required={"tier": ["gpu", "test"]}, labels={PRODUCT: "L40S"})


def says(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def asking(*terms: list[dict[str, Any]], **selector: str) -> dict[str, Any]:
    listed = [{"matchExpressions": term} for term in terms]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": listed}}
    affinity = {"affinity": {"nodeAffinity": required}} if terms else {}
    return affinity | ({"nodeSelector": selector} if selector else {})


NAMES_TWO = asking([says(POOL, "In", "small", "large")])
OF_A_TYPE = asking([says("tier", "Exists"), says(TYPE, "In", "p5.48xlarge")])
OR_BY_NAME = asking([says("tier", "In", "gpu")], [says(POOL, "In", "small")])
OR_ANYWHERE = asking([says("tier", "In", "gpu")], [says(TYPE, "Exists")])
ALL = ["any", "large", "small"]
NAMES_NONE_HERE = asking([says(POOL, "In", "small", "elsewhere")])


@pytest.mark.parametrize(
    ("pod", "known", "others", "meant"),
    [
        ({}, [], True, False),
        ({"nodeName": "ip-1", "nodeSelector": {POOL: "small"}}, [], True, False),
        (asking(**{POOL: "small"}), ["small"], False, True),
        (asking(**{POOL: "elsewhere"}), [], True, False),
        (NAMES_TWO, ["large", "small"], False, True),
        (NAMES_NONE_HERE, ["small"], True, False),
        (NAMES_TWO | {"nodeSelector": {POOL: "small"}}, ["small"], False, True),
        (NAMES_TWO | {"nodeSelector": {TYPE: "p5.48xlarge"}}, ["large"], False, True),
        (asking([says(POOL, "NotIn", "small")]), [], True, False),
        (asking([says(POOL, "Exists")]), [], True, False),
        (asking(tier="gpu"), ALL, True, True),
        (asking(tier="test"), ["any"], True, True),
        (asking(tier="cpu"), [], True, False),
        (OF_A_TYPE, ["any", "large"], True, True),
        (asking([says("tier", "NotIn", "cpu")]), [], True, False),
        (OR_BY_NAME, ALL, True, True),
        (OR_ANYWHERE, ALL, True, False),
        (asking(**{TYPE: "g6e.4xlarge"}), [], True, False),
        (asking(**{PRODUCT: "L40S"}), [], True, False),
        (asking(tier="gpu", team="llm"), [], True, False),
    ],
)
def test_the_pools_that_a_pod_asks_for(
    pod: dict[str, Any], known: list[str], *, others: bool, meant: bool
) -> None:
    """By name or by a label that they give, as far as they can be what else is asked."""
    text = yaml.safe_dump_all([SMALL, LARGE, ANY, deployment(pod=pod)])
    made = scene(objects_of(text))

    found = PoolIndex(made).of(made.engines[0])

    assert known == sorted(one.name for one in found.known)
    assert (others, meant) == (found.others, found.meant)


def test_a_pool_that_takes_any_value_gives_the_label() -> None:
    """Karpenter makes a node with the value that a pod asks for."""
    opened = pool(name="open", requirements=[says("team", "Exists")])
    text = yaml.safe_dump_all([opened, deployment(pod=asking(team="llm"))])
    made = scene(objects_of(text))

    assert ["open"] == [one.name for one in PoolIndex(made).of(made.engines[0]).known]
