"""The whole answer: what is compared, what is refused, what it hangs on, what it says."""

from dataclasses import replace

import pytest

from firstlight.breakeven.answer import USUAL_WINDOW_S, Question
from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.sample import Sample, TooFew
from firstlight.breakeven.sentences import sentences
from firstlight.breakeven.trace import trace
from firstlight.core.errors import NothingFound
from tests.breakeven.givens import ALL, COLD, WAKE, WARM, answered, law, prices, question, stated


def said(one: Question) -> str:
    return "\n".join(sentences(one, answered(one)))


def test_the_cheapest_is_named_with_its_lead_over_each_other() -> None:
    """Few users and a cheap second: nothing is worth keeping."""
    found = answered(question())
    totals = {one.choice: one.total for one in found.priced}

    assert Choice.ZERO is found.cheapest.choice
    assert min(totals.values()) == found.cheapest.total
    assert set(Choice) - {Choice.ZERO} == found.intervals.keys()
    assert all(one is not None and one.low > 0 for one in found.intervals.values())


def test_a_node_that_no_window_pays_for_is_no_rival() -> None:
    """Its best is to scale to zero; a window that somebody asks for is held against it."""
    searched, asked = answered(question()), answered(question(retention_s=600))

    assert USUAL_WINDOW_S == asked.rule.retention_s == searched.rule.retention_s
    assert "no retention window pays" in said(question())
    assert Choice.AWAKE is searched.rival.choice
    assert Choice.KEEP is asked.rival.choice
    # All the same it has its price, and its distance to the cheapest.
    assert searched.intervals[Choice.KEEP] == asked.intervals[Choice.KEEP]


def test_cold_and_warm_starts_of_two_kinds_price_no_kept_node() -> None:
    """What differs is said; the rest is compared."""
    apart = replace(question(), apart="engine version (0.10.0 and 0.11.0)")

    found = answered(apart)

    assert [Choice.AWAKE, Choice.SLEEP, Choice.ZERO] == [one.choice for one in found.priced]
    assert {
        Choice.KEEP: "needs cold and warm starts of one kind: they differ in engine version "
        "(0.10.0 and 0.11.0)"
    } == found.not_priced
    assert None is found.break_even
    assert {Scenario.COLD, Scenario.WAKE} == found.samples.keys()


def test_dear_waiting_keeps_the_engine_awake() -> None:
    """Sleep is no rival then: it costs the same and lets users wait."""
    found = answered(question(priced_by=prices(penalty_per_s=1)))

    assert Choice.AWAKE is found.cheapest.choice
    assert Choice.KEEP is found.rival.choice
    assert "wake" not in {one.name for one in found.sensitivity}


def test_sleep_wins_where_another_engine_pays_for_the_memory() -> None:
    """Nine tenths of the node."""
    one = question(priced_by=prices(penalty_per_s=0.01, worth=0.9))
    found = answered(one)

    assert Choice.SLEEP is found.cheapest.choice
    assert "worth of the freed memory" in {varied.name for varied in found.sensitivity}
    assert "sleep is cheaper than staying awake only by what another engine pays" in said(one)


def test_a_choice_with_too_few_rounds_is_not_priced() -> None:
    """The number needed and the number there are named; the others are compared."""
    few = Sample(seconds=WARM.seconds[:3], measured=True)
    found = answered(question(given={Scenario.COLD: COLD, Scenario.WARM: few}))

    assert [Choice.AWAKE, Choice.ZERO] == [one.choice for one in found.priced]
    assert {
        Choice.SLEEP: "needs 4 wakes and has 0; or state --wake-s",
        Choice.KEEP: "needs 4 warm starts and has 3; or state --warm-s",
    } == found.not_priced
    assert None is found.curve
    assert None is found.break_even


