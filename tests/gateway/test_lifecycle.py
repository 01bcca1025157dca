"""What an engine's life remembers: counts, wishes, clocks, reasons. What follows is the table's."""

from dataclasses import replace

import pytest

from firstlight.core.units import NS_PER_S
from firstlight.gateway.happenings import (
    Came,
    DrainWanted,
    Ended,
    Happening,
    Left,
    Seen,
    Sight,
    SleepRefused,
    SleepWanted,
    Slept,
    Ticked,
    Verified,
    WakeWanted,
    Woke,
)
from firstlight.gateway.lifecycle import Lifecycle, State, step
from firstlight.gateway.orders import Hold, Order, Pass, PutToSleep, Refuse, ReleaseAll, WakeUp, Why
from firstlight.gateway.policy import Policy

AWAKE = Lifecycle(state=State.AWAKE)
POLICY = Policy(idle_ns=600 * NS_PER_S, min_awake_ns=60 * NS_PER_S)


def lived(
    *happenings: Happening, start: Lifecycle = AWAKE, policy: Policy = POLICY, at_s: int = 1
) -> tuple[Lifecycle, list[Order]]:
    """All of them one after another, at one moment; what is known then, and all orders."""
    now = start
    all_orders: list[Order] = []
    for happening in happenings:
        now, orders = step(now, happening, policy, at_s * NS_PER_S)
        all_orders += orders
    return now, all_orders


def test_an_idle_return_is_one_sleep_and_one_wake_up_for_all() -> None:
    """Held in the order they came, released together once tokens were seen."""
    asleep, slept = lived(SleepWanted(), Slept())
    now, orders = lived(Came(), Came(), Woke(), Came(), Verified(), start=asleep)

    assert [PutToSleep()] == slept
    assert [Hold(), WakeUp(), Hold(), Hold(), ReleaseAll()] == [
        order for order in orders if type(order).__name__ != "Verify"
    ]
    assert (State.AWAKE, 3, 0, 1, 1) == (
        now.state,
        now.in_flight,
        now.waiting,
        now.sleeps,
        now.wakes,
    )


def test_an_idle_engine_sleeps_and_one_with_a_long_request_does_not() -> None:
    """The idle clock runs from the end of the last request."""
    busy, _ = lived(Came(), start=AWAKE, at_s=1)
    still, none = lived(Ticked(), start=busy, at_s=10_000)
    ended, _ = lived(Ended(), start=still, at_s=10_001)

    assert [] == none
    assert State.AWAKE is lived(Ticked(), start=ended, at_s=10_600)[0].state
    assert State.FALLING_ASLEEP is lived(Ticked(), start=ended, at_s=10_601)[0].state


@pytest.mark.parametrize("sight", list(Sight))
def test_a_look_does_not_touch_the_idle_clock(sight: Sight) -> None:
    """Else the gateway's own looks would keep the engine awake for ever."""
    for state in set(State) - {State.STARTING}:
        was = replace(AWAKE, state=state, last_demand_ns=7)

        assert 7 == lived(Seen(sight=sight, begun_ns=NS_PER_S), start=was)[0].last_demand_ns


def test_it_stays_awake_for_a_while_after_a_wake_up() -> None:
    """However short the idle time: or it would flap."""
    hasty = Policy(idle_ns=0, min_awake_ns=60 * NS_PER_S)
    woken, _ = lived(Verified(), start=replace(AWAKE, state=State.UNVERIFIED), policy=hasty)

    assert State.AWAKE is lived(Ticked(), start=woken, policy=hasty, at_s=60)[0].state
    assert State.FALLING_ASLEEP is lived(Ticked(), start=woken, policy=hasty, at_s=61)[0].state


def test_one_that_shall_never_sleep_by_itself_does_so_when_told() -> None:
    """No idle time is none."""
    never = Policy(idle_ns=None)

    assert State.AWAKE is lived(Ticked(), policy=never, at_s=10**6)[0].state
    assert State.FALLING_ASLEEP is lived(SleepWanted(), policy=never)[0].state


