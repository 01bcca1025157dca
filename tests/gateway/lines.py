"""
The table of DESIGN.md as values: what each of its words stands for, and what `step` says to it.

A line is a happening and what was so before it; a cell is the state that follows, in bold where it
is another, and the orders. Whatever cannot be so in a state is a dash there.
"""

from dataclasses import dataclass, replace

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
from firstlight.gateway.orders import Order, Refuse, RefuseAll
from firstlight.gateway.policy import Policy
from firstlight.gateway.states import BUSY

SINCE_NS = 1_000 * NS_PER_S
SOON_NS = SINCE_NS + NS_PER_S
LONG_AFTER_NS = SINCE_NS + 10_000 * NS_PER_S
NEVER = "-"
STAYS = "·"

HAPPENINGS: dict[str, Happening] = {
    "Came": Came(body_bytes=10),
    "Ended": Ended(),
    "Left": Left(body_bytes=10),
    **{f"Seen {sight}": Seen(sight=sight, begun_ns=SOON_NS) for sight in Sight},
    "Slept": Slept(),
    "Slept, problem": Slept(problem="no room"),
    "Slept, problem, still asleep": Slept(problem="no room", still_asleep=True),
    "TurnedBack": TurnedBack(),
    "Woke": Woke(),
    "Woke, problem": Woke(problem="no room"),
    "Verified": Verified(),
    "Verified, problem": Verified(problem="nonsense"),
    "SleepWanted": SleepWanted(),
    "WakeWanted": WakeWanted(),
    "SleepRefused": SleepRefused(why="it leaks"),
    "DrainWanted": DrainWanted(),
    "Ticked": Ticked(),
}
"""Each kind of them, by the name in the first column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One of the table's."""

    happening: str
    before: tuple[str, ...]
    """What was so: fields of the lifecycle, and words that are explained under the table."""
    cells: tuple[str, ...]
    """One for each state, in the order of `State`."""


def read(text: str) -> tuple[tuple[str, ...], list[Line]]:
    """The heads of the columns of states, and the lines."""
    rows = [
        tuple(cell.strip() for cell in row.strip("|").split("|"))
        for row in text.splitlines()
        if row.startswith("|")
    ]
    heads, _, *lines = rows
    return heads[2:], [
        Line(
            happening=first,
            before=tuple(word.strip() for word in second.split(",") if word.strip()),
            cells=tuple(cells),
        )
        for first, second, *cells in lines
    ]


def was(state: State, before: tuple[str, ...]) -> Lifecycle:
    """An engine in a state, with what a line says of it."""
    now = Lifecycle(state=state, since_ns=SINCE_NS, last_demand_ns=SINCE_NS)
    if state is State.FAILED:
        now = replace(now, failure="no room")
    for word in before:
        name, _, number = word.partition("=")
        match name:
            case "in_flight":
                now = replace(now, in_flight=int(number))
            case "waiting":
                now = replace(now, waiting=int(number), waiting_bytes=10 * int(number))
            case "sleep_wanted":
                now = replace(now, sleep_wanted=True)
            case "wake_wanted":
                now = replace(now, wake_wanted=True)
            case "recovers":
                now = replace(now, recovers=True)
            case "draining":
                now = replace(now, draining=True)
            case "no_sleep":
                now = replace(now, no_sleep="it leaks")
            case "full" | "long after" | "stood still" | "old look":
                pass
            case _:
                raise AssertionError(word)
    return now


def may_be(now: Lifecycle) -> bool:
    """Whether such an engine can be met at all; the random lives hold every one of theirs to it."""
    return (
        (now.waiting == 0 or now.state in BUSY)
        and (now.in_flight == 0 or now.state not in {State.FALLING_ASLEEP, State.ASLEEP})
        and (not now.sleep_wanted or now.state in {State.AWAKE, *BUSY})
        and not (now.sleep_wanted and (now.draining or now.no_sleep))
        and (not now.wake_wanted or now.state in BUSY)
        and (not now.recovers or now.state is State.FAILED)
        and (now.failure is not None) == (now.state is State.FAILED)
    )


def cell(state: State, line: Line) -> str:
    """What `step` says, in the table's words."""
    now = was(state, line.before)
    if not may_be(now):
        return NEVER
    happening = HAPPENINGS[line.happening]
    if "old look" in line.before:
        assert isinstance(happening, Seen)
        happening = replace(happening, begun_ns=SINCE_NS - 1)
    if "stood still" in line.before:
        happening = Ticked(stood_still_ns=LONG_AFTER_NS - SOON_NS)
    policy = Policy(most_waiting=0) if "full" in line.before else Policy()
    at_ns = LONG_AFTER_NS if "long after" in line.before else SOON_NS
    then, orders = step(now, happening, policy, at_ns)
    words = [f"**{then.state}**"] if then.state is not state else []
    return " ".join([*words, ", ".join(map(_said, orders))]).strip() or STAYS


def _said(order: Order) -> str:
    name = type(order).__name__
    return f"{name} {order.why.name.lower()}" if isinstance(order, Refuse | RefuseAll) else name
