"""
An engine that is lost: it failed, or its process is not there.

Nobody waits for it any more, and nothing that was being called is waited for. The two differ in
what comes next. One that failed is there, so it must not be taken for well, whatever it says of
itself, until it is started anew; but one that was only silent may come back by itself. One that is
gone is followed by another, which may sleep and has not failed.
"""

from dataclasses import replace

from firstlight.gateway.orders import AbandonAll, GiveUp, RefuseAll, Why
from firstlight.gateway.states import Lifecycle, Next, State


def failed(now: Lifecycle, why: str, at_ns: int, *, recovers: bool = False) -> Next:
    """
    What follows when it failed.

    Args:
        now: what is known so far.
        why: for people.
        at_ns: when.
        recovers: whether it may come back without a new start; then it may also go on with the
            requests that are with it, so those are left there for now.
    """
    now, orders = _nobody_waits(now, Why.FAILED)
    now = replace(now, failure=why, recovers=recovers, sleep_wanted=False, wake_wanted=False)
    if now.in_flight and not recovers:
        orders = (*orders, AbandonAll())
    return now.enters(State.FAILED, at_ns), (GiveUp(), *orders)


def gone(now: Lifecycle, at_ns: int) -> Next:
    """
    What follows when its process is not there.

    Requests with it are not abandoned: an engine that ends in order closes its door first and
    answers those, and with one that was killed their connections are gone too.

    Args:
        now: what is known so far.
        at_ns: when.
    """
    now, orders = _nobody_waits(now, Why.STARTING)
    fresh = replace(
        now,
        failed_sleeps=0,
        no_sleep=None,
        failure=None,
        recovers=False,
        sleep_wanted=False,
        wake_wanted=False,
    )
    return fresh.enters(State.STARTING, at_ns), (GiveUp(), *orders)


def _nobody_waits(now: Lifecycle, why: Why) -> Next:
    if not now.waiting:
        return now, ()
    return replace(now, waiting=0, waiting_bytes=0), (RefuseAll(why=why),)
