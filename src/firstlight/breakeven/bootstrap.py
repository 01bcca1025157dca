"""
How sure a difference in price is, as far as the start times go.

The rounds are drawn again with replacement, each scenario by itself, and both choices are
priced with the same draw: what they share cannot make them differ. The middle of the many
differences is the interval.

With few rounds that interval is known to be too narrow, twice: the spread of a sample is
smaller than that of what it was drawn from by the root of (n - 1) / n, and its ends are the
normal distribution's, not Student's. So the ends are put further out, to where they are right
for means of normal data ("expanded percentiles": Hesterberg, "What Teachers Should Know about
the Bootstrap", The American Statistician 69, 2015). With four rounds that is nearly the whole
range, as it is for the exact interval of four against four in `core.intervals`.

The range of a few rounds of one scenario is too narrow even so: all four lie on one side of their
true middle in an eighth of all cases. Where a difference hangs on one scenario (scaling to zero
against staying awake), the interval claims no more than that, 87.5 % of four rounds and 95 % from
six on. Two scenarios together, four rounds each, make up for it.

Starts that differ by less than each is known, such as four that a probe of 10 s saw at one
second, say nothing of their spread. What each of them may be off by then counts instead: both
ends lie at least as far out as if all starts were that much shorter, or longer. Equal starts that
are known to nothing, as somebody stated them, have no interval.

A price is taken as linear in the shares of the start times; that a longer start also swallows
the next return is left out. The noise of the arrivals is not in the interval.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist, fmean, pvariance

from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.pricing import Priced, Samples
from firstlight.breakeven.student import t_quantile
from firstlight.core.intervals import CONFIDENCE

DRAWS = 2000
_ALONE = 0.7
"""The share of the spread from which on a difference hangs on one scenario."""
METHOD = f"bootstrap over the start times, {DRAWS} draws, widened for few rounds"
Uniform = Callable[[], float]
"""A source of numbers in [0, 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Of the first choice's cost a day less the second's."""

    low: float
    high: float
    confidence: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def interval(
    first: Priced,
    second: Priced,
    *,
    samples: Samples,
    uniform: Uniform,
    doubts: Mapping[Scenario, float] | None = None,
) -> Interval | None:
    """
    Between what the difference in price lies.

    Args:
        first: one choice.
        second: another, priced from the same samples.
        samples: the start times.
        uniform: where chance comes from.
        doubts: by how much the difference may be off because the starts of a scenario are known
            no better; None where their spread says more.

    Returns:
        None where a start time is one number that somebody stated, where none matters, or where
        all are equal and nothing is known of how exact they are.
    """
    scenarios = [s for s in samples if s in first.by_start or s in second.by_start]
    if not scenarios or any(samples[s].is_statement for s in scenarios):
        return None
    off = {s: (doubts or {}).get(s, 0.0) for s in scenarios}
    if not any(off[s] or len(set(samples[s].seconds)) > 1 for s in scenarios):
        return None
    nothing = {s: (0.0,) * len(samples[s].seconds) for s in scenarios}
    parts_of_first = {**nothing, **first.by_start}
    parts_of_second = {**nothing, **second.by_start}
    differences = {
        s: [a - b for a, b in zip(parts_of_first[s], parts_of_second[s], strict=True)]
        for s in scenarios
    }
    fixed = first.fixed - second.fixed
    drawn = sorted(
        fixed + sum(_mean_of_a_draw(parts, uniform) for parts in differences.values())
        for _ in range(DRAWS)
    )
    cut = _cut(min(len(parts) for parts in differences.values()))
    middle = fixed + sum(map(fmean, differences.values()))
    low = min(drawn[cut], middle - sum(off.values()))
    high = max(drawn[-1 - cut], middle + sum(off.values()))
    confidence = _confidence(list(differences.values()), list(off.values()))
    return Interval(low=low, high=high, confidence=confidence)


def _confidence(differences: Sequence[Sequence[float]], off: Sequence[float]) -> float:
    """What the interval covers at most, by the scenario that it mostly hangs on."""
    spreads = [
        max(pvariance(parts) / len(parts), doubt**2)
        for parts, doubt in zip(differences, off, strict=True)
    ]
    widest = max(range(len(spreads)), key=spreads.__getitem__)
    if spreads[widest] <= _ALONE * sum(spreads):
        return CONFIDENCE
    return min(CONFIDENCE, 1 - 2 * 0.5 ** len(differences[widest]))


def _mean_of_a_draw(parts: Sequence[float], uniform: Uniform) -> float:
    rounds = len(parts)
    # The last number below one, times the rounds, may round up to them.
    return fmean(parts[min(int(uniform() * rounds), rounds - 1)] for _ in parts)


def _cut(rounds: int) -> int:
    """How many of the draws lie outside at each end."""
    out = sqrt(rounds / (rounds - 1)) * t_quantile((1 + CONFIDENCE) / 2, rounds - 1)
    return max(0, ceil(NormalDist().cdf(-out) * DRAWS) - 1)
