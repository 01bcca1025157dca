"""A million requests: the time is the processor's, on a machine that others use too."""

import time
from math import inf

import pytest

from firstlight.breakeven.choices import Choice
from firstlight.breakeven.course import DAY_S
from firstlight.breakeven.drawn import drawn
from firstlight.breakeven.request_times import read_request_times
from firstlight.breakeven.shapes import read_shape
from firstlight.breakeven.trace import trace
from tests.breakeven.dice import dice
from tests.breakeven.givens import answered, question


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_million_requests_are_priced_in_seconds() -> None:
    """Of a month of office days: read, priced, searched for the best window, varied."""
    weights = read_shape("office")
    times_s = drawn(per_hour=1_000_000 / 720, weights=weights, days=30, uniform=dice(1))
    lines = [f"{1.77e9 + time_s:.3f}\n" for time_s in times_s]
    assert 990_000 < len(lines)

    begun = time.process_time()
    read = read_request_times(lines, artefact="log.csv")
    found = answered(question(trace(read.seconds)))
    took_s = time.process_time() - begun

    assert 4 == len(found.priced)
    assert inf > found.rule.retention_s
    assert took_s < 5


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_ten_thousand_returns_of_a_year_are_priced_in_seconds() -> None:
    """Each window is a walk along all of them, and hundreds are looked at."""
    weights = read_shape("office")
    times_s = drawn(per_hour=1_000_000 / 8760, weights=weights, days=365, uniform=dice(1))

    begun = time.process_time()
    came = trace(times_s, end_s=365 * DAY_S)
    found = answered(question(came, idle_s=480.0))
    took_s = time.process_time() - begun

    (zero,) = (one for one in found.priced if one.choice is Choice.ZERO)
    assert zero.course is not None
    assert 7_000 < zero.course.returns * came.days < 10_000
    assert took_s < 6
