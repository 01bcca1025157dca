"""
The course of things: how often an engine is down when somebody comes, and what follows.

Time falls into cycles. Somebody comes and the engine is down: a *return*. A start begins, and
everybody who comes while it runs waits for its rest. Then the engine is up until nobody has
asked for a while, and goes down. Until the next return the node is kept, at most for the
window. A return within the window is a *hit* and gets a warm start, one after it a cold one.

Sleeping is the same course with a window that never ends: every return is a hit, and what it
waits for is a wake. Scaling to zero is the same with a window of no length.

Everything is an expectation, and a day is what it is expected for. Lengths are seconds as
floating point: unlike the seconds of one explained start these are means, and add up to
nothing that could be checked to the nanosecond.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

DAY_S = 86_400.0
_CLOSE_ENOUGH_S = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When the engine goes down, and how long its node stays."""

    idle_s: float
    """Without a request, from the last one's end."""
    request_s: float = 0.0
    """How long a request takes once it is served."""
    retention_s: float = 0.0
    """From the pod's going; infinity for a node that is always kept."""

    @property
    def quiet_s(self) -> float:
        """From the begin of the last request's service until the engine goes down."""
        return self.idle_s + self.request_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycles:
    """The cycles that begin with one kind of start; means by the length that it has."""

    per_day: float
    waiting_s: tuple[float, ...]
    """One for each start time: what all users together wait when it takes so long."""
    up_s: tuple[float, ...]
    """From the return to the engine's going down."""
    kept_s: tuple[float, ...]
    """How long the node is kept afterwards, empty."""


NO_CYCLES = Cycles(per_day=0, waiting_s=(), up_s=(), kept_s=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is to be expected of a day."""

    cold: Cycles
    warm: Cycles
    requests: float
    waiters_longer: Callable[[float], float]
    """How many requests wait longer than so many seconds."""
    first_up_s: float = 0.0
    """A trace begins with an engine that is up: for so long, spread over its days."""
    first_kept_s: float = 0.0

    @property
    def returns(self) -> float:
        return self.cold.per_day + self.warm.per_day

    @property
    def waiters(self) -> float:
        """Requests that wait."""
        return self.waiters_longer(0.0)

    @property
    def hit_rate(self) -> float | None:
        """The share of returns within the window; None where nobody ever returns."""
        return self.warm.per_day / self.returns if self.returns else None

    @property
    def up_s(self) -> float:
        cold, warm = self.cold, self.warm
        return self.first_up_s + _a_day(cold, cold.up_s) + _a_day(warm, warm.up_s)

    @property
    def kept_s(self) -> float:
        cold, warm = self.cold, self.warm
        return self.first_kept_s + _a_day(cold, cold.kept_s) + _a_day(warm, warm.kept_s)

    @property
    def waiting_s(self) -> float:
        """What all users together wait."""
        return _a_day(self.cold, self.cold.waiting_s) + _a_day(self.warm, self.warm.waiting_s)

    def wait_s(self, share: float) -> float | None:
        """The wait that this share of the waiting users does not exceed; None without any."""
        waiters = self.waiters
        if not waiters:
            return None
        low, high = 0.0, 1.0
        left = (1 - share) * waiters
        while self.waiters_longer(high) > left:
            high *= 2
        while high - low > _CLOSE_ENOUGH_S:
            middle = (low + high) / 2
            low, high = (middle, high) if self.waiters_longer(middle) > left else (low, middle)
        return high


class Arrivals(Protocol):
    """Requests, as they come."""

    @property
    def days(self) -> float | None:
        """How many days of them were looked at; None where they are known as a law."""

    def course(self, rule: Rule, *, cold: Sequence[float], warm: Sequence[float]) -> Course:
        """What a day brings; the start times of a scenario that never happens may be empty."""

    def waiting_s(self, rule: Rule, lengths: Sequence[float]) -> float:
        """What all users together wait for a start, wherever a return may lie; none: nothing."""

    def quicker(self, factor: float) -> "Arrivals":
        """The same pattern, so many times as fast."""

    def windows_s(
        self,
        rule: Rule,
        *,
        cold: Sequence[float],
        warm: Sequence[float],
        between: tuple[float, float],
    ) -> list[float]:
        """Retention windows between two that are worth a look, the shortest first."""


def _a_day(cycles: Cycles, means: Sequence[float]) -> float:
    return cycles.per_day * fmean(means) if cycles.per_day else 0.0
