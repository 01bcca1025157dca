"""
The life of an engine behind a gateway, as one value and one function.

A happening goes in, the next value and the orders that follow come out. Nothing here waits, calls
or looks at a clock, so each line of the table in DESIGN.md is a test, and whatever order things
happen in can be tried.

What it never does: it gives no order to sleep while a request is with the engine; it passes no
request to an engine that is not known to be awake and to answer as before; it keeps nobody
waiting for an engine that failed; it gives one order to wake up, however many wait.
"""

from dataclasses import replace

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
    TurnedBack,
    Verified,
    WakeWanted,
    Woke,
)
from firstlight.gateway.lost import failed, gone
from firstlight.gateway.orders import (
    AbandonAll,
    Hold,
    Order,
    Pass,
    PutToSleep,
    Refuse,
    ReleaseAll,
    Verify,
    WakeUp,
    Why,
)
from firstlight.gateway.policy import Policy
from firstlight.gateway.states import BUSY, Lifecycle, Next, State

__all__ = ["Lifecycle", "State", "step"]

_WHAT = {
    State.FALLING_ASLEEP: "to fall asleep",
    State.WAKING: "to wake up",
    State.UNVERIFIED: "to answer after the wake-up",
}


def step(now: Lifecycle, happening: Happening, policy: Policy, at_ns: int) -> Next:
    """
    What follows from what happened.

    Args:
        now: what is known so far.
        happening: one thing.
        policy: of whoever runs this.
        at_ns: when, on a monotonic clock.
    """
    match happening:
        case Came():
            return _came(now, happening, policy, at_ns)
        case Ended():
            return _ended(now, policy, at_ns)
        case Left(body_bytes=size):
            return _left(now, size), ()
        case Seen():
            return _seen(now, happening, at_ns)
        case Slept():
            return _slept(now, happening, policy, at_ns)
        case TurnedBack():
            return _awake(now, at_ns) if now.state is State.FALLING_ASLEEP else (now, ())
        case Woke(problem=problem):
            return _woke(now, problem, at_ns)
        case Verified(problem=problem):
            return _verified(now, problem, at_ns)
        case SleepWanted():
            return _sleep_wanted(now, policy, at_ns)
        case WakeWanted():
            return _wake_wanted(now, at_ns)
        case SleepRefused(why=why):
            return replace(now, no_sleep=why, sleep_wanted=False), ()
        case DrainWanted():
            return replace(now, draining=True, sleep_wanted=False, wake_wanted=False), ()
        case Ticked():
            return _ticked(now, happening.stood_still_ns, policy, at_ns)


def _came(now: Lifecycle, came: Came, policy: Policy, at_ns: int) -> Next:
    if now.draining:
        return now, (Refuse(why=Why.DRAINING),)
    now = replace(now, last_demand_ns=at_ns)
    match now.state:
        case State.AWAKE:
            return replace(now, in_flight=now.in_flight + 1), (Pass(),)
        case State.STARTING:
            return now, (Refuse(why=Why.STARTING),)
        case State.FAILED:
            return now, (Refuse(why=Why.FAILED),)
    kept_bytes = now.waiting_bytes + came.body_bytes
    if now.waiting >= policy.most_waiting or kept_bytes > policy.most_waiting_bytes:
        # Turned away, it still shows that somebody wants the engine.
        return _demanded(now, Refuse(why=Why.FULL), at_ns)
    now = replace(now, waiting=now.waiting + 1, waiting_bytes=kept_bytes)
    return _demanded(now, Hold(), at_ns)


def _demanded(now: Lifecycle, verdict: Order, at_ns: int) -> Next:
    if now.state is State.FALLING_ASLEEP:
        return replace(now, wake_wanted=True), (verdict,)
    if now.state is State.ASLEEP:
        return now.enters(State.WAKING, at_ns), (verdict, WakeUp())
    return now, (verdict,)


def _ended(now: Lifecycle, policy: Policy, at_ns: int) -> Next:
    if not now.in_flight:
        # One too many would keep the engine from sleeping, or let it sleep under a request.
        return now, ()
    ended = replace(now, in_flight=now.in_flight - 1, last_demand_ns=at_ns)
    return _perhaps_sleep(ended, policy, at_ns)


def _left(now: Lifecycle, size: int) -> Lifecycle:
    if not now.waiting:
        return now
    return replace(now, waiting=now.waiting - 1, waiting_bytes=now.waiting_bytes - size)


def _seen(now: Lifecycle, seen: Seen, at_ns: int) -> Next:
    if seen.begun_ns < now.since_ns:
        return now, ()
    match seen.sight:
        case Sight.ABSENT:
            return (now, ()) if now.state is State.STARTING else gone(now, at_ns)
        case Sight.DEAD:
            if now.state is State.STARTING or (now.state is State.FAILED and not now.recovers):
                return now, ()
            return failed(now, seen.words or seen.sight.value, at_ns)
        case Sight.SILENT:
            if now.state not in {State.AWAKE, State.ASLEEP}:
                # One that starts answers late. One that falls asleep or wakes may answer nobody
                # before it is done, and has a bound of its own.
                return now, ()
            return failed(now, seen.words or seen.sight.value, at_ns, recovers=True)
        case Sight.AWAKE:
            return _seen_awake(now, at_ns)
        case Sight.ASLEEP:
            return _seen_asleep(now, at_ns)


