"""The statistics, each against what is known of it."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from firstlight.compare.drift import drift
from firstlight.compare.holm import holm
from firstlight.compare.judging import judged
from firstlight.compare.power import shift_found
from firstlight.compare.ranks import rank_test
from firstlight.compare.statistics import difference, outliers
from firstlight.compare.verdict import LEVEL, Verdict

LENGTHS = st.lists(st.integers(1, 10**12), min_size=4, max_size=8)


@settings(max_examples=12, deadline=None)
@given(first=LENGTHS, second=LENGTHS)
def test_the_same_rounds_have_the_same_answer(first: list[int], second: list[int]) -> None:
    """Nothing in it depends on chance, and exact ranks do not care which side comes first."""
    once, again = difference(first, second), difference(first, second)
    assert once == again
    if len({*first, *second}) == len(first) + len(second):
        assert rank_test(first, second) == pytest.approx(rank_test(second, first))


@settings(max_examples=12, deadline=None)
@given(first=LENGTHS, second=LENGTHS)
def test_what_is_seen_is_seen_by_test_and_interval(first: list[int], second: list[int]) -> None:
    """Whoever is called faster or slower has an interval on that side of zero."""
    found = difference(first, second)
    assert found is not None
    said = judged(found, p=found.p, resolution_ns=0)
    assert (said is Verdict.FASTER) == (found.p <= LEVEL and found.high_ns < 0)
    assert (said is Verdict.SLOWER) == (found.p <= LEVEL and found.low_ns > 0)


def test_the_rank_test_is_exact() -> None:
    """Four below four: 2 of 70 orders."""
    assert 2 / 70 == pytest.approx(rank_test([1, 2, 3, 4], [5, 6, 7, 8]))


def test_ties_are_permuted_exactly() -> None:
    """With ties every order is tried, as few as they are."""
    first, second = [1, 2, 2, 3], [3, 4, 4, 5]
    ranks = stats.rankdata([*first, *second])
    seen = sum(ranks[:4])
    orders = [
        sum(ranks[i] for i in chosen)
        for chosen in {tuple(sorted(p[:4])) for p in permutations(range(8))}
    ]
    middle = sum(ranks) / 2
    extreme = sum(abs(one - middle) >= abs(seen - middle) - 1e-9 for one in orders)

    assert extreme / len(orders) == pytest.approx(rank_test(first, second), abs=1e-9)


def test_equal_rounds_are_no_difference() -> None:
    found = difference([5] * 4, [5] * 4)
    assert found is not None
    assert (0, 1.0, False) == (found.estimate_ns, found.p, found.excludes_zero)


@pytest.mark.parametrize(
    ("values", "stand"),
    [
        ([0.01, 0.04, 0.03], [True, False, False]),
        ([0.001, 0.02, 0.04], [True, True, True]),
        ([], []),
    ],
)
def test_holm(values: list[float], stand: list[bool]) -> None:
    assert stand == [p <= LEVEL for p in holm(values, [1.0] * len(values))]


def test_holm_gives_the_heavier_question_the_larger_part() -> None:
    """0.03 of 0.05 passes where it has four fifths of it, and the rest is passed on."""
    assert [pytest.approx(0.03), pytest.approx(0.005)] == holm([0.03, 0.001], [0.8, 0.2])
    assert [pytest.approx(0.0375), pytest.approx(0.5)] == holm([0.03, 0.5], [0.8, 0.2])
    assert [pytest.approx(0.06)] * 2 == holm([0.03, 0.03], [1.0, 1.0])


def test_large_sets_are_judged_at_once() -> None:
    """A ledger of a thousand rounds is judged in a moment: exact counts would take minutes."""
    first, second = list(range(0, 900, 3)), list(range(100, 1000, 3))
    found = difference(first, second)
    assert found is not None
    assert found.p < 1e-4
    assert found.smallest_ns is not None


def test_too_few_rounds_for_a_strict_level_can_show_nothing() -> None:
    """Four against four reach 2 of 70 at best: below that no shift is large enough."""
    assert shift_found(4, 4, 0.02) is None
    assert shift_found(5, 5, 0.02) is not None


@pytest.mark.timeout(20)
@pytest.mark.parametrize("rounds", [4, 6, 12, 21, 30])
def test_the_smallest_effect_is_found_four_times_in_five(rounds: int) -> None:
    """What is printed as `could be seen` is what test and interval together do see."""
    shift, dice = shift_found(rounds, rounds, LEVEL), np.random.default_rng(5)
    assert shift is not None
    seen = 0
    for _ in range(150):
        first, second = dice.normal(100, 1, rounds), dice.normal(100 + shift, 1, rounds)
        found = difference([round(x * 1e6) for x in first], [round(x * 1e6) for x in second])
        assert found is not None
        seen += judged(found, p=found.p, resolution_ns=0) is Verdict.SLOWER
    assert 0.7 <= seen / 150 <= 0.92


def test_fewer_rounds_need_larger_effects() -> None:
    """Four against four need complete separation: about three standard deviations."""
    twelve, six, four = (shift_found(n, n, LEVEL) or 0.0 for n in (12, 6, 4))
    assert 0 < twelve < six < four
    assert 2.6 < four < 3.3


def test_outliers_are_flagged() -> None:
    assert [False, False, False, False, True] == outliers([100, 101, 99, 100, 160])
    assert [False] * 4 == outliers([1, 1, 1, 9])


def test_a_drift_is_seen() -> None:
    """Later rounds longer in both sets: the medians taken off, the order is left."""
    one = [(order, 100 + order) for order in range(0, 12, 2)]
    two = [(order, 500 + order) for order in range(1, 12, 2)]
    found = drift([one, two])
    assert found is not None
    assert found.is_seen
    assert found.correlation > 0.9
    assert drift([one[:2], two[:2]]) is None


def test_chance_alone_seldom_drifts() -> None:
    """Few rounds a set lie around their own median, and so look ordered more often than free ones.

    In 400 runs of two steps that take turns four times, 5 % are expected; a table's p gives 8 %.
    """
    random = np.random.default_rng(3)
    seen = 0
    for _ in range(400):
        lengths = random.normal(100, 1, size=(2, 4))
        turns = [0, 1, 1, 0, 0, 1, 1, 0]
        at = [[order for order, step in enumerate(turns) if step == one] for one in (0, 1)]
        found = drift(
            [
                [
                    (order, int(length * 1e9))
                    for order, length in zip(at[one], lengths[one], strict=True)
                ]
                for one in (0, 1)
            ]
        )
        seen += found is not None and found.is_seen
    assert 28 > seen


def test_the_interval_of_few_rounds_is_that_of_all_resamples() -> None:
    """Four a side have 256 resamples each: what drawing some of them gives, lies within two draws.

    Counted by hand: of the medians of all resamples of 1, 2, 3 and 100 the lowest that 2.5 %
    do not exceed is 1, the highest 100; against four that are all 0 that is the interval.
    """
    found = difference([0, 0, 0, 0], [1, 2, 3, 100])

    assert found is not None
    medians = sorted(
        float(np.median([one, two, three, four]))
        for one in (1, 2, 3, 100)
        for two in (1, 2, 3, 100)
        for three in (1, 2, 3, 100)
        for four in (1, 2, 3, 100)
    )
    low, high = medians[int(256 * 0.025)], medians[int(256 * 0.975)]
    assert (round(low), round(high)) == (found.low_ns, found.high_ns)
