"""The cost over the retention window, and where it is least."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import Arrivals, Rule
from firstlight.breakeven.pricing import price
from firstlight.breakeven.trace import trace
from firstlight.breakeven.windows import Curve, curve
from tests.breakeven.givens import law, prices, stated

SAMPLES = {Scenario.COLD: stated(226.0), Scenario.WARM: stated(133.0)}


def drawn(arrivals: Arrivals, penalty_per_s: float) -> Curve:
    return curve(
        arrivals,
        rule=Rule(idle_s=300),
        samples=SAMPLES,
        prices=prices(penalty_per_s=penalty_per_s),
    )


def cost(arrivals: Arrivals, window_s: float, penalty_per_s: float) -> float:
    one = price(
        Choice.KEEP,
        arrivals,
        rule=Rule(idle_s=300, retention_s=window_s),
        samples=SAMPLES,
        prices=prices(penalty_per_s=penalty_per_s),
    )
    return one.total


def test_a_window_that_just_reaches_the_usual_return_is_best() -> None:
    """Somebody comes every 900 s, but for the nights: a warm start leaves 467 s of each unasked."""
    days = [day * 86_400 + 900.0 * k for day in range(30) for k in range(30)]

    found = drawn(trace(days), penalty_per_s=0.02).best

    assert 900 - 133 - 300 == pytest.approx(found.window_s)
    assert 29 / 30 - 0.01 < found.hit_rate < 1


@pytest.mark.parametrize(("penalty_per_s", "window_s"), [(0.0, 0.0), (0.001, 0.0), (1.0, inf)])
def test_without_memory_it_is_none_or_for_good(penalty_per_s: float, window_s: float) -> None:
    """By the price of waiting; and the curve rises or falls all along."""
    found = drawn(law(4), penalty_per_s)
    costs = [point.cost for point in found.points]

    assert window_s == found.best.window_s
    assert [0, inf] == [found.points[0].window_s, found.points[-1].window_s]
    assert all(a < b for a, b in pairwise(costs if window_s == 0 else costs[::-1]))


@settings(max_examples=50)
@given(
    gaps=st.lists(st.integers(1, 4000), min_size=2, max_size=14),
    penalty_per_s=st.sampled_from([0.001, 0.01, 0.1]),
)
def test_no_window_is_cheaper_than_the_best(gaps: list[int], penalty_per_s: float) -> None:
    """By more than what counts as equal; looked for all along."""
    one = trace([float(sum(gaps[:k])) for k in range(len(gaps) + 1)])

    best = drawn(one, penalty_per_s).best

    least = min(cost(one, float(window_s), penalty_per_s) for window_s in range(0, 4000, 31))
    assert best.cost <= least * 1.001 + 1e-9
    assert best.cost == pytest.approx(cost(one, best.window_s, penalty_per_s))


def test_hits_rise_along_the_curve() -> None:
    """As the window does; from none on."""
    points = drawn(trace([0.0, 700, 1500, 4000, 4600, 9000]), 0.01).points
    windows_s = [point.window_s for point in points]
    hits = [point.hit_rate for point in points]

    assert sorted(windows_s) == windows_s
    assert sorted(hits) == hits
    assert [0, 0] == [windows_s[0], hits[0]]
