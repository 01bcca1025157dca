"""What is said of rounds whose truth is known."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.compare.comparison import Comparison, compare
from firstlight.compare.sets import TOTAL, Round
from firstlight.compare.verdict import Verdict
from firstlight.core.phases import Phase
from firstlight.core.starts import Total
from tests.compare.engines import PHASES, a_set, rounds

ROUNDS = 12
CLAIM = Phase.ENGINE_INIT.value


def judged(seed: int, *, factors: dict[Phase, float], noise: float = 0.05) -> Comparison:
    """Twelve rounds a side of the synthetic engine; noise is on each phase by itself."""
    before = a_set("a", rounds(ROUNDS, seed=2 * seed, noise=noise))
    after = a_set("b", rounds(ROUNDS, seed=2 * seed + 1, noise=noise, factors=factors, name="b"))
    return compare(before, after, claimed=[CLAIM])


def metric(found: Comparison, name: str) -> Verdict | None:
    return next(one.verdict for one in found.metrics if one.name == name)


def shares(seeds: range) -> dict[str, float]:
    """How often which answer was given, over so many experiments."""
    faster_phase = placebo_total = placebo_phase = any_moved = 0
    all_phases = dict.fromkeys(PHASES, 0.9)
    faster_total = 0
    for seed in seeds:
        real = judged(seed, factors=all_phases)
        faster_phase += metric(real, CLAIM) is Verdict.FASTER
        faster_total += real.verdict is Verdict.FASTER
        none = judged(seed + 1_000_000, factors={})
        said = {Verdict.FASTER, Verdict.SLOWER}
        placebo_total += none.verdict in said
        placebo_phase += metric(none, CLAIM) in said
        phases = [one for one in none.metrics if one.name != TOTAL]
        any_moved += any(one.also_moved or one.verdict in said for one in phases)
    n = len(seeds)
    return {
        "ten percent less, the phase": faster_phase / n,
        "ten percent less, the total": faster_total / n,
        "placebo, the phase": placebo_phase / n,
        "placebo, the total": placebo_total / n,
        "nothing done, any phase moved": any_moved / n,
    }


def check(found: dict[str, float], *, allowance: float) -> None:
    assert found["ten percent less, the phase"] >= 0.95 - allowance, found
    assert found["ten percent less, the total"] >= 0.95 - allowance, found
    for name in ("placebo, the phase", "placebo, the total", "nothing done, any phase moved"):
        assert found[name] <= 0.06 + allowance, found


@pytest.mark.timeout(60)
def test_sixty_experiments_are_judged_about_right() -> None:
    """The short form: so few experiments may stray by chance, the long form may not."""
    check(shares(range(60)), allowance=0.08)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_two_thousand_experiments_are_judged_right() -> None:
    """10 % under 5 % noise in >= 95 %; a placebo, and phases that did nothing, in <= 6 %."""
    check(shares(range(2000)), allowance=0.0)


def test_three_rounds_a_side_are_too_few() -> None:
    before, after = a_set("a", rounds(3, seed=1)), a_set("b", rounds(3, seed=2, name="b"))

    found = compare(before, after)

    assert Verdict.TOO_FEW is found.verdict
    assert all(one.found is None for one in found.metrics)


def test_four_rounds_can_show_a_large_change() -> None:
    factors = {Phase.ENGINE_INIT: 0.3}
    before = a_set("a", rounds(4, seed=1, noise=0.01))
    after = a_set("b", rounds(4, seed=2, noise=0.01, name="b", factors=factors))

    found = compare(before, after, claimed=[CLAIM])

    assert (Verdict.FASTER, Verdict.FASTER) == (found.verdict, metric(found, CLAIM))


def test_a_slower_start_is_called_slower() -> None:
    before = a_set("a", rounds(6, seed=1, noise=0.01))
    slow = rounds(6, seed=2, noise=0.01, name="b", factors={Phase.WEIGHT_LOAD: 2.0})

    found = compare(before, a_set("b", slow), claimed=[Phase.WEIGHT_LOAD.value])

    assert Verdict.SLOWER is found.verdict


def test_what_was_not_claimed_only_moves() -> None:
    """A phase that nobody named beforehand has no verdict; it is said to have moved as well."""
    before = a_set("a", rounds(12, seed=1, noise=0.01))
    after = rounds(12, seed=2, noise=0.01, name="b", factors={Phase.API_START: 3.0})

    found = compare(before, a_set("b", after), claimed=[CLAIM])

    moved = [one.name for one in found.metrics if one.also_moved]
    assert ["api_start"] == moved
    assert all(one.verdict is None for one in found.metrics if not one.claimed)


def known_to_ten_seconds(total: Total | None) -> Total:
    assert total is not None
    return replace(total, uncertainty_ns=10_000_000_000)


def test_a_difference_smaller_than_the_clock_is_below_resolution() -> None:
    """Ranks can tell rounds apart that the clock cannot."""

    def coarse(found: list[Round]) -> list[Round]:
        return [
            replace(
                one,
                start=replace(one.start, total=known_to_ten_seconds(one.start.total)),
            )
            for one in found
        ]

    before = a_set("a", coarse(rounds(8, seed=1, noise=0.001)))
    after = a_set(
        "b", coarse(rounds(8, seed=2, noise=0.001, name="b", factors={Phase.API_START: 0.5}))
    )

    assert Verdict.BELOW_RESOLUTION is compare(before, after).verdict


@pytest.mark.timeout(20)
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    number=st.integers(4, 8),
    factor=st.sampled_from([1.0, 0.97, 0.93, 0.9]),
)
def test_in_print_interval_and_verdict_say_the_same(seed: int, number: int, factor: float) -> None:
    """No row is without a difference and has an interval that leaves zero out, nor the reverse."""
    before = a_set("a", rounds(number, seed=seed))
    after = a_set(
        "b", rounds(number, seed=seed + 1, name="b", factors=dict.fromkeys(PHASES, factor))
    )

    for one in compare(before, after, claimed=[CLAIM]).metrics:
        assert one.interval_ns is not None
        assert one.change_ns is not None
        low, high = one.interval_ns
        moved = one.also_moved or one.verdict in {Verdict.FASTER, Verdict.SLOWER}
        if not low <= 0 <= high:
            assert moved or abs(one.change_ns) <= one.resolution_ns
        else:
            assert not moved
        if moved:
            assert (one.change_ns < 0) == (high < 0)
