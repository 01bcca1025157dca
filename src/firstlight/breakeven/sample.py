"""
How long the starts of one scenario took, and on whose word.

A price from one start is a price from luck, so start times are a sample, and a sample needs
enough rounds. How many: with three rounds against three no exact interval at 95 % exists that
could tell two scenarios apart, with four against four one does (`core.intervals`). Fewer are
not priced. A single number that somebody states is let through as what it is: a statement. It
has no spread, so nothing that hangs on it gets an interval.
"""

import math
from dataclasses import dataclass, replace
from statistics import fmean

from firstlight.breakeven.choices import Scenario
from firstlight.core.errors import BadInput
from firstlight.core.intervals import Shift, fewest_rounds, shift
from firstlight.core.plain_numbers import plain_number
from firstlight.core.units import NS_PER_S

_REMEDY = "write seconds, with commas between several: 428, or 420,431,428,440"
_LONGEST_S = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The start times of one scenario."""

    seconds: tuple[float, ...]
    measured: bool
    """False where somebody stated them."""
    uncertainty_s: float = 0.0
    """How exactly the least exact of them is known."""
    source: str = ""
    """Where they were read; empty where somebody stated them."""

    @property
    def mean_s(self) -> float:
        return fmean(self.seconds)

    @property
    def is_statement(self) -> bool:
        """One number, without a spread."""
        return not self.measured and len(self.seconds) == 1

    @property
    def is_coarse(self) -> bool:
        """Whether the starts differ by less than they are known to: their spread says little."""
        return max(self.seconds) - min(self.seconds) < 2 * self.uncertainty_s

    def longer(self, by_s: float) -> "Sample":
        """The same starts, each of them longer."""
        return replace(self, seconds=tuple(s + by_s for s in self.seconds))

    @property
    def lengths_ns(self) -> tuple[int, ...]:
        return tuple(round(s * NS_PER_S) for s in self.seconds)

    def times(self, factor: float) -> "Sample":
        """The same starts, all of them longer or shorter by a factor."""
        return Sample(
            seconds=tuple(s * factor for s in self.seconds),
            measured=self.measured,
            uncertainty_s=self.uncertainty_s,
            source=self.source,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFew:
    """A scenario that has too few start times."""

    has: int
    why: str = ""
    """What else was there and does not count; empty where nothing was."""

    def says(self, scenario: Scenario) -> str:
        """What a choice needs, and what there is, to be said behind `needs`."""
        starts = "wakes" if scenario is Scenario.WAKE else f"{scenario} starts"
        tail = f" ({self.why})" if self.why else ""
        return f"{fewest_rounds()} {starts} and has {self.has}{tail}"


def enough(sample: Sample) -> bool:
    """Whether there are rounds enough to price with, or one number that somebody stands for."""
    return sample.is_statement or len(sample.seconds) >= fewest_rounds()


def saved(longer: Sample, shorter: Sample) -> Shift | None:
    """
    By how much two scenarios differ, exactly.

    Returns:
        None where one has too few rounds for that, or where equal numbers would make an interval
        without a width. What was measured is never surer than each start is known.
    """
    found = shift(longer.lengths_ns, shorter.lengths_ns)
    if found is None:
        return None
    coarse = [one.uncertainty_s for one in (longer, shorter) if one.is_coarse]
    doubt_ns = round(sum(coarse) * NS_PER_S)
    low_ns = min(found.low_ns, found.estimate_ns - doubt_ns)
    high_ns = max(found.high_ns, found.estimate_ns + doubt_ns)
    return None if low_ns == high_ns else replace(found, low_ns=low_ns, high_ns=high_ns)


def read_stated(text: str, *, option: str) -> Sample:
    """
    Seconds as somebody states them on the command line.

    Args:
        text: `428`, or `420,431,428,440`.
        option: what to call it in an error.

    Raises:
        BadInput: they are none.
    """
    seconds = tuple(_second(part.strip(), option) for part in text.split(","))
    return Sample(seconds=seconds, measured=False)


def _second(text: str, option: str) -> float:
    try:
        value = plain_number(text)
    except ValueError as e:
        raise BadInput(f"{option}: {text!r} is no number of seconds", remedy=_REMEDY) from e
    if not math.isfinite(value) or not 0 < value <= _LONGEST_S:
        raise BadInput(
            f"{option}: {text} is no length of a start: more than 0, at most {_LONGEST_S} s",
            remedy=_REMEDY,
        )
    return value
