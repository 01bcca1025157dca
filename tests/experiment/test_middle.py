"""Which round stands for a step: one place decides, and the document names it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.experiment.in_parts import in_parts
from firstlight.experiment.middle import middle
from firstlight.experiment.rounds import Round, results
from firstlight.experiment.schedule import schedule
from tests.experiment.plans import PLACEBO, worked_out
from tests.experiment.test_document import round_of


def rounds(lengths_s: Sequence[float]) -> tuple[Round, ...]:
    """The result rounds of a baseline, in order of time."""
    plan, steps = worked_out(steps=[PLACEBO], rounds=len(lengths_s))
    slots = [slot for slot in schedule(plan, steps) if slot.step == 0 and slot.number]
    return tuple(
        round_of(steps, slot, order, length_s=length_s)
        for order, (slot, length_s) in enumerate(zip(slots, lengths_s, strict=True), 1)
    )


@pytest.mark.parametrize(
    ("lengths_s", "order"),
    [
        ([7], 1),
        ([10, 90, 20], 3),
        ([10, 90, 45, 23], 4),
        ([30, 20], 2),
        ([20, 20, 20], 2),
    ],
)
def test_it_is_the_nearest_to_the_median(lengths_s: list[float], order: int) -> None:
    """Of two that are equally near the shorter one. (A later round is a millisecond longer.)"""
    found = middle(rounds(lengths_s))

    assert found is not None
    assert order == found.order


def test_nothing_stands_for_nothing() -> None:
    assert middle(()) is None


@given(st.lists(st.floats(1, 1000), min_size=1, max_size=9))
def test_none_is_nearer(lengths_s: list[float]) -> None:
    there = rounds(lengths_s)
    found = middle(there)

    assert found is not None
    totals = sorted(r.total_ns or 0 for r in there)
    half = len(totals) // 2
    twice_median = totals[half] + totals[-1 - half]
    nearest = min(abs(2 * total - twice_median) for total in totals)
    assert nearest == abs(2 * (found.total_ns or 0) - twice_median)


def test_the_same_one_is_told_with_its_parts() -> None:
    _, steps = worked_out(steps=[PLACEBO], rounds=4)
    there = rounds([10, 90, 45, 23])

    assert {4} == in_parts(steps, ["warm"], there)
    assert 4 == len(results(there, 0, "warm"))
