"""A million requests."""

import time
from math import inf

import pytest

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
