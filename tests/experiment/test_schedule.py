"""Fills first and apart, then neighbours in turn."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.experiment.estimate import estimate
from firstlight.experiment.ledger import ChangedEntry, Ledger, PlanEntry, RoundEntry, StoppedEntry
from firstlight.experiment.next_slot import Exhausted, Next, next_slot
from firstlight.experiment.schedule import Slot, schedule
from tests.experiment.plans import CACHE, PLACEBO, STREAM, worked_out

BEGUN = PlanEntry(
    schema="firstlight.ledger/1", digest="d", name="n", substrate="process", began_ns=1
)
S = 1_000_000_000


WHOLE = worked_out()


def slots(**changed: Any) -> tuple[Slot, ...]:
    plan, steps = WHOLE if "steps" not in changed else worked_out(steps=changed.pop("steps"))
    return schedule(replace(plan, **changed), steps)


def done(slot: str, *, ready: bool = True, attempt: int = 1, took_s: int = 1) -> RoundEntry:
    return RoundEntry(
        slot=slot,
        attempt=attempt,
        folder=f"rounds/{slot}-{attempt}",
        outcome="ready" if ready else "failed",
        cause=None if ready else "it died",
        begun_ns=0,
        ended_ns=took_s * S,
    )


def ledger(*entries: RoundEntry | StoppedEntry | ChangedEntry) -> Ledger:
    return Ledger(plan=BEGUN, entries=entries)


def test_neighbours_take_turns_forwards_and_backwards() -> None:
    """After the fills of all steps."""
    assert [
        "warm/0/fill",
        "warm/1/fill",
        "warm/2/fill",
        "warm/0/1",
        "warm/1/1",
        "warm/2/1",
        "warm/2/2",
        "warm/1/2",
        "warm/0/2",
        "warm/0/3",
        "warm/1/3",
        "warm/2/3",
    ] == [slot.id for slot in slots(steps=[STREAM, CACHE], rounds=3)]


def test_a_cold_round_fills_for_itself() -> None:
    """So there are no fills, and the node is emptied each time."""
    found = slots(steps=[STREAM], rounds=2, scenarios=["cold"])

    assert ["cold/0/1", "cold/1/1", "cold/1/2", "cold/0/2"] == [slot.id for slot in found]
    assert all(slot.empties_node for slot in found)


def test_a_warm_node_is_emptied_before_its_fill_alone() -> None:
    """What the fill wrote is there for the rounds after it."""
    found = slots(rounds=2)

    assert {"fill"} == {slot.id.rpartition("/")[2] for slot in found if slot.empties_node}


@settings(max_examples=30)
@given(st.integers(1, 5), st.sets(st.sampled_from(["cold", "warm"]), min_size=1), st.data())
def test_what_is_run_until_nothing_is_left_is_the_schedule(
    rounds: int, scenarios: set[str], data: st.DataObject
) -> None:
    """In its order, each once, whatever was cut off and resumed on the way."""
    wanted = slots(rounds=rounds, scenarios=sorted(scenarios))
    kills = data.draw(st.sets(st.integers(1, len(wanted))))
    known = ledger()
    order: list[str] = []
    while isinstance(upcoming := next_slot(wanted, known, attempts=2), Next):
        if upcoming.place in kills:  # nothing was written down
            kills.discard(upcoming.place)
            continue
        order.append(upcoming.slot.id)
        known = ledger(*known.entries, done(upcoming.slot.id, attempt=upcoming.attempt))

    assert [slot.id for slot in wanted] == order


def test_a_round_that_failed_is_tried_again_and_then_the_plan_stops() -> None:
    """As often as the plan says."""
    wanted = slots(rounds=1)
    once = ledger(done("warm/0/fill", ready=False))
    twice = ledger(*once.entries, done("warm/0/fill", ready=False, attempt=2))

    again = next_slot(wanted, once, attempts=2)
    over = next_slot(wanted, twice, attempts=2)

    assert isinstance(again, Next)
    assert ("warm/0/fill", 2) == (again.slot.id, again.attempt)
    assert Exhausted(slot=wanted[0], attempts=2, cause="it died") == over


def test_whoever_resumes_has_its_tries_anew() -> None:
    """Something was put right; the number of the try goes on."""
    failed = [done("warm/0/fill", ready=False, attempt=number) for number in (1, 2)]
    stopped = StoppedEntry(slot="warm/0/fill", why="it died", at_ns=1)

    upcoming = next_slot(slots(), ledger(*failed, stopped), attempts=2)

    assert isinstance(upcoming, Next)
    assert 3 == upcoming.attempt


def test_hours_and_cost_are_told_before_anything_is_run() -> None:
    """From what the plan expects."""
    plan, steps = worked_out(expect_s=90, rounds=4, price={"per_hour": 2.0})

    left = estimate(plan, schedule(plan, steps))

    assert (20, 4, 1800.0, 1.0) == (left.rounds, left.fills, left.seconds, left.cost)


def test_nobody_knows_how_long_a_round_takes_that_was_never_run() -> None:
    """No number is made up."""
    plan, steps = worked_out()

    left = estimate(plan, schedule(plan, steps))

    assert (None, None) == (left.seconds, left.cost)
    assert "expect_s" in left.says


def test_what_was_run_says_it_better() -> None:
    """Each step by its own median, one that was not run by that of all."""
    plan, steps = worked_out(steps=[STREAM, CACHE], rounds=1, expect_s=1)
    wanted = schedule(plan, steps)
    rounds = [done("warm/0/fill", took_s=10), done("warm/1/fill", took_s=20)]

    left = estimate(plan, wanted, rounds)

    assert (4, 15 + 10 + 20 + 15) == (left.rounds, left.seconds)


def test_a_step_that_keeps_nothing_has_no_fill() -> None:
    """But the first, that reads what they all read; a plan may say otherwise."""
    own = {"change": "own", "process": {"environment": {"A": "1"}}}
    plan, steps = worked_out(steps=[PLACEBO, own], rounds=1)

    assert ["warm/0/fill", "warm/0/1", "warm/1/1", "warm/2/1"] == [
        slot.id for slot in schedule(plan, steps)
    ]
    assert 6 == len(schedule(replace(plan, fills="every"), steps))


@pytest.mark.parametrize(
    "words",
    [
        {"replaces_command": ["/other/vllm", "serve", "/mnt/m"]},
        {"wrapper": ["taskset", "1"]},
        {"arguments": {"--model": "/mnt/other"}},
    ],
)
def test_a_step_that_reads_other_files_has_a_fill(words: dict[str, Any]) -> None:
    """Its first round would find them on the disk, and the others in memory."""
    plan, steps = worked_out(steps=[{"change": "own", "process": words}], rounds=1)

    assert "warm/1/fill" in [slot.id for slot in schedule(plan, steps)]


def test_a_step_that_keeps_failing_can_be_left_for_the_end() -> None:
    """All that can be run without it is; then the plan stops for it."""
    wanted = slots(steps=[PLACEBO], rounds=2)
    known = ledger()
    order: list[str] = []
    while isinstance(upcoming := next_slot(wanted, known, attempts=2, skips=True), Next):
        order.append(upcoming.slot.id)
        entry = done(upcoming.slot.id, ready=upcoming.slot.step == 0, attempt=upcoming.attempt)
        known = ledger(*known.entries, entry)

    assert ["warm/0/fill", "warm/0/1", "warm/1/1", "warm/1/1", "warm/0/2"] == order
    assert isinstance(upcoming, Exhausted)
    assert "warm/1/1" == upcoming.slot.id
    stopped = StoppedEntry(slot="warm/1/1", why="it died", at_ns=1)
    again = next_slot(wanted, ledger(*known.entries, stopped), attempts=2, skips=True)
    assert isinstance(again, Next)
    assert ("warm/1/1", 3) == (again.slot.id, again.attempt)


def test_all_that_is_given_up_is_named() -> None:
    """Whoever comes back in the morning puts everything right at once."""
    other = {"change": "other", "process": {"environment": {"OTHER": "1"}}}
    wanted = slots(steps=[PLACEBO, other], rounds=1)
    known = ledger(done("warm/0/fill"), done("warm/0/1"))
    while isinstance(upcoming := next_slot(wanted, known, attempts=1, skips=True), Next):
        known = ledger(*known.entries, done(upcoming.slot.id, ready=False))

    assert isinstance(upcoming, Exhausted)
    assert ["warm/1/1", "warm/2/1"] == [one.slot.id for one in (upcoming, *upcoming.beside)]


def test_a_fill_is_not_expected_to_take_as_long_as_a_round() -> None:
    """Nor the other way: one compiles, the other finds what was compiled."""
    plan, steps = worked_out(steps=[CACHE], rounds=2)
    wanted = schedule(plan, steps)
    rounds = [
        done("warm/0/fill", took_s=90),
        done("warm/0/1", took_s=10),
        done("warm/1/fill", took_s=80),
    ]

    assert 3 * 10 == estimate(plan, wanted, rounds).seconds


@pytest.mark.parametrize(
    ("expect_s", "words"),
    [
        (1, "2 rounds to run, 1 of them fills, about 2 s (by the plan's 1 s a round)"),
        (600, "about 20 min"),
        (3600, "about 2.0 h"),
    ],
)
def test_what_is_left_is_said_in_a_sentence(expect_s: float, words: str) -> None:
    """In units that one can imagine."""
    plan, steps = worked_out(steps=[], rounds=1, expect_s=expect_s)
    wanted = schedule(plan, steps)

    assert words in estimate(plan, wanted).words
    assert "nothing is left to run" == estimate(plan, wanted, [done(s.id) for s in wanted]).words
