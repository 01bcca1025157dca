"""Whether the memory still in use grows from sleep to sleep."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.units import BYTES_PER_GIB
from firstlight.gateway.leaks import Limits, trend

FILL_GIB = 9.0
"""The first sleep; nothing may follow from it."""


def in_use(*gib: float) -> list[int]:
    return [round(one * BYTES_PER_GIB) for one in (FILL_GIB, *gib)]


def why(*gib: float) -> str | None:
    found = trend(in_use(*gib))
    assert found is not None
    return found.why_no_sleep


def test_a_leak_is_refused_with_its_figures() -> None:
    """The reason is all that whoever reads it later has."""
    found = trend(in_use(*(2.75 + 0.4 * n for n in range(8))))

    assert found is not None
    assert (8, round(0.4 * BYTES_PER_GIB)) == (found.sleeps, found.per_sleep_bytes)
    assert round(2.8 * BYTES_PER_GIB) == found.in_all_bytes
    assert (
        "the memory still in use after a sleep grew by 0.40 GiB a sleep over 8 sleeps, 2.80 GiB in "
        "all, from 2.75 GiB to 5.55 GiB: it leaks, and a wake-up would run out of memory"
        == found.why_no_sleep
    )


@pytest.mark.parametrize("count", range(8))
def test_a_few_sleeps_are_no_trend(count: int) -> None:
    """The first one after a start is not counted."""
    assert None is trend(in_use(*(2.0 + n for n in range(count))))
    assert None is trend([])


@pytest.mark.parametrize(
    "gib",
    [
        [2.75] * 12,
        [2.75, 4.17] * 6,
        [2.75] * 4 + [6.0] * 4,
        [2.75] * 2 + [6.0] * 10,
        [2.75] * 9 + [6.0] * 3,
        [9.0 - n for n in range(8)],
        [2.0, 4.0, 6.0, 8.0, *[8.0] * 8],
        [*[3.0] * 5, 30.0, *[3.0] * 6],
        [2.75 + 0.02 * n for n in range(60)],
        [2.75 + 0.2 * n for n in range(8)],
    ],
    ids=[
        "flat",
        "up and down as much as was seen",
        "a step in the middle",
        "a step early",
        "a step late",
        "falling",
        "grown, and no more",
        "an outlier",
        "slower than a limit",
        "not much in all yet",
    ],
)
def test_what_is_no_leak_is_let_be(gib: list[float]) -> None:
    """To sleep no more would cost all that sleep saves."""
    assert None is why(*gib)


def test_a_leak_shows_under_noise_and_beside_an_outlier() -> None:
    """As what stays was seen to vary."""
    dice = Random(8)  # noqa: S311 - the same noise each time
    noisy = [2.75 + 0.3 * n + dice.uniform(-0.35, 0.35) for n in range(16)]
    noisy[5] = 30.0

    found = trend(in_use(*noisy))

    assert found is not None
    assert found.why_no_sleep
    assert 0.3 * BYTES_PER_GIB == pytest.approx(found.per_sleep_bytes, rel=0.15)


@pytest.mark.parametrize(("each_gib", "sleeps"), [(0.3, 7), (0.1, 18), (0.05, 30)])
def test_a_leak_that_begins_late_is_seen_in_time(each_gib: float, sleeps: int) -> None:
    """Before it has taken much more than the limit, however long all was well."""
    flat = [2.75] * 200

    assert None is why(*flat)
    assert why(*flat, *(2.75 + each_gib * n for n in range(sleeps)))


def test_what_varies_as_much_as_was_seen_is_never_refused() -> None:
    """Over hundreds of sleeps, asked time and again."""
    dice = Random(8)  # noqa: S311 - the same noise each time
    seen = in_use(*(dice.uniform(2.75, 4.17) for _ in range(400)))
    found = [trend(seen[:count]) for count in range(9, len(seen), 7)]

    assert {None} == {one.why_no_sleep for one in found if one}


def test_limits_may_be_others_where_memory_is_counted_finely() -> None:
    """Not every engine sits on a GPU."""
    grown = in_use(*(1.0 + 0.01 * n for n in range(8)))
    fine = Limits(fewest=4, per_sleep_bytes=1024**2, in_all_bytes=50 * 1024**2)
    found, other = trend(grown), trend(grown, fine)

    assert found is not None
    assert other is not None
    assert found.why_no_sleep is None
    assert "it leaks" in (other.why_no_sleep or "")


@settings(max_examples=100, derandomize=True)
@given(
    st.lists(st.integers(0, 4 * BYTES_PER_GIB), min_size=9, max_size=20),
    st.integers(0, 200 * BYTES_PER_GIB),
)
def test_the_trend_does_not_depend_on_where_it_starts(values: list[int], more: int) -> None:
    """Nor on the first sleep: a small and a large model leak alike."""
    here, there = trend(values), trend([more, *(one + more for one in values[1:])])

    assert here is not None
    assert there is not None
    assert (here.per_sleep_bytes, here.in_all_bytes) == (there.per_sleep_bytes, there.in_all_bytes)
    assert (here.why_no_sleep is None) == (there.why_no_sleep is None)