def test_what_waits_is_bounded_in_number_and_in_bytes() -> None:
    """And who is turned away still wakes it."""
    small = Policy(most_waiting=2, most_waiting_bytes=100)
    asleep = Lifecycle(state=State.ASLEEP)
    full, large = [Refuse(why=Why.FULL)], Came(body_bytes=101)

    assert full == lived(Came(), Came(), Came(), start=asleep, policy=small)[1][3:]
    assert [*full, WakeUp()] == lived(large, start=asleep, policy=small)[1]
    now, orders = lived(Came(body_bytes=100), Came(body_bytes=1), start=asleep, policy=small)
    assert (full, 1, 100) == (orders[2:], now.waiting, now.waiting_bytes)
    assert 0 == lived(Left(body_bytes=100), start=now, policy=small)[0].waiting_bytes


def test_a_wish_to_sleep_waits_for_the_requests_and_is_granted_once() -> None:
    """Granted, it is forgotten: a sleep that fails is not tried again at once."""
    now, orders = lived(Came(), SleepWanted(), Came(), Ended(), Ended())
    woken, again = lived(Slept(problem="no room"), Verified(), Ticked(), start=now)

    assert [Pass(), Pass(), PutToSleep()] == orders
    assert (State.AWAKE, False) == (woken.state, woken.sleep_wanted)
    assert PutToSleep() not in again


def test_a_wish_to_sleep_while_it_wakes_is_kept() -> None:
    """Whoever waits is served first."""
    now, _ = lived(Came(), SleepWanted(), Woke(), Verified(), start=Lifecycle(state=State.ASLEEP))
    then, orders = lived(Ended(), start=now)

    assert (State.AWAKE, 1) == (now.state, now.in_flight)
    assert (State.FALLING_ASLEEP, [PutToSleep()]) == (then.state, orders)


@pytest.mark.parametrize("taken_back", [WakeWanted(), SleepRefused(why="it leaks"), DrainWanted()])
def test_a_wish_to_sleep_is_taken_back(taken_back: Happening) -> None:
    """Before the last request ended."""
    now, orders = lived(Came(), SleepWanted(), taken_back, Ended(), Ticked())

    assert (State.AWAKE, [Pass()], False) == (now.state, orders, now.sleep_wanted)


def test_a_wish_to_sleep_is_done_with_when_it_sleeps_or_cannot() -> None:
    """Whoever put it to sleep; and a wish from while it failed to is no second attempt."""
    look = Seen(sight=Sight.ASLEEP, begun_ns=NS_PER_S)

    assert not lived(look, start=replace(AWAKE, sleep_wanted=True))[0].sleep_wanted
    assert not lived(SleepWanted(), SleepWanted(), Slept())[0].sleep_wanted
    assert not lived(SleepWanted(), SleepWanted(), Slept(problem="no room"))[0].sleep_wanted


def test_a_wish_to_sleep_that_was_turned_round_is_granted_all_the_same() -> None:
    """It slept once, for a moment; it is not put to sleep again for that wish."""
    now, _ = lived(SleepWanted(), Came(), Slept(), Woke(), Verified(), Ended(), Ticked())

    assert (State.AWAKE, 1) == (now.state, now.sleeps)


def test_a_wish_to_wake_turns_it_round_with_nobody_waiting() -> None:
    """As soon as it sleeps."""
    now, orders = lived(SleepWanted(), WakeWanted(), Slept())

    assert (State.WAKING, [PutToSleep(), WakeUp()]) == (now.state, orders)


@pytest.mark.parametrize(
    ("state", "happening"),
    [
        (State.AWAKE, Came()),
        (State.AWAKE, WakeWanted()),
        (State.WAKING, Came()),
        (State.UNVERIFIED, Verified()),
        (State.STARTING, Seen(sight=Sight.AWAKE, begun_ns=500 * NS_PER_S)),
    ],
)
def test_the_idle_clock_begins_anew(state: State, happening: Happening) -> None:
    """With each request, and whenever it came to be awake."""
    now, _ = lived(happening, start=replace(AWAKE, state=state), at_s=500)

    assert 500 * NS_PER_S == now.last_demand_ns


