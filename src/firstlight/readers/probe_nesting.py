"""
Nested intervals into time of one's own.

Intervals of one thread lie inside one another like calls. The innermost over an
instant is the one begun last, and what an interval keeps after its inner ones
is its own time. The same sweep works for intervals that damage or a fork has
left crossing one another, which is why it does not rely on nesting.
"""

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from firstlight.readers.probe_lines import Interval, ProbeFile

PROGRAM = "subprocess"
COLLECTION = "garbage collection"
INTERRUPTIONS = (PROGRAM, COLLECTION)
"""Groups whose intervals are named with what they interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch in which one interval was the innermost."""

    start_ns: int
    end_ns: int
    interval: Interval
    within: Interval | None
    """What the interval interrupted or was part of; None at the outermost."""


def own_time(
    file: ProbeFile, *, waited_for: Collection[int], until_ns: int | None = None
) -> list[Piece]:
    """The main thread's time, each instant to its innermost interval, waits left out.

    Args:
        file: what the process told.
        waited_for: processes whose start-up is told by their own files: running one is a wait.
        until_ns: how long what never ended is taken to have gone on; None for the last word
            of the process.
    """
    last_ns = file.last_ns if until_ns is None else until_ns
    return [
        piece
        for piece in _sweep(_intervals(file, last_ns))
        if piece.interval.kind != "wait" and piece.interval.child not in waited_for
    ]


def outside(pieces: Iterable[Piece], others: Sequence[Piece]) -> list[Piece]:
    """What of the pieces is outside all the others; both in order of time."""
    left: list[Piece] = []
    first = 0
    for piece in pieces:
        while first < len(others) and others[first].end_ns <= piece.start_ns:
            first += 1
        at_ns, over = piece.start_ns, first
        while over < len(others) and others[over].start_ns < piece.end_ns:
            if others[over].start_ns > at_ns:
                left.append(_cut(piece, at_ns, others[over].start_ns))
            at_ns = max(at_ns, others[over].end_ns)
            over += 1
        if at_ns < piece.end_ns:
            left.append(_cut(piece, at_ns, piece.end_ns))
    return left


def _cut(piece: Piece, start_ns: int, end_ns: int) -> Piece:
    return Piece(start_ns=start_ns, end_ns=end_ns, interval=piece.interval, within=piece.within)


def _intervals(file: ProbeFile, last_ns: int) -> list[Interval]:
    """Everything with a length on the main thread, the interpreter's start included."""
    first_ns = file.openings[0].start_ns if file.openings else 0
    found = [
        _clipped(interval, first_ns, last_ns) for interval in file.intervals if interval.main_thread
    ]
    before_ns = first_ns
    for opening in file.openings:
        earlier = [i.end_ns for i in found if i.end_ns <= opening.at_ns]
        start_ns = max([before_ns, opening.start_ns, *earlier])
        if not opening.forked:
            found.append(
                Interval(
                    line=opening.line,
                    kind="span",
                    group="",
                    name="interpreter start",
                    start_ns=start_ns,
                    end_ns=opening.at_ns,
                )
            )
        before_ns = opening.at_ns
    return [interval for interval in found if interval.end_ns > interval.start_ns]


def _clipped(interval: Interval, first_ns: int, last_ns: int) -> Interval:
    """A fork inherits calls begun before it; what never ended lasts until the last word."""
    end_ns = interval.end_ns if interval.finished else last_ns
    return replace(interval, start_ns=max(interval.start_ns, first_ns), end_ns=end_ns)


def _sweep(intervals: list[Interval]) -> Iterable[Piece]:
    """One pass with a heap, innermost on top: n intervals cost n log n."""
    order = sorted(intervals, key=lambda i: (i.start_ns, -i.end_ns))
    cuts = sorted({moment for i in order for moment in (i.start_ns, i.end_ns)})
    running: list[tuple[int, int]] = []
    upcoming = 0
    open_piece: Piece | None = None
    for begin, end in pairwise(cuts):
        while upcoming < len(order) and order[upcoming].start_ns <= begin:
            heapq.heappush(running, (-upcoming, order[upcoming].end_ns))
            upcoming += 1
        while running and running[0][1] <= begin:
            heapq.heappop(running)
        winner = order[-running[0][0]] if running else None
        if open_piece is not None and open_piece.interval is winner:
            open_piece = _cut(open_piece, open_piece.start_ns, end)
            continue
        if open_piece is not None:
            yield open_piece
        open_piece = None
        if winner is not None:
            within = _within(running, order, begin)
            open_piece = Piece(start_ns=begin, end_ns=end, interval=winner, within=within)
    if open_piece is not None:
        yield open_piece


def _within(
    running: list[tuple[int, int]], order: Sequence[Interval], at_ns: int
) -> Interval | None:
    """The innermost interval around the one on top that is neither program nor collection."""
    if order[-running[0][0]].group not in INTERRUPTIONS:
        return None
    around = (order[-number] for number, end_ns in sorted(running)[1:] if end_ns > at_ns)
    return next((i for i in around if i.group not in INTERRUPTIONS), None)