def _seen_awake(now: Lifecycle, at_ns: int) -> Next:
    match now.state:
        case State.STARTING:
            # What it says is not known yet, so there is nothing to hold it against.
            return replace(now, last_demand_ns=at_ns).enters(State.AWAKE, at_ns), ()
        case State.ASLEEP:
            # Somebody else woke it.
            return now.enters(State.UNVERIFIED, at_ns), (Verify(),)
        case State.FAILED if now.recovers:
            now = replace(now, failure=None, recovers=False)
            return now.enters(State.UNVERIFIED, at_ns), (Verify(),)
    return now, ()


def _seen_asleep(now: Lifecycle, at_ns: int) -> Next:
    recovered = now.state is State.FAILED and now.recovers
    if now.state not in {State.STARTING, State.AWAKE} and not recovered:
        return now, ()
    # Another than we put it to sleep; or we did, and were started anew since.
    now = replace(now, failure=None, recovers=False)
    if now.in_flight:
        return now.enters(State.WAKING, at_ns), (WakeUp(),)
    return replace(now, sleep_wanted=False).enters(State.ASLEEP, at_ns), ()


def _slept(now: Lifecycle, slept: Slept, policy: Policy, at_ns: int) -> Next:
    if now.state is not State.FALLING_ASLEEP:
        return now, ()
    if slept.problem is None:
        now = replace(now, sleeps=now.sleeps + 1, failed_sleeps=0)
        if now.waiting or now.wake_wanted:
            return now.enters(State.WAKING, at_ns), (WakeUp(),)
        return replace(now, sleep_wanted=False).enters(State.ASLEEP, at_ns), ()
    tries = now.failed_sleeps + 1
    now = replace(now, failed_sleeps=tries, sleep_wanted=False)
    if tries >= policy.most_failed_sleeps:
        why = f"{tries} sleeps failed one after another: {slept.problem}"
        now = replace(now, no_sleep=now.no_sleep or why)
    if slept.still_asleep:
        # Who failed to fall asleep may say that it sleeps, and then keeps every request.
        return now.enters(State.WAKING, at_ns), (WakeUp(),)
    return now.enters(State.UNVERIFIED, at_ns), (Verify(),)


def _woke(now: Lifecycle, problem: str | None, at_ns: int) -> Next:
    if now.state is not State.WAKING:
        return now, ()
    if problem is not None:
        return failed(now, f"the wake-up failed: {problem}", at_ns)
    now = replace(now, wakes=now.wakes + 1)
    return now.enters(State.UNVERIFIED, at_ns), (Verify(),)


def _verified(now: Lifecycle, problem: str | None, at_ns: int) -> Next:
    if now.state is not State.UNVERIFIED:
        return now, ()
    if problem is not None:
        return failed(now, problem, at_ns)
    return _awake(now, at_ns)


def _awake(now: Lifecycle, at_ns: int) -> Next:
    released = replace(
        now,
        in_flight=now.in_flight + now.waiting,
        waiting=0,
        waiting_bytes=0,
        wake_wanted=False,
        last_demand_ns=at_ns,
    )
    orders = (ReleaseAll(),) if now.waiting else ()
    return released.enters(State.AWAKE, at_ns), orders


def _sleep_wanted(now: Lifecycle, policy: Policy, at_ns: int) -> Next:
    if now.no_sleep is not None or now.draining or now.state not in {State.AWAKE, *BUSY}:
        return now, ()
    # Where it is on its way to be awake, for whoever waits, the wish is kept until then.
    return _perhaps_sleep(replace(now, sleep_wanted=True), policy, at_ns)


def _wake_wanted(now: Lifecycle, at_ns: int) -> Next:
    if now.draining:
        return now, ()
    now = replace(now, sleep_wanted=False, last_demand_ns=at_ns)
    if now.state is State.FALLING_ASLEEP:
        return replace(now, wake_wanted=True), ()
    if now.state is State.ASLEEP:
        return now.enters(State.WAKING, at_ns), (WakeUp(),)
    return now, ()


def _ticked(now: Lifecycle, stood_still_ns: int, policy: Policy, at_ns: int) -> Next:
    within_ns = {
        State.FALLING_ASLEEP: policy.sleep_within_ns,
        State.WAKING: policy.wake_within_ns,
        State.UNVERIFIED: policy.verify_within_ns,
    }.get(now.state)
    if within_ns is not None:
        # What ended meanwhile could not be told. Nothing can have begun later than now.
        now = replace(now, since_ns=min(at_ns, now.since_ns + stood_still_ns))
        if at_ns - now.since_ns <= within_ns:
            return now, ()
        return failed(now, f"it did not come {_WHAT[now.state]} in time", at_ns)
    if now.state in {State.FAILED, State.STARTING} and now.in_flight:
        is_gone = now.state is State.STARTING
        bound_ns = policy.gone_within_ns if is_gone else policy.silent_within_ns
        # Said again until nobody is left: who was let in just before may have escaped the first.
        return now, (AbandonAll(),) if at_ns - now.since_ns > bound_ns else ()
    return _perhaps_sleep(now, policy, at_ns)


def _perhaps_sleep(now: Lifecycle, policy: Policy, at_ns: int) -> Next:
    idle = (
        policy.idle_ns is not None
        and at_ns - now.last_demand_ns >= policy.idle_ns
        and at_ns - now.since_ns >= policy.min_awake_ns
    )
    if (
        now.state is not State.AWAKE
        or now.in_flight
        or now.draining
        or now.no_sleep is not None
        or not (idle or now.sleep_wanted)
    ):
        return now, ()
    now = replace(now, sleep_wanted=False)
    return now.enters(State.FALLING_ASLEEP, at_ns), (PutToSleep(),)