def test_nothing_is_computed_from_too_few_rounds_alone() -> None:
    """The refusal says what each choice needs, and why what was given does not count."""
    one = question(given={Scenario.COLD: Sample(seconds=(226.0,), measured=True)})
    left_out = {Scenario.WAKE: TooFew(has=0, why="2 were given: they differ in image (a and b)")}

    with pytest.raises(NothingFound) as refused:
        answered(
            Question(
                arrivals=one.arrivals,
                idle_s=one.idle_s,
                request_s=0,
                retention_s=None,
                prices=one.prices,
                given=one.given,
                left_out=left_out,
            )
        )

    assert (
        "nothing can be compared with staying awake: sleep needs 4 wakes and has 0 (2 were given: "
        "they differ in image (a and b)); keep the node needs 4 cold starts and has 1, and 4 warm "
        "starts and has 0; scale to zero needs 4 cold starts and has 1"
    ) == refused.value.message


def test_one_stated_number_is_priced_and_gives_no_interval() -> None:
    """And says that it was stated."""
    one = question(given={Scenario.COLD: stated(226.0), Scenario.WARM: WARM})

    found = answered(one)

    assert None is found.intervals[Choice.KEEP]
    assert "one number was stated for cold, not measured" in said(one)


def test_starts_that_cannot_tell_two_choices_apart_are_said() -> None:
    """Cold starts that spread so wide that zero may cost more or less than staying awake."""
    wide = Sample(seconds=(60.0, 100.0, 900.0, 1500.0), measured=True)
    one = question(given={Scenario.COLD: wide}, priced_by=prices(penalty_per_s=0.003))

    between = answered(one).intervals

    assert [False] == [i.excludes_zero for i in between.values() if i is not None]
    assert "cannot be told apart" in said(one)


def test_without_a_window_the_best_is_priced() -> None:
    """And the given one where there is one, beside the same curve."""
    night = trace([day * 86_400 + 900.0 * k for day in range(30) for k in range(30)])
    dear = prices(penalty_per_s=0.02)

    asked = question(night, priced_by=dear)
    best = answered(asked)
    given = answered(question(night, priced_by=dear, retention_s=100))

    assert best.curve is not None
    assert best.curve.best.window_s == best.rule.retention_s
    assert 600 > best.rule.retention_s > 400
    assert 100 == given.rule.retention_s
    assert given.curve == best.curve
    assert "the best retention window is 7." in "\n".join(sentences(asked, best))


def test_the_input_that_flips_the_choice_comes_first() -> None:
    """Then the one that moves the lead most; each changed alone by a fifth."""
    paid = prices(penalty_per_s=0.0024)
    close = answered(question(law(6), priced_by=paid, retention_s=600))

    first, *others = close.sensitivity
    assert first.flips
    assert not any(a.flips < b.flips for a, b in zip([first, *others], others, strict=False))
    moved = [one.moved for one in others if not one.flips]
    assert sorted(moved, reverse=True) == moved
    names = {one.name for one in close.sensitivity}
    assert {"price of the node", "penalty for waiting", "number of requests"} < names
    assert {"idle time", "retention window", "cold start", "warm start"} < names


def test_the_window_is_searched_again_for_each_input() -> None:
    """Varied, each choice costs what it costs when asked for so; the window is then no input."""
    night = trace([day * 86_400 + 900.0 * k for day in range(30) for k in range(10)])
    dear = prices(penalty_per_s=0.02)
    found = answered(question(night, priced_by=dear))

    assert Choice.KEEP is found.cheapest.choice
    assert "retention window" not in {one.name for one in found.sensitivity}
    (idle,) = (one for one in found.sensitivity if one.name == "idle time")
    for lead, factor in zip(idle.leads, (0.8, 1.2), strict=True):
        asked = answered(question(night, priced_by=dear, idle_s=300 * factor))
        totals = {one.choice: one.total for one in asked.priced}
        assert asked.rule.retention_s != found.rule.retention_s
        assert totals[found.rival.choice] - totals[Choice.KEEP] == pytest.approx(lead)


def test_keeping_for_good_is_said_to_be_staying_awake_with_waits() -> None:
    """At one rate, where each hit is worth more than the node."""
    one = question(law(6), priced_by=prices(penalty_per_s=0.02))

    assert "here for good; and then staying awake costs the same and nobody waits" in said(one)


