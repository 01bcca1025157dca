"""Shapes of a day, and the traces that are drawn from them."""

import pytest

from firstlight.breakeven.drawn import drawn
from firstlight.breakeven.shapes import FLAT, HOURS, OFFICE, SHAPES, is_flat, read_shape
from firstlight.core.errors import BadInput
from tests.breakeven.dice import dice


def hours(times_s: list[float]) -> list[int]:
    """How many lie in each hour of the day."""
    counts = [0] * HOURS
    for time_s in times_s:
        counts[int(time_s // 3600) % HOURS] += 1
    return counts


@pytest.mark.parametrize("name", SHAPES)
def test_a_drawn_trace_has_the_shape_that_was_asked_for(name: str) -> None:
    """Each hour within five standard deviations of what is expected; in order, within its days."""
    weights = read_shape(name)
    times_s = drawn(per_hour=20, weights=weights, days=100, uniform=dice(1))

    assert sorted(times_s) == times_s
    assert 0 <= times_s[0] < times_s[-1] < 100 * 86400
    for weight, count in zip(weights, hours(times_s), strict=True):
        expected = 20 * 100 * weight
        assert abs(count - expected) < 5 * expected**0.5


def test_the_same_seed_gives_the_same_trace() -> None:
    """And another one another."""
    one, same, other = (
        drawn(per_hour=3, weights=FLAT, days=2, uniform=dice(seed)) for seed in (5, 5, 6)
    )

    assert one == same
    assert one != other


def test_an_hour_without_weight_has_no_request() -> None:
    """Its neighbours do."""
    weights = read_shape(",".join(["0", *["1"] * 23]))
    counts = hours(drawn(per_hour=50, weights=weights, days=20, uniform=dice(2)))

    assert 0 == counts[0]
    assert min(counts[1:]) > 0


def test_weights_are_proportions() -> None:
    """Their mean is one, whatever unit they came in."""
    assert FLAT == read_shape(",".join(["7"] * 24))
    assert HOURS == pytest.approx(sum(read_shape("office")))
    assert OFFICE[10] / OFFICE[0] == pytest.approx(
        read_shape("OFFICE")[10] / read_shape("office")[0]
    )
    assert [True, False] == [is_flat(read_shape("flat")), is_flat(read_shape("office"))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ofice", "'ofice' is no shape of a day"),
        ("1,2,3", "a day has 24 hours, not 3 weights"),
        (",".join(["0"] * 24), "every hour of this day has the weight 0"),
        (",".join(["-1"] * 24), "-1 is no weight of an hour: it is 0 or more, and finite"),
        (",".join(["nan"] * 24), "nan is no weight of an hour: it is 0 or more, and finite"),
    ],
)
def test_what_is_no_shape_is_refused(text: str, said: str) -> None:
    """In a sentence."""
    with pytest.raises(BadInput) as refused:
        read_shape(text)

    assert said == refused.value.message


def test_too_many_requests_are_not_drawn() -> None:
    """A day of them would take all memory."""
    with pytest.raises(BadInput, match="too many to draw"):
        drawn(per_hour=1e9, weights=FLAT, days=1, uniform=lambda: 0.5)
