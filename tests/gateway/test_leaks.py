"""Whether the memory still in use grows from sleep to sleep."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.units import BYTES_PER_GIB
from firstlight.gateway.leaks import why_no_more

FILL_GIB = 9.0
"""The first sleep; nothing may follow from it."""


def in_use(*gib: float) -> list[int]:
    return [round(one * BYTES_PER_GIB) for one in (FILL_GIB, *gib)]


def why(*gib: float) -> str | None:
    return why_no_more(in_use(*gib))


def test_a_leak_is_refused_with_its_figures() -> None:
    """The reason is all that whoever reads it later has."""
    assert (
        "the memory still in use after a sleep grew by 0.40 GiB a sleep over 8 sleeps, 2.80 GiB in "
        "all, from 2.75 GiB to 5.55 GiB: it leaks, and a wake-up would run out of memory"
        == why(*(2.75 + 0.4 * n for n in range(8)))
    )


@pytest.mark.parametrize("count", range(8))
def test_a_few_sleeps_are_no_trend(count: int) -> None:
    """The first one after a start is not counted."""
    assert why(*(2.0 + n for n in range(8)))
    assert None is why(*(2.0 + n for n in range(count)))
    assert None is why_no_more([])


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

    grew = re.search(r"grew by (\S+) GiB a sleep", why(*noisy) or "")

    assert grew
    assert pytest.approx(0.3, rel=0.15) == float(grew[1])


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

    assert {None} == {why_no_more(seen[:count]) for count in range(9, len(seen), 7)}


@settings(max_examples=100, derandomize=True)
@given(
    st.lists(st.integers(0, 2 * BYTES_PER_GIB), min_size=9, max_size=20),
    st.integers(0, BYTES_PER_GIB),
    st.integers(0, 200 * BYTES_PER_GIB),
)
def test_a_leak_does_not_depend_on_where_it_starts(values: list[int], each: int, more: int) -> None:
    """Nor on the first sleep: a small and a large model leak alike."""
    here = [one + n * each for n, one in enumerate(values)]
    there = [more, *(one + more for one in here[1:])]

    assert _figures(why_no_more(here)) == _figures(why_no_more(there))


def _figures(why: str | None) -> str | None:
    """How much and over how many, without from where to where."""
    return why and why.partition(", from ")[0]
