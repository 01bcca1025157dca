"""How sure a difference is: wide with few rounds, the same for the same seed, none for one."""

from dataclasses import replace
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.breakeven.bootstrap import interval
from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import Rule
from firstlight.breakeven.pricing import Priced, Samples, price
from firstlight.breakeven.sample import Sample
from firstlight.breakeven.student import t_quantile
from tests.breakeven.dice import dice
from tests.breakeven.givens import ALL, law, prices, stated


def priced(choice: Choice, samples: Samples) -> Priced:
    rule = Rule(idle_s=300, retention_s=600)
    return price(choice, law(2), rule=rule, samples=samples, prices=prices())


def of_cold(seconds: tuple[float, ...]) -> tuple[Priced, Priced, Samples]:
    """Scaling to zero and staying awake, by these cold starts."""
    samples = {Scenario.COLD: Sample(seconds=seconds, measured=True)}
    return priced(Choice.ZERO, samples), priced(Choice.AWAKE, samples), samples


@pytest.mark.parametrize(
    ("share", "freedom", "value"),
    [(0.975, 1, 12.7062), (0.975, 3, 3.1824), (0.975, 10, 2.2281), (0.95, 5, 2.0150)],
)
def test_the_quantiles_are_those_of_the_tables(share: float, freedom: int, value: float) -> None:
    """As printed in any textbook."""
    assert value == pytest.approx(t_quantile(share, freedom), abs=2e-4)


def test_with_four_rounds_it_is_the_whole_range() -> None:
    """As for the exact interval of four against four: from all as the shortest to the longest."""
    zero, awake, samples = of_cold((224.0, 225.0, 226.0, 229.0))
    lowest, highest = (
        zero.fixed + part - awake.total
        for part in (min(zero.by_start[Scenario.COLD]), max(zero.by_start[Scenario.COLD]))
    )

    found = interval(zero, awake, samples=samples, uniform=dice(1))

    assert found is not None
    assert [lowest, highest] == pytest.approx([found.low, found.high])
    assert found.excludes_zero


def test_with_many_rounds_it_is_the_interval_of_a_mean() -> None:
    """Student's, as the data are near normal."""
    seconds = tuple(226 + 0.5 * ((7 * k) % 40 - 19.5) for k in range(40))
    zero, awake, samples = of_cold(seconds)
    parts = zero.by_start[Scenario.COLD]
    half = t_quantile(0.975, 39) * stdev(parts) / len(parts) ** 0.5
    middle = zero.fixed + fmean(parts) - awake.total

    found = interval(zero, awake, samples=samples, uniform=dice(1))

    assert found is not None
    assert [middle - half, middle + half] == pytest.approx([found.low, found.high], abs=half / 4)


@pytest.mark.parametrize(("rounds", "confidence"), [(4, 0.875), (5, 0.9375), (6, 0.95), (9, 0.95)])
def test_few_rounds_of_one_scenario_claim_no_more_than_their_range(
    rounds: int, confidence: float
) -> None:
    """All of them lie on one side of their middle as often as as many coins fall alike."""
    zero, awake, samples = of_cold(tuple(220.0 + 3 * k for k in range(rounds)))

    found = interval(zero, awake, samples=samples, uniform=dice(1))

    assert found is not None
    assert confidence == found.confidence


def test_two_scenarios_make_up_for_few_rounds() -> None:
    """Four against four, as far apart each; with one of them all alike it is the other alone."""
    seconds = {Scenario.COLD: (10.0, 20.0, 30.0, 40.0), Scenario.WARM: (1.0, 2.0, 3.0, 4.0)}
    samples = {s: Sample(seconds=lengths, measured=True) for s, lengths in seconds.items()}
    awake = priced(Choice.AWAKE, samples)

    def of(warm: tuple[float, ...]) -> float:
        parts = {Scenario.COLD: (1.0, 2.0, 3.0, 4.0), Scenario.WARM: warm}
        found = interval(replace(awake, by_start=parts), awake, samples=samples, uniform=dice(1))
        assert found is not None
        return found.confidence

    assert [0.95, 0.875] == [of((2.0, 3.0, 4.0, 5.0)), of((2.0, 2.0, 2.0, 2.0))]


def test_the_same_seed_gives_the_same_interval() -> None:
    """Another one nearly the same."""
    keep, zero = priced(Choice.KEEP, ALL), priced(Choice.ZERO, ALL)
    one, same, other = (interval(keep, zero, samples=ALL, uniform=dice(seed)) for seed in (1, 1, 2))

    assert one is not None
    assert other is not None
    assert one == same
    assert [one.low, one.high] == pytest.approx([other.low, other.high], abs=0.4)


def test_a_stated_number_has_no_interval() -> None:
    """Nor has what does not hang on start times."""
    samples = {**ALL, Scenario.COLD: stated(226.0)}

    zero, awake = priced(Choice.ZERO, samples), priced(Choice.AWAKE, samples)

    assert None is interval(zero, awake, samples=samples, uniform=dice(1))
    assert None is interval(awake, awake, samples=ALL, uniform=dice(1))


def test_what_both_share_makes_no_difference() -> None:
    """The same draw for both: two that are one differ by nothing, however their starts spread."""
    zero, _, samples = of_cold((100.0, 200.0, 400.0, 900.0))
    dearer = replace(zero, fixed=zero.fixed + 5)

    found = interval(dearer, zero, samples=samples, uniform=dice(1))

    assert found is not None
    assert [5, 5] == pytest.approx([found.low, found.high])


@settings(max_examples=25)
@given(seconds=st.lists(st.floats(10, 900), min_size=4, max_size=9))
def test_the_estimate_lies_in_it(seconds: list[float]) -> None:
    """Whatever the start times."""
    zero, awake, samples = of_cold(tuple(seconds))

    found = interval(zero, awake, samples=samples, uniform=dice(1))

    if found is None:
        assert 1 == len(set(seconds))
        return
    assert found.low - 1e-9 <= zero.total - awake.total <= found.high + 1e-9


def test_equal_starts_are_known_no_better_than_each_of_them() -> None:
    """Four that a probe of 10 s saw at one second are no proof of that second."""
    zero, awake, samples = of_cold((226.0,) * 4)
    middle = zero.total - awake.total

    found = interval(zero, awake, samples=samples, uniform=dice(1), doubts={Scenario.COLD: 0.25})

    assert found is not None
    assert [middle - 0.25, middle + 0.25] == pytest.approx([found.low, found.high])
    assert 0.875 == found.confidence


def test_equal_numbers_that_are_known_to_nothing_have_no_interval() -> None:
    """One of no width would claim that luck has no part in it."""
    zero, awake, samples = of_cold((226.0,) * 4)

    assert None is interval(zero, awake, samples=samples, uniform=dice(1))


def test_a_doubt_smaller_than_the_spread_changes_nothing() -> None:
    """It is in the spread already."""
    zero, awake, samples = of_cold((220.0, 225.0, 226.0, 240.0))

    plain = interval(zero, awake, samples=samples, uniform=dice(1))

    assert plain == interval(
        zero, awake, samples=samples, uniform=dice(1), doubts={Scenario.COLD: 1e-6}
    )
