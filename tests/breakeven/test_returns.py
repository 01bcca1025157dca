"""Followed along the sure ones or step by step, returns are the same to the last digit."""

from itertools import accumulate
from math import inf
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.breakeven.cycles import CycleTable, cycle_table
from firstlight.breakeven.returns import Returns, returns

QUIET_S = 10.0
lengths = st.lists(st.sampled_from([1.0, 2.5, 7.1, 19.9, 40.0]), min_size=1, max_size=6)


def tables_of(
    gaps_s: list[float], cold: list[float], warm: list[float]
) -> tuple[CycleTable, CycleTable]:
    times = list(accumulate(gaps_s, initial=0.0))
    gaps = [at + 1 for at, gap_s in enumerate(gaps_s) if gap_s > QUIET_S]
    of_cold, of_warm = (
        cycle_table(times, end_s=times[-1] + 1, gaps=gaps, quiet_s=QUIET_S, lengths=some)
        for some in (cold, warm)
    )
    return of_cold, of_warm


def stepped(
    tables: tuple[CycleTable, CycleTable], first_down_s: float, window_s: float
) -> list[list[float]]:
    """By cold and warm, how likely each gap ends in such a return, each step taken."""
    gaps = len(tables[0].ahead)
    likely = [[0.0] * (gaps + 1), [0.0] * (gaps + 1)]
    up_to_s = window_s or -1.0
    likely[first_down_s <= up_to_s][0] = 1.0
    for gap in range(gaps):
        for kind, table in enumerate(tables):
            for following, down_s, share in table.steps(gap):
                likely[down_s <= up_to_s][following] += likely[kind][gap] * share
    return [row[:-1] for row in likely]


def spread(some: Returns, gaps: int) -> list[float]:
    row = [0.0] * gaps
    for gap, chance in zip(some.gaps, some.chances, strict=True):
        row[gap] = chance
    return row


@given(
    st.lists(st.floats(0.1, 90), min_size=1, max_size=40),
    lengths,
    lengths,
    st.sampled_from([0.0, 3.0, 14.0, 30.0, inf]),
    st.floats(0, 40),
)
def test_the_short_way_leads_where_the_long_one_does(
    gaps_s: list[float], cold: list[float], warm: list[float], window_s: float, first_s: float
) -> None:
    """With any number of start times, of which some lead apart and together again."""
    tables = tables_of(gaps_s, cold, warm)

    found = returns(tables, first_down_s=first_s, window_s=window_s)

    gaps = len(tables[0].ahead)
    expected = stepped(tables, first_s, window_s)
    assert expected == [spread(some, gaps) for some in found]
    assert [sum(row) for row in expected] == [some.number for some in found]


@given(
    st.lists(st.floats(0.1, 90), min_size=1, max_size=40),
    lengths,
    lengths,
    st.sampled_from([3.0, 14.0, inf]),
)
def test_a_mean_is_that_of_all_gaps_by_their_chance(
    gaps_s: list[float], cold: list[float], warm: list[float], window_s: float
) -> None:
    """Whether most of them are sure or few."""
    tables = tables_of(gaps_s, cold, warm)

    found = returns(tables, first_down_s=0.0, window_s=window_s)

    for some, chances, table in zip(found, stepped(tables, 0.0, window_s), tables, strict=True):
        if some.number:
            expected = tuple(
                sum(map(mul, chances, (min(down_s, window_s) for down_s in row))) / some.number
                for row in table.down_s
            )
            assert expected == some.means(table.down_s, most=window_s)


def test_one_return_has_its_own_value() -> None:
    """A row is not taken apart where only one gap counts."""
    one = Returns(gaps=[1], chances=[1.0], unsure=[], number=1.0)

    assert (7.0,) == one.means([[3.0, 7.0, 5.0]])


@pytest.mark.parametrize("count", [3, 4])
def test_start_times_that_lead_to_one_return_are_looked_up(count: int) -> None:
    """Where their shares add up to 1 for certain; of three thirds only steps can tell."""
    starts = [1.0 + number for number in range(count)]

    (table, _) = tables_of([30.0, 50.0, 50.0], starts, starts)

    following, least_s, most_s = table.ahead[0]
    assert int(count == 4) == following
    assert least_s < most_s
