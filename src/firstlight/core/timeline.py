"""
What happened between the ask and the answer, with nothing left out.

A timeline is a set of spans that cover a window once. A span may be several
stretches (imports are interrupted by other work and go on), and has children
that share its time; what no child covers is the span's `unnamed` time. Time that
belongs to no phase is a span of the phase `unexplained`, so the whole always
adds up. Building an inconsistent one is refused.

Which evidence moves which edge is decided in `attribution`, not here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from firstlight.core.evidence import Evidence
from firstlight.core.phases import Phase


class BrokenTimeline(ValueError):
    """Spans that overlap, leave a hole, or end before they begin: our bug, never the input's."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Stretch:
    """A half-open piece of time, [start, end)."""

    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if self.end_ns <= self.start_ns:
            raise BrokenTimeline(f"a stretch ends at or before its start: {self}")

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A named part of the window: one or more stretches that do not overlap."""

    name: str
    stretches: tuple[Stretch, ...]
    uncertainty_ns: int = 0
    children: tuple["Span", ...] = ()
    evidence: tuple[Evidence, ...] = ()
    explained: bool = True
    """Whether the name says what happened; False for the rest that nothing explains."""

    def __post_init__(self) -> None:
        if not self.stretches:
            raise BrokenTimeline(f"{self.name} has no stretch")
        for before, after in pairwise(self.stretches):
            if after.start_ns < before.end_ns:
                raise BrokenTimeline(f"{self.name} overlaps itself at {after}")

    @property
    def length_ns(self) -> int:
        return sum(s.length_ns for s in self.stretches)

    def parts(self, *names: str) -> Iterator["Span"]:
        """The parts of these names, however deep, the outermost of each."""
        for child in self.children:
            if child.name in names:
                yield child
            else:
                yield from child.parts(*names)

    def leaves(self) -> Iterator["Span"]:
        """The spans at the bottom, `unnamed` remainders included: they add up to this one."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def unexplained_stretches(self) -> list[Stretch]:
        """Every stretch at the leaves that no name explains, in order of time."""
        return sorted(s for leaf in self.leaves() if not leaf.explained for s in leaf.stretches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Spans that cover [start, end) exactly once."""

    start_ns: int
    end_ns: int
    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        covers(self.spans, [Stretch(start_ns=self.start_ns, end_ns=self.end_ns)])

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns

    def unexplained_stretches(self) -> list[Stretch]:
        """All time at the leaves that no name explains: phases' `unnamed` and `unexplained`."""
        return sorted(s for span in self.spans for s in span.unexplained_stretches())

    @property
    def unexplained_ns(self) -> int:
        return sum(s.length_ns for s in self.unexplained_stretches())

    def span(self, phase: Phase) -> Span | None:
        return next((s for s in self.spans if s.name == phase), None)


def covers(spans: tuple[Span, ...], window: list[Stretch]) -> None:
    """Check that the spans touch and cover the window once, children within parents too.

    Raises:
        BrokenTimeline: where they do not.
    """
    pieces = sorted(s for span in spans for s in span.stretches)
    if _joined(pieces) != _joined(window):
        raise BrokenTimeline(f"spans cover {_joined(pieces)}, not {_joined(window)}")
    for span in spans:
        if span.children:
            covers(span.children, list(span.stretches))


def _joined(pieces: list[Stretch]) -> list[tuple[int, int]]:
    """Touching stretches joined; an overlap is refused."""
    joined: list[tuple[int, int]] = []
    for piece in pieces:
        if joined and piece.start_ns < joined[-1][1]:
            raise BrokenTimeline(f"two spans claim {piece}")
        if joined and piece.start_ns == joined[-1][1]:
            joined[-1] = (joined[-1][0], piece.end_ns)
        else:
            joined.append((piece.start_ns, piece.end_ns))
    return joined
