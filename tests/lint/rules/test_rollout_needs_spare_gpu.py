"""GPUs that a rolling update needs beside those in use."""

from typing import Any

import pytest

from firstlight.lint.rules.rollout_needs_spare_gpu import RULE
from tests.lint.rules.around import GPU, IN_POOL, deployment, engine, pool, said_by


def test_nothing_tells_of_spare_ones() -> None:
    """Two GPUs for each of three pods, and a quarter more pods at once."""
    container = engine(resources={"limits": {GPU: 2}})

    said = said_by(RULE, deployment(container, replicas=3))

    assert 1 == len(said)
    assert "needs 2 GPUs beside the 6 in use" in said[0]


@pytest.mark.parametrize(
    ("limits", "expected"), [({GPU: 1}, 1), ({GPU: "1"}, 1), ({GPU: 2}, 0), ({"cpu": 8}, 0)]
)
def test_a_pool_says_how_many_there_can_be(limits: dict[str, Any], expected: int) -> None:
    """Without a limit it makes a node for the new pod."""
    said = said_by(RULE, pool(limits=limits), deployment(pod=IN_POOL))

    assert expected == len(said)
    assert all("NodePool/gpu may not have more than 1" in one for one in said)


@pytest.mark.parametrize(
    "made",
    [
        deployment(strategy={"type": "Recreate"}),
        deployment(replicas=0),
        deployment(replicas=8),
        deployment(replicas="${REPLICAS}"),
        deployment(engine(resources={})),
    ],
)
def test_no_more_are_needed(made: dict[str, Any]) -> None:
    """Nothing is rolled, a quarter of eight may be gone, or no GPU is asked for."""
    assert [] == said_by(RULE, made)