def test_an_engine_that_died_is_said_in_its_words() -> None:
    """Or in ours, where there are none."""
    dead = Seen(sight=Sight.DEAD, begun_ns=NS_PER_S)

    assert "dead" == lived(dead)[0].failure
    assert "/health answered 503" == lived(replace(dead, words="/health answered 503"))[0].failure


def test_who_came_while_it_fell_asleep_wakes_it_even_when_gone() -> None:
    """It asks again in a moment."""
    now, orders = lived(SleepWanted(), Came(body_bytes=5), Left(body_bytes=5), Slept())

    assert [PutToSleep(), Hold(), WakeUp()] == orders
    assert (State.WAKING, 0, 0) == (now.state, now.waiting, now.waiting_bytes)


def test_a_drain_takes_back_a_wake_up_that_nobody_waits_for() -> None:
    """And lets one happen that somebody waits for."""
    falling, _ = lived(SleepWanted())

    assert State.ASLEEP is lived(WakeWanted(), DrainWanted(), Slept(), start=falling)[0].state
    now, orders = lived(Came(), DrainWanted(), Slept(), Woke(), Verified(), start=falling)
    assert ReleaseAll() in orders
    assert not now.is_drained
    assert lived(Ended(), start=now)[0].is_drained


def test_sleeps_that_fail_one_after_another_are_given_up() -> None:
    """With a reason; a new process may try again."""
    now = AWAKE
    for _ in range(3):
        now, _ = lived(SleepWanted(), Slept(problem="no room"), Verified(), start=now)

    assert "3 sleeps failed one after another: no room" == now.no_sleep
    assert State.AWAKE is lived(SleepWanted(), Ticked(), start=now, at_s=10**6)[0].state
    anew, _ = lived(
        Seen(sight=Sight.ABSENT, begun_ns=NS_PER_S), Seen(sight=Sight.AWAKE, begun_ns=NS_PER_S),
        SleepWanted(), start=now,
    )  # fmt: skip
    assert (State.FALLING_ASLEEP, None, 0) == (anew.state, anew.no_sleep, anew.failed_sleeps)


def test_a_sleep_that_works_forgets_those_that_failed() -> None:
    """Three in a row count, not three in a year."""
    now, _ = lived(SleepWanted(), Slept(), start=replace(AWAKE, failed_sleeps=2))

    assert 0 == now.failed_sleeps


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.FALLING_ASLEEP, "it did not come to fall asleep in time"),
        (State.WAKING, "it did not come to wake up in time"),
        (State.UNVERIFIED, "it did not come to answer after the wake-up in time"),
    ],
)
def test_what_hangs_is_said(state: State, words: str) -> None:
    """To whoever reads why the engine was started anew."""
    now, _ = lived(Ticked(), start=replace(AWAKE, state=state), at_s=1_000)

    assert (State.FAILED, words) == (now.state, now.failure)


def test_an_engine_that_was_silent_comes_back() -> None:
    """With the requests that it went on with, and only after it gave tokens."""
    silent, dropped = lived(Came(), Seen(sight=Sight.SILENT, begun_ns=NS_PER_S, words="no answer"))
    back, _ = lived(Seen(sight=Sight.AWAKE, begun_ns=2 * NS_PER_S), start=silent, at_s=2)
    well, _ = lived(Verified(), start=back, at_s=3)

    assert "AbandonAll" not in {type(order).__name__ for order in dropped}
    assert ("no answer", True) == (silent.failure, silent.recovers)
    assert (State.UNVERIFIED, None, False) == (back.state, back.failure, back.recovers)
    assert (State.AWAKE, 1) == (well.state, well.in_flight)
