"""
What follows from a change beside the orders: words, counts, and what is forgotten or begun.

An engine that takes another's place has said nothing yet and slept never; one that woke may be
asked again for what many begin with. What a state file told is of use only where an engine sleeps
that another gateway put to sleep.
"""

from collections.abc import Callable

from firstlight.core.units import seconds
from firstlight.edges.gate.door import End, Exchanged
from firstlight.edges.gate.log_lines import LogLines
from firstlight.edges.gate.metrics import Metrics
from firstlight.gateway.happenings import (
    Came,
    Ended,
    Seen,
    SleepWanted,
    Slept,
    Ticked,
    TurnedBack,
    Verified,
    WakeWanted,
    Woke,
)
from firstlight.gateway.states import State
from firstlight.wiring.gating.keeper import Change

_WHY = {
    Came: "a request came",
    Ended: "no request is with it",
    Slept: "it sleeps",
    TurnedBack: "it was wanted before it was told to sleep",
    Woke: "it woke",
    Verified: "it answers",
    SleepWanted: "an admin wants it asleep",
    WakeWanted: "an admin wants it awake",
    Ticked: "nobody wanted it for long enough",
}


class Following:
    """Hears of each change, and of what passed or was turned away."""

    def __init__(
        self,
        *,
        metrics: Metrics,
        lines: LogLines,
        another: Callable[[], None],
        woken: Callable[[], None],
        asleep: Callable[[], None],
        suspicious: Callable[[], None],
        found_asleep: Callable[[], None],
    ) -> None:
        """
        Args:
            metrics: count.
            lines: tell.
            another: the engine is gone, or was started while nobody looked.
            woken: it serves again after a wake-up.
            asleep: it does not serve any more.
            suspicious: an exchange with it failed.
            found_asleep: somebody else put it to sleep, or this gateway's predecessor did.
        """
        self._metrics = metrics
        self._lines = lines
        self._another = another
        self._woken = woken
        self._asleep = asleep
        self._suspicious = suspicious
        self._found_asleep = found_asleep

    def hear(self, change: Change) -> None:
        """A change; most change no state, and are passed over at once."""
        before, after = change.before, change.after
        if after.no_sleep is not None and after.no_sleep != before.no_sleep:
            self._lines.say("sleeps_no_more", why=after.no_sleep)
        if after.state is before.state:
            return
        self._lines.say(
            "state",
            state=after.state,
            before=before.state,
            after_s=round(seconds(after.since_ns - before.since_ns), 3),
            why=after.failure or _why(change),
            in_flight=after.in_flight,
            waiting=after.waiting,
        )
        if after.state is State.FAILED:
            self._metrics.failed("engine")
        if after.state is State.STARTING:
            self._metrics.failed("gone")
        was_new = (before.state, after.state) == (State.STARTING, State.AWAKE)
        if after.state is State.STARTING or was_new:
            self._another()
        if after.state is State.AWAKE and before.state is State.UNVERIFIED:
            self._woken()
        if before.state is State.AWAKE:
            self._asleep()
        if isinstance(change.happening, Seen) and after.state is State.ASLEEP:
            self._found_asleep()

    def passed(self, exchanged: Exchanged) -> None:
        """An exchange with the engine has ended."""
        self._metrics.passed(exchanged)
        if exchanged.end is End.ENGINE_FAILED:
            self._suspicious()

    def turned_away(self, code: str) -> None:
        """The gateway itself said no."""
        self._metrics.turned_away(code)
        self._lines.say_seldom("turned_away", f"turned_away {code}", why=code)


def _why(change: Change) -> str:
    match change.happening:
        case Seen(words=words):
            return words
        case Slept(problem=str(problem)):
            return f"it failed to fall asleep: {problem}"
        case Ticked() if change.before.sleep_wanted:
            return _WHY[SleepWanted]
        case happening:
            return _WHY[type(happening)]
