"""The closed form, against a long drawn trace and against itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.breakeven.course import DAY_S, Course, Rule
from firstlight.breakeven.drawn import drawn
from firstlight.breakeven.poisson import Poisson
from firstlight.breakeven.shapes import FLAT
from firstlight.breakeven.trace import Trace, trace
from tests.breakeven.dice import dice

COLD, WARM = (400.0, 428.0, 460.0, 440.0), (330.0, 341.0)
PER_HOUR, DAYS = 9.0, 150


@pytest.fixture(scope="module")
def long() -> Trace:
    times = drawn(per_hour=PER_HOUR, weights=FLAT, days=DAYS, uniform=dice(7))
    return trace(times, end_s=DAYS * DAY_S)


def figures(course: Course) -> list[float]:
    return [
        course.requests,
        course.returns,
        course.hit_rate or 0,
        course.up_s,
        course.kept_s,
        course.waiters,
        course.waiting_s,
        course.waiters_longer(300),
        course.wait_s(0.95) or 0,
    ]


@pytest.mark.parametrize("request_s", [0.0, 60.0])
@pytest.mark.parametrize("retention_s", [0.0, 240.0, 900.0, math.inf])
def test_a_long_trace_agrees_with_it(long: Trace, retention_s: float, request_s: float) -> None:
    """Every figure, within the noise of thirty thousand requests."""
    rule = Rule(idle_s=300, request_s=request_s, retention_s=retention_s)

    expected = figures(Poisson(per_s=PER_HOUR / 3600).course(rule, cold=COLD, warm=WARM))

    assert expected == pytest.approx(figures(long.course(rule, cold=COLD, warm=WARM)), rel=0.04)


def test_it_is_the_formula_of_its_docstring() -> None:
    """One start of 428 s at six requests an hour, worked out by hand."""
    rate, start_s, idle_s, window_s = 1 / 600, 428.0, 300.0, 600.0
    course = Poisson(per_s=rate).course(
        Rule(idle_s=idle_s, retention_s=window_s), cold=[start_s], warm=[start_s]
    )
    cycle_s = start_s + math.exp(0.5) * 600

    assert 1 - math.exp(-1) == pytest.approx(course.hit_rate)
    assert DAY_S / cycle_s == pytest.approx(course.returns)
    assert (1 - math.exp(-1)) * 600 == pytest.approx(course.kept_s / course.returns)
    assert start_s + start_s**2 / 1200 == pytest.approx(course.waiting_s / course.returns)
    assert start_s + (math.exp(0.5) - 1) * 600 == pytest.approx(course.up_s / course.returns)


@given(
    per_hour=st.floats(0.01, 200),
    idle_s=st.floats(1, 3600),
    window_s=st.floats(0, 1e6),
    cold_s=st.floats(1, 2000),
)
def test_all_time_is_accounted_for(
    per_hour: float, idle_s: float, window_s: float, cold_s: float
) -> None:
    """Up, kept and gone are a day; with a node that is always kept, nothing is gone."""
    law = Poisson(per_s=per_hour / 3600)
    some = law.course(Rule(idle_s=idle_s, retention_s=window_s), cold=[cold_s], warm=[1.0])
    kept = law.course(Rule(idle_s=idle_s, retention_s=math.inf), cold=(), warm=[1.0])

    assert some.up_s + some.kept_s <= DAY_S * (1 + 1e-9)
    assert DAY_S == pytest.approx(kept.up_s + kept.kept_s)


def test_an_engine_that_is_never_idle_is_always_up() -> None:
    """A hundred requests a second: e to the power of that is beyond any number."""
    course = Poisson(per_s=100).course(Rule(idle_s=300), cold=[400.0], warm=())

    assert [0, DAY_S, 0, None, None] == [
        course.returns,
        course.up_s,
        course.waiting_s,
        course.hit_rate,
        course.wait_s(0.95),
    ]
