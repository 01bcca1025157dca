"""hit rate x seconds saved x penalty > cost of keeping, with the reference case's 93 s."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import Rule
from firstlight.breakeven.formula import BreakEven, break_even, break_even_hit_rate
from firstlight.breakeven.pricing import Samples, price
from firstlight.breakeven.trace import trace
from firstlight.breakeven.windows import curve
from firstlight.decisions.condition import read_condition
from firstlight.decisions.truth import truth
from tests.breakeven.givens import ALL, law, prices, stated

REFERENCE = {Scenario.COLD: stated(226.0), Scenario.WARM: stated(133.0)}


def found(samples: Samples, *, per_hour: float = 2, penalty_per_s: float = 0.002) -> BreakEven:
    rule = Rule(idle_s=300, retention_s=600)
    paid = prices(penalty_per_s=penalty_per_s)
    kept = price(Choice.KEEP, law(per_hour), rule=rule, samples=samples, prices=paid)
    zero = price(Choice.ZERO, law(per_hour), rule=rule, samples=samples, prices=paid)
    one = break_even(kept, zero, law(per_hour), rule=rule, samples=samples, prices=paid)
    assert one is not None
    return one


def test_the_reference_case_saves_93_seconds() -> None:
    """At a dollar an hour a node kept for ten minutes costs 0.1667; a cent a second: 18 %."""
    one = found(REFERENCE)

    assert 93 == one.saved_s
    assert None is one.saved
    assert 0.1792 == pytest.approx(
        break_even_hit_rate(cost_per_return=1 / 6, saved_s=one.saved_s, penalty_per_s=0.01) or 0,
        abs=1e-4,
    )


def test_it_is_the_formula_at_the_priced_window() -> None:
    """What is kept, by the return; beside what is saved, by the hit."""
    one = found(REFERENCE)

    assert one.at_hit_rate is not None
    assert one.cost_per_return == pytest.approx(one.at_hit_rate * 93 * 0.002)


def test_measured_starts_give_the_seconds_saved_an_exact_interval() -> None:
    """Of four against four, which is the whole range."""
    saved = found(ALL).saved

    assert saved is not None
    assert [88e9, 98e9] == [saved.low_ns, saved.high_ns]


def test_everybody_who_waits_makes_a_hit_worth_more() -> None:
    """At ten an hour others come during a start: S + L*S^2/2 for each."""
    one = found(REFERENCE, per_hour=10)

    rate = 10 / 3600
    assert 93 + rate * (226**2 - 133**2) / 2 == pytest.approx(one.waiting_saved_s)
    assert one.at_hit_rate_of_all is not None
    assert one.at_hit_rate is not None
    assert one.at_hit_rate_of_all < one.at_hit_rate


@given(
    gaps=st.lists(st.integers(1, 4000), min_size=2, max_size=12),
    cold_s=st.floats(1, 9000),
    less=st.floats(0, 1),
)
def test_a_shorter_start_never_makes_users_wait_more(
    gaps: list[int], cold_s: float, less: float
) -> None:
    """Compared at the same returns, whatever the trace; a long start would swallow some."""
    one = trace([float(sum(gaps[:k])) for k in range(len(gaps) + 1)])
    rule = Rule(idle_s=300)

    assert one.waiting_s(rule, [cold_s * less]) <= one.waiting_s(rule, [cold_s]) * (1 + 1e-9)


def test_where_a_hit_is_worth_nothing_no_hit_rate_pays() -> None:
    """A penalty of nothing, or a warm start that is no shorter."""
    same = {Scenario.COLD: stated(200.0), Scenario.WARM: stated(200.0)}

    assert None is found(REFERENCE, penalty_per_s=0).at_hit_rate
    assert None is found(same).at_hit_rate


def test_a_hit_saves_paid_node_seconds_even_where_no_waiting_is_priced() -> None:
    """In a cycle of S + e^(Lq)/L the warm start has 93 s less of the node than the cold one."""
    one = found(REFERENCE, penalty_per_s=0)
    per_s, quiet_s = 2 / 3600, 300
    down_s = 1 / per_s
    up_s = (math.exp(per_s * quiet_s) - 1) / per_s
    share_up_cold = (226 + up_s) / (226 + up_s + down_s)
    # A dollar an hour is 0.001 a second; what a hit saves is the cycle at the price of zero less
    # its own.
    worth = (share_up_cold * (133 + up_s + down_s) - (133 + up_s)) * 0.001

    assert one.at_hit_rate_of_totals == pytest.approx(one.cost_per_return / worth)


@given(
    gaps=st.lists(st.integers(1, 4000), min_size=2, max_size=12),
    cold_s=st.floats(1, 900),
    warm_s=st.floats(1, 900),
    penalty_per_s=st.floats(0, 0.1),
)
def test_the_rate_of_the_totals_never_contradicts_the_curve(
    gaps: list[int], cold_s: float, warm_s: float, penalty_per_s: float
) -> None:
    """Keeping pays by the rate wherever the curve is lower than without a window, and nowhere
    else."""
    samples = {Scenario.COLD: stated(cold_s), Scenario.WARM: stated(warm_s)}
    paid = prices(penalty_per_s=penalty_per_s)
    one = trace([float(sum(gaps[:k])) for k in range(len(gaps) + 1)])
    zero = price(Choice.ZERO, one, rule=Rule(idle_s=300), samples=samples, prices=paid)

    for point in curve(one, rule=Rule(idle_s=300), samples=samples, prices=paid).points:
        rule = Rule(idle_s=300, retention_s=point.window_s)
        kept = price(Choice.KEEP, one, rule=rule, samples=samples, prices=paid)
        at = break_even(kept, zero, one, rule=rule, samples=samples, prices=paid)
        if at is not None and abs(point.cost - zero.total) > 1e-9 * zero.total:
            assert (point.cost < zero.total) is at.keeping_pays


@given(
    hit_rate=st.floats(0.01, 1),
    cost=st.floats(0.001, 10),
    penalty_per_s=st.floats(1e-4, 1),
)
def test_it_is_where_the_register_s_condition_turns(
    hit_rate: float, cost: float, penalty_per_s: float
) -> None:
    """The condition of node-retention is true above it, and false below."""
    turns = break_even_hit_rate(cost_per_return=cost, saved_s=93, penalty_per_s=penalty_per_s)
    condition = read_condition("hit_rate * node_saved_s * penalty_per_s > retention_cost_per_start")
    values = {
        "hit_rate": hit_rate,
        "node_saved_s": 93,
        "penalty_per_s": penalty_per_s,
        "retention_cost_per_start": cost,
    }

    assert turns is not None
    if abs(hit_rate - turns) > 1e-9 * turns:
        assert (hit_rate > turns) is truth(condition, values).is_so