def test_the_price_of_the_node_moves_the_lead_by_its_share() -> None:
    """Zero against awake with nobody's waiting counted: a fifth less price, a fifth less lead."""
    found = answered(question(given={Scenario.COLD: COLD}, priced_by=prices(penalty_per_s=0)))
    lead = found.rival.total - found.cheapest.total

    (price,) = (one for one in found.sensitivity if one.name == "price of the node")
    assert [0.8 * lead, 1.2 * lead] == pytest.approx(list(price.leads))
    assert "penalty for waiting" == found.sensitivity[-1].name
    assert 0 == found.sensitivity[-1].moved


def test_what_is_true_of_all_numbers_is_always_said() -> None:
    """That a sleeper pays for its GPU, and what a pool is for."""
    text = said(question())

    assert "sleep costs what staying awake costs, and its users wait besides" in text
    assert "with one replica a warm pool is dominated" in text
    assert "costs 86.40 a day" in text
    assert "a warm start of 133.0 s; it pays only for scale-out" in text


def test_a_short_trace_says_how_little_it_carries() -> None:
    """Few returns, and less than a day."""
    one = question(trace([0.0, 700, 1500, 4000, 4600, 9000]))

    assert "the trace holds 5 returns to an engine that is down: too few" in said(one)
    assert "the trace is 2.5 h long: a day is taken to be all like it" in said(one)
    assert "the trace" not in said(question(law(2)))


def test_the_same_seed_gives_the_same_answer() -> None:
    """Whole."""
    one, same = (answered(question(), seed=3) for _ in range(2))

    assert one.intervals == same.intervals
    assert [p.total for p in one.priced] == [p.total for p in same.priced]
    assert answered(question(), seed=4).intervals != one.intervals


def test_an_engine_that_is_never_down_costs_the_same_whatever_is_chosen() -> None:
    """Nobody returns, so nothing is kept, nobody waits and no break-even exists."""
    found = answered(question(law(400_000), given=ALL))

    assert {86.4} == {round(one.total, 9) for one in found.priced}
    assert None is found.break_even
    assert Choice.AWAKE is found.cheapest.choice
    assert WAKE.mean_s < 1


def test_whether_keeping_pays_is_said_in_a_sentence() -> None:
    """At the hit rate that there is, against the one where both cost the same."""
    dear = prices(node_per_hour=100)

    pays = said(question(law(20), priced_by=prices(penalty_per_s=1), retention_s=600))
    does_not = said(question(law(2), priced_by=dear, retention_s=600))

    assert "keeping the node for 10.0 min pays against scaling to zero: " in pays
    assert ", more than the " in pays
    assert "keeping the node for 10.0 min does not pay against scaling to zero: " in does_not
    assert ", less than the " in does_not


def test_the_best_window_of_a_draw_is_about_right() -> None:
    """Another draw has another."""
    times = [k * 750.0 + 40 * (k % 7) for k in range(60)]
    one = question(trace(times), priced_by=prices(penalty_per_s=0.05))

    assert "the best retention window is about" not in said(one)
    drawn = said(replace(one, drawn=True))
    assert "the best retention window is about " in drawn
    assert "it is the best of one draw, and another --seed has another" in drawn


def test_starts_that_are_known_no_better_than_their_spread_are_said() -> None:
    """The interval has a width, and four starts of one scenario claim 87.5 %."""
    cold = Sample(seconds=(226.0,) * 4, measured=True, uncertainty_s=10.0)
    one = question(given={Scenario.COLD: cold})

    found = answered(one).intervals
    (between,) = found.values()

    assert between is not None
    assert between.low < between.high
    assert 0.875 == between.confidence
    assert "the cold starts differ by less than each of them is known" in said(one)


def test_equal_numbers_are_said_to_say_nothing_of_their_spread() -> None:
    """And have no interval."""
    one = question(given={Scenario.COLD: stated(226.0, 226.0, 226.0, 226.0)})

    assert [None] == [*answered(one).intervals.values()]
    assert "the numbers of cold are all equal" in said(one)
