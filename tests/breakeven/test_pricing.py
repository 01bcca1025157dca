"""What each choice costs, and that the parts are the whole."""

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import DAY_S, Rule
from firstlight.breakeven.pricing import Priced, price, price_all, total_of_parts
from firstlight.breakeven.trace import trace
from tests.breakeven.givens import ALL, COLD, law, prices

RULE = Rule(idle_s=300, retention_s=600)


def priced(choice: Choice, **changes: float) -> Priced:
    return price(choice, law(2), rule=RULE, samples=ALL, prices=prices(**changes))


def test_staying_awake_costs_the_node_all_day() -> None:
    """And nobody waits."""
    one = priced(Choice.AWAKE)

    assert [86.4, 0, 86.4] == pytest.approx([one.node_cost, one.waiting_cost, one.total])


def test_sleep_costs_what_staying_awake_costs_and_the_waits() -> None:
    """Unless somebody pays for the memory: half of the node, for the time asleep."""
    awake, slept, shared = (
        priced(Choice.AWAKE),
        priced(Choice.SLEEP),
        priced(Choice.SLEEP, worth=0.5),
    )
    course = slept.course

    assert course is not None
    assert awake.node_cost == slept.node_cost
    assert slept.waiting_cost == pytest.approx(slept.total - awake.total)
    assert slept.waiting_cost > 0
    assert course.kept_s / DAY_S * 0.5 * awake.node_cost == pytest.approx(
        slept.total - shared.total
    )


def test_scaling_to_zero_is_a_window_of_no_length() -> None:
    """The same price, to the cent."""
    none = price(
        Choice.KEEP,
        law(2),
        rule=replace(RULE, retention_s=0.0),
        samples=ALL,
        prices=prices(),
    )

    assert priced(Choice.ZERO).total == pytest.approx(none.total)


def test_a_node_that_is_always_kept_costs_as_much_as_an_engine_that_stays_awake() -> None:
    """And its users wait for a warm start besides."""
    kept = price(
        Choice.KEEP, law(2), rule=replace(RULE, retention_s=inf), samples=ALL, prices=prices()
    )

    assert priced(Choice.AWAKE).node_cost == pytest.approx(kept.node_cost)
    assert kept.waiting_cost > 0


@given(
    gaps=st.lists(st.integers(1, 4000), min_size=2, max_size=12),
    window_s=st.sampled_from([0.0, 200.0, 900.0, inf]),
    worth=st.sampled_from([0.0, 0.7]),
)
def test_the_parts_by_start_time_are_the_whole(
    gaps: list[int], window_s: float, worth: float
) -> None:
    """Whatever the trace."""
    times = [float(sum(gaps[:k])) for k in range(len(gaps) + 1)]
    every = price_all(
        trace(times),
        rule=replace(RULE, retention_s=window_s),
        samples=ALL,
        prices=prices(worth=worth),
    )

    assert list(Choice) == [one.choice for one in every]
    assert [one.total for one in every] == pytest.approx([total_of_parts(one) for one in every])


@given(lower=st.floats(0, 0.1), more=st.floats(0, 0.1))
def test_a_dearer_second_never_helps_a_choice_that_lets_users_wait(
    lower: float, more: float
) -> None:
    """Beside staying awake each of them loses, by what its users wait."""
    for choice in (Choice.SLEEP, Choice.KEEP, Choice.ZERO):
        cheap, dear = (
            priced(choice, penalty_per_s=one).total - priced(Choice.AWAKE).total
            for one in (lower, lower + more)
        )
        assert dear >= cheap


def test_only_what_has_start_times_is_priced() -> None:
    """A cold start is enough for scaling to zero."""
    every = price_all(law(2), rule=RULE, samples={Scenario.COLD: COLD}, prices=prices())

    assert [Choice.AWAKE, Choice.ZERO] == [one.choice for one in every]
