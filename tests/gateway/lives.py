"""
An engine and its clients in small, that live with a lifecycle whatever happens.

It keeps what a keeper keeps (who waits, how many are inside, what is being called) by carrying out
the orders, and holds each of them to what must never happen.
"""

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import strategies as st

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
    TurnedBack,
    Verified,
    WakeWanted,
    Woke,
)
from firstlight.gateway.lifecycle import Lifecycle, State, step
from firstlight.gateway.orders import (
    AbandonAll,
    GiveUp,
    Hold,
    Order,
    Pass,
    PutToSleep,
    Refuse,
    RefuseAll,
    ReleaseAll,
    Verify,
    WakeUp,
)
from firstlight.gateway.policy import Policy
from tests.gateway.lines import may_be

POLICY = Policy(most_waiting=3, most_waiting_bytes=100)
STARTED = {PutToSleep: State.FALLING_ASLEEP, WakeUp: State.WAKING, Verify: State.UNVERIFIED}
"""What is being called, by the state in which that is so."""

_RARE: dict[int, Happening] = {0: DrainWanted(), 1: SleepRefused(why="it leaks")}
_WISHES: tuple[Happening, ...] = (
    *(SleepWanted(), WakeWanted(), Ticked()),
    Ticked(stood_still_ns=30 * NS_PER_S),
)
_SIGHTS = (*Sight, *[Sight.AWAKE] * 6)
_ENDS: tuple[Happening, ...] = (
    Slept(),
    Slept(problem="no room"),
    Slept(problem="no room", still_asleep=True),
    TurnedBack(),
    Woke(),
    Woke(problem="no room"),
    Verified(),
    Verified(problem="nonsense"),
)
_CALLED: dict[type[Happening], type[Order]] = {
    Slept: PutToSleep,
    TurnedBack: PutToSleep,
    Woke: WakeUp,
    Verified: Verify,
}

KINDS = (
    *("come", "end", "end", "leave", "answer", "answer"),
    *("see", "see late", "wish", "wish", "stray"),
)
Deed = tuple[str, int, int]
"""What is done, with what number, so many seconds after the deed before."""
DEEDS: st.SearchStrategy[Deed] = st.tuples(
    st.sampled_from(KINDS),
    st.integers(0, 60),
    st.sampled_from([0, 1, 30, 1_000]),
)


@dataclass(kw_only=True)
class Life:
    """A lifecycle, and everything outside of it."""

    now: Lifecycle = field(default_factory=Lifecycle)
    at_ns: int = NS_PER_S
    queue: list[int] = field(default_factory=list)
    """The bytes of each that waits."""
    inside: int = 0
    calling: type[Order] | None = None
    came: int = 0
    became: Counter[str] = field(default_factory=Counter)
    """How requests ended: passed, refused, left."""
    met: set[object] = field(default_factory=set)
    """States and kinds of orders."""

    def do(self, deed: Deed) -> None:
        """One deed, or nothing where there is nobody to do it."""
        kind, number, later_s = deed
        self.at_ns += later_s * NS_PER_S
        match kind:
            case "come":
                self.came += 1
                self.feed(Came(body_bytes=number))
            case "end" if self.inside:
                self.inside -= 1
                self.became["passed"] += 1
                self.feed(Ended())
            case "leave" if self.queue:
                self.became["left"] += 1
                self.feed(Left(body_bytes=self.queue.pop(number % len(self.queue))))
            case "answer":
                fit = [one for one in _ENDS if _CALLED[type(one)] is self.calling]
                if fit:
                    self.calling = None
                    self.feed(fit[number % len(fit)])
            case "see":
                self._see(_SIGHTS[number % len(_SIGHTS)], self.at_ns)
            case "see late":
                self._see(_SIGHTS[number % len(_SIGHTS)], self.now.since_ns - 1)
            case "wish":
                self.feed(_RARE.get(number, _WISHES[number % len(_WISHES)]))
            case "stray":
                # The end of a call that is over, or never was; and one that nobody knows.
                end = [one for one in _ENDS if _CALLED[type(one)] is not self.calling][number % 3]
                nobody = () if self.inside else (Ended(),)
                for one in (end, *nobody):
                    before = self.now
                    self.feed(one)
                    assert before == self.now

    def _see(self, sight: Sight, begun_ns: int) -> None:
        before = self.now
        self.feed(Seen(sight=sight, begun_ns=begun_ns))
        if begun_ns < before.since_ns:
            assert before == self.now
        if before.state is not State.STARTING:
            assert before.last_demand_ns == self.now.last_demand_ns

    def feed(self, happening: Happening) -> None:
        """What a keeper does; and what must be so then."""
        before = self.now
        self.now, orders = step(before, happening, POLICY, self.at_ns)
        answers = [order for order in orders if isinstance(order, Pass | Hold | Refuse)]
        assert len(answers) == isinstance(happening, Came)
        for order in orders:
            self._carry_out(order, happening)
        assert may_be(self.now)
        assert (self.inside, len(self.queue)) == (self.now.in_flight, self.now.waiting)
        assert sum(self.queue) == self.now.waiting_bytes
        assert self.calling is {state: call for call, state in STARTED.items()}.get(self.now.state)
        passed, refused, left = (self.became[how] for how in ("passed", "refused", "left"))
        assert self.came == passed + refused + left + self.inside + len(self.queue)
        self.met |= {self.now.state, *map(type, orders)}

    def _carry_out(self, order: Order, happening: Happening) -> None:
        match order:
            case Pass():
                assert self.now.state is State.AWAKE
                self.inside += 1
            case Hold():
                assert isinstance(happening, Came)
                self.queue.append(happening.body_bytes)
            case Refuse():
                self.became["refused"] += 1
            case ReleaseAll():
                assert self.now.state is State.AWAKE
                self.inside += len(self.queue)
                self.queue.clear()
            case RefuseAll():
                self.became["refused"] += len(self.queue)
                self.queue.clear()
            case AbandonAll():
                assert self.now.state in {State.FAILED, State.STARTING}
                assert self.inside
            case GiveUp():
                self.calling = None
            case PutToSleep() | WakeUp() | Verify():
                assert self.calling is None
                assert not (isinstance(order, PutToSleep) and self.inside)
                self.calling = type(order)
