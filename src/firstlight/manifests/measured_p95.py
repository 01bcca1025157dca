"""
How long starts take, from starts that somebody measured.

A probe has to wait from the container's start until the server answers, so only that part of
a start counts: not the node, not the image, and not the wait for the probe itself. The 95th
percentile is a start that was seen (nearest rank), never a number between two. Of fewer than
twenty starts that is the longest, and it is said: a longer one is likely among the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from firstlight.core.marks import MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Outcome, Start
from firstlight.core.timeline import Stretch
from firstlight.core.units import NS_PER_S

FEWEST = 20
"""From here on the 95th percentile is not the longest."""
_PERCENT = 95


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredP95:
    """The 95th percentile of some starts, and which they were."""

    start_ns: int
    count: int
    """How many starts it is of."""
    shortest_ns: int
    longest_ns: int
    left_out: int
    """How many do not tell it: they did not come up, or one of the two ends is not proven."""

    @property
    def seconds(self) -> float:
        return self.start_ns / NS_PER_S

    @property
    def says(self) -> str:
        """Whence it comes, for whoever applies the probes."""
        shortest, longest = self.shortest_ns / NS_PER_S, self.longest_ns / NS_PER_S
        starts = f"{self.count} start{'s' if self.count > 1 else ''}"
        if self.count < FEWEST:
            said = (
                f"p95 of a start is taken for {longest:.0f} s, the longest of {starts} measured: "
                f"a p95 needs {FEWEST}"
            )
        else:
            said = (
                f"p95 of a start is {self.seconds:.0f} s, of {starts} measured ({shortest:.0f} to "
                f"{longest:.0f} s)"
            )
        return said + (f"; {self.left_out} more told no such time" if self.left_out else "")


def measured_p95(starts: Sequence[Start]) -> MeasuredP95 | None:
    """
    The 95th percentile from the container's start until the server is up.

    Returns:
        None where no start tells it.
    """
    lengths = sorted(length for start in starts if (length := _up_after_ns(start)) is not None)
    if not lengths:
        return None
    return MeasuredP95(
        start_ns=lengths[ceil(len(lengths) * _PERCENT / 100) - 1],
        count=len(lengths),
        shortest_ns=lengths[0],
        longest_ns=lengths[-1],
        left_out=len(starts) - len(lengths),
    )


def _up_after_ns(start: Start) -> int | None:
    """From the container's start until its server was up; None where that is not proven."""
    if start.outcome is not Outcome.READY or not _begins_with_its_process(start):
        return None
    begins = _stretches(start, Phase.PROCESS_INIT)
    ends = _stretches(start, Phase.API_START)
    return ends[-1].end_ns - begins[0].start_ns if begins and ends else None


def _begins_with_its_process(start: Start) -> bool:
    """Whether somebody saw the process begin: its first line comes seconds later."""
    if start.placement is not None:
        # Advice on probes is given only where the container's start is known.
        return start.placement.probe is not None
    return start.total is not None and start.total.starts_at == MarkKind.PROCESS_STARTED


def _stretches(start: Start, phase: Phase) -> list[Stretch]:
    return sorted(s for span in start.phases if span.name == phase for s in span.stretches)
