"""How sure a difference between rounds is."""

from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.intervals import fewest_rounds, shift, spread

lengths = st.lists(st.integers(0, 10**12), min_size=4, max_size=7)


def test_four_rounds_against_four_cut_nothing_off() -> None:
    """
    Of the 70 orders of four and four, one has the statistic 0: cutting one difference off
    would cover 94.3 %, so the interval is the whole range, and covers 97.1 %.
    """
    found = shift([10, 11, 12, 13], [1, 2, 3, 4])

    assert found is not None
    assert (9, 6, 12) == (found.estimate_ns, found.low_ns, found.high_ns)
    assert pytest.approx(1 - 2 / comb(8, 4)) == found.coverage


def test_a_textbook_interval() -> None:
    """
    Five against five at 95 %: the tables give the critical value 2, so the third smallest
    and third largest of the 25 differences bound the interval (Hollander and Wolfe, A.6).
    """
    first, second = [0, 0, 0, 0, 0], [1, 2, 4, 8, 16]
    differences = sorted(a - b for a in first for b in second)

    found = shift(first, second)

    assert found is not None
    assert (differences[2], differences[-3]) == (found.low_ns, found.high_ns)


def test_too_few_rounds_have_no_interval() -> None:
    """Three against three cannot reach 95 %; nothing is claimed then."""
    assert shift([1, 2, 3], [4, 5, 6]) is None
    assert shift([], [1]) is None
    assert 4 == fewest_rounds()


def test_coverage_is_what_counting_all_orders_gives() -> None:
    """
    The coverage of four against five equals a count over all orders of nine rounds: how
    often the true shift, zero here, lies inside the interval.
    """
    inside = 0
    for mine in combinations(range(9), 4):
        found = shift(list(mine), [i for i in range(9) if i not in mine])
        assert found is not None
        inside += found.low_ns <= 0 <= found.high_ns

    assert found is not None
    assert pytest.approx(inside / comb(9, 4)) == found.coverage


@given(lengths, lengths)
def test_the_interval_holds_its_estimate_and_turns_round(
    first: list[int], second: list[int]
) -> None:
    """Swapping the sides turns every sign, and the estimate lies inside its interval."""
    there, back = shift(first, second), shift(second, first)

    assert there is not None
    assert back is not None
    assert there.low_ns <= there.estimate_ns <= there.high_ns
    assert (-back.high_ns, -back.low_ns) == (there.low_ns, there.high_ns)


@given(lengths, lengths, st.integers(0, 10**12))
def test_a_longer_first_side_moves_the_interval_by_as_much(
    first: list[int], second: list[int], more: int
) -> None:
    """A constant added to one side is found exactly."""
    plain, moved = shift(first, second), shift([n + more for n in first], second)

    assert plain is not None
    assert moved is not None
    assert (plain.low_ns + more, plain.high_ns + more) == (moved.low_ns, moved.high_ns)


def test_a_spread_says_middle_and_extremes() -> None:
    """The median of an even number of rounds lies between the middle two."""
    found = spread([4, 1, 3, 2])

    assert (2, 1, 4, 4) == (
        found.median_ns,
        found.lowest_ns,
        found.highest_ns,
        found.rounds,
    )
