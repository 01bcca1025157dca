"""What a plan cannot show is said before a night is spent on it."""

from typing import Any

import pytest

from firstlight.experiment.beforehand import said_beforehand
from firstlight.experiment.schedule import schedule
from tests.experiment.plans import CACHE, CARDS, PLACEBO, worked_out

ONE = {"base": {"process": {"command": ["vllm", "serve", "m"]}}, "given": {}}


def said(**changed: Any) -> str:
    plan, steps = worked_out(**changed)
    return "\n".join(said_beforehand(plan, steps, schedule(plan, steps)))


@pytest.mark.parametrize("rounds", [1, 3])
def test_too_few_rounds_are_said(rounds: int) -> None:
    """In the words of the verdict that there will be."""
    assert f"every verdict will be: too few rounds ({rounds} a step, and 4 are the" in said(
        rounds=rounds
    )


def test_a_plan_without_steps_measures_its_base() -> None:
    """And has nothing to hold it against, however many rounds there are."""
    assert "no step is in it: it measures the base alone" in said(steps=[], rounds=1)


def test_a_plan_that_can_answer_has_nothing_to_say() -> None:
    """Four rounds, and a cache on the node."""
    assert "" == said(steps=[CACHE])


def test_a_cache_of_warm_rounds_that_nobody_empties_is_said() -> None:
    """Once, where it begins; the steps after it have the same."""
    words = said(steps=[CACHE, PLACEBO], given={**CARDS, "cache_dir": "/data"})

    assert 1 == words.count("VLLM_CACHE_ROOT is /data/vllm")
    assert "at compile-cache-local VLLM_CACHE_ROOT is /data/vllm: neither" in words


def test_fills_that_are_left_out_are_said() -> None:
    """With how to have them."""
    assert "no fill of placebo: nothing of it is kept" in said(steps=[PLACEBO], **ONE)
    assert "no fill" not in said(steps=[PLACEBO], fills="every", **ONE)
    assert "no fill" not in said(steps=[PLACEBO], scenarios=["cold"], **ONE)
