"""
Requests that come at random at one rate: the course in closed form.

Let requests be a Poisson process of rate L, and let the engine go down after a quiet time q
(idle time plus the length of a request). Because the process has no memory, each cycle is like
any other, and a day holds 1 / E[cycle] of them for each second it has (renewal and reward).

A return begins a start of length S. It waits S itself. During the start L*S others come, each at
a moment that is uniform in it, and waits S/2 in the mean: together S + L*S^2/2, by 1 + L*S users.

At the start's end the quiet clock begins. Let B be the mean time until q seconds have passed
without a request. Either none comes within q, or the first comes at x < q and it all begins anew:
B = q*e^(-Lq) + integral over [0, q] of (x + B) * L*e^(-Lx), hence B = (e^(Lq) - 1) / L.

Down, the next request is 1/L away in the mean, whatever was before. It is within the window R
with the probability 1 - e^(-LR), and the node is kept for E[min(X, R)] = (1 - e^(-LR)) / L.

So a cycle takes E[S] + B + 1/L = E[S] + e^(Lq) / L. The cost for a time is a fraction of two
functions that are linear in the hit rate 1 - e^(-LR), so it only rises or only falls with R: with
arrivals without memory the best window is none, or one that never ends.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from firstlight.breakeven.course import DAY_S, NO_CYCLES, Course, Cycles, Rule

_LARGEST_POWER = 700.0
"""Of e, that a float still holds; beyond it an engine never goes down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson:
    """Requests at random, all day at one rate."""

    per_s: float

    @property
    def days(self) -> None:
        """It is a law, and not some days of one."""
        return None

    def course(self, rule: Rule, *, cold: Sequence[float], warm: Sequence[float]) -> Course:
        """What a day brings, without a trace."""
        rate, power = self.per_s, self.per_s * rule.quiet_s
        if power > _LARGEST_POWER:
            return self._always_up()
        hit = -math.expm1(-rate * rule.retention_s)
        starts = ((1 - hit, cold), (hit, warm))
        start_s = sum(share * fmean(lengths) for share, lengths in starts if share)
        cycles_a_day = DAY_S / (start_s + math.exp(power) / rate)
        until_down_s, kept_s = math.expm1(power) / rate, hit / rate
        of_cold, of_warm = (
            self._cycles(cycles_a_day * share, lengths, until_down_s, kept_s)
            for share, lengths in starts
        )

        def longer(wait_s: float) -> float:
            return sum(
                cycles_a_day * share * fmean(self._waiting_longer(s, wait_s) for s in lengths)
                for share, lengths in starts
                if share
            )

        return Course(
            cold=of_cold,
            warm=of_warm,
            requests=rate * DAY_S,
            waiters_longer=longer,
        )

    def waiting_s(self, rule: Rule, lengths: Sequence[float]) -> float:  # noqa: ARG002
        """The same at every return."""
        return fmean(self._waiting_s(start_s) for start_s in lengths)

    def quicker(self, factor: float) -> "Poisson":
        """The same, at another rate."""
        return Poisson(per_s=self.per_s * factor)

    def windows_s(
        self,
        rule: Rule,  # noqa: ARG002
        *,
        cold: Sequence[float],  # noqa: ARG002
        warm: Sequence[float],  # noqa: ARG002
        between: tuple[float, float],
    ) -> list[float]:
        """Up to where nearly all returns are hits, and for ever."""
        low, high = between
        some = [2**k / self.per_s for k in range(-4, 4)]
        return [w for w in (*some, math.inf) if low < w <= high and (w < high or w == math.inf)]

    def _cycles(
        self, per_day: float, lengths: Sequence[float], until_down_s: float, kept_s: float
    ) -> Cycles:
        if not per_day:
            return NO_CYCLES
        return Cycles(
            per_day=per_day,
            waiting_s=tuple(map(self._waiting_s, lengths)),
            up_s=tuple(s + until_down_s for s in lengths),
            kept_s=(kept_s,) * len(lengths),
        )

    def _waiting_s(self, start_s: float) -> float:
        return start_s + self.per_s * start_s * start_s / 2

    def _waiting_longer(self, start_s: float, wait_s: float) -> float:
        """Of the users of one start, how many wait longer: those of its beginning."""
        return 1 + self.per_s * (start_s - wait_s) if start_s > wait_s else 0.0

    def _always_up(self) -> Course:
        return Course(
            cold=NO_CYCLES,
            warm=NO_CYCLES,
            requests=self.per_s * DAY_S,
            waiters_longer=lambda _: 0.0,
            first_up_s=DAY_S,
        )
