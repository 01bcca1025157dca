"""
From marks and activities to a timeline.

The marks of a start cut the window into top-level phases. Inside each phase,
activities are laid over one another; every instant goes to the deepest of
them, or to nobody, and what goes to nobody is the phase's `unnamed` time. Time
between marks of different phases belongs to no phase: it is `unexplained`.

Nothing here guesses. A phase whose beginning or end was not proven does not
exist, and its time is unexplained.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

from firstlight.core.activities import Activity
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Mark
from firstlight.core.phases import Phase
from firstlight.core.timeline import Span, Stretch, Timeline

UNNAMED = "unnamed"
ITSELF = "itself"
"""What a named part did beside its own parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseWindow:
    """A phase between two proven moments."""

    phase: Phase
    begins: Mark
    ends: Mark
    skew_ns: int = 0
    """How far the clocks of the two marks may be apart; 0 where they are one clock."""

    @property
    def uncertainty_ns(self) -> int:
        """What the two clocks cannot tell apart, and how far they may be apart."""
        return self.begins.resolution_ns + self.ends.resolution_ns + self.skew_ns


def attribute(
    *, start_ns: int, end_ns: int, windows: Sequence[PhaseWindow], activities: Iterable[Activity]
) -> Timeline:
    """Cut [start, end) into the phases, and each phase into what its activities name.

    Args:
        start_ns: the ask.
        end_ns: the answer, after the ask.
        windows: phases in order of time, none overlapping another; parts outside the
            window are cut off, empty ones dropped. A phase may come back: each container's
            image is pulled right before it starts.
        activities: anything that overlaps the window, in any order.
    """
    work = sorted(activities, key=_order)
    pieces: dict[Phase, list[tuple[Stretch, PhaseWindow]]] = {}
    gaps: list[Stretch] = []
    at_ns = start_ns
    for window in windows:
        begin, end = max(window.begins.at_ns, at_ns), min(window.ends.at_ns, end_ns)
        if end <= begin:
            continue
        if begin > at_ns:
            gaps.append(Stretch(start_ns=at_ns, end_ns=begin))
        pieces.setdefault(window.phase, []).append((Stretch(start_ns=begin, end_ns=end), window))
        at_ns = end
    if at_ns < end_ns:
        gaps.append(Stretch(start_ns=at_ns, end_ns=end_ns))
    spans = [_phase(phase, found, work) for phase, found in pieces.items()]
    if gaps:
        spans.append(Span(name=Phase.UNEXPLAINED, stretches=tuple(gaps), explained=False))
    return Timeline(start_ns=start_ns, end_ns=end_ns, spans=tuple(spans))


def _phase(
    phase: Phase, pieces: Sequence[tuple[Stretch, PhaseWindow]], work: Sequence[Activity]
) -> Span:
    """The span of a phase: its stretches, and what its activities name in them."""
    stretches: list[Stretch] = []
    for stretch, _ in pieces:
        _append(stretches, stretch)
    return Span(
        name=phase,
        stretches=tuple(stretches),
        uncertainty_ns=sum(window.uncertainty_ns for _, window in pieces),
        children=_paint(stretches, work),
        evidence=(pieces[0][1].begins.evidence, pieces[-1][1].ends.evidence),
        explained=False,
    )


def _order(activity: Activity) -> tuple[Any, ...]:
    """By beginning; what begins at once is told apart by what it is, never by who came first.

    Several processes report side by side: the same reports in another order are the same
    start.
    """
    proof = tuple((e.artefact, e.line or 0, e.text) for e in activity.evidence)
    return (activity.start_ns, activity.end_ns, activity.depth, activity.path, proof)


@dataclass(slots=True)
class _Node:
    """A child under construction: its own stretches, and those of the names inside it."""

    own: list[Stretch] = field(default_factory=list)
    inside: dict[str, "_Node"] = field(default_factory=dict)
    uncertain: dict[int, int] = field(default_factory=dict)
    """Of each activity that has a piece here, by its identity."""
    longest_ns: int = 0
    evidence: tuple[Evidence, ...] = ()
    """That of the longest piece: a name may stand for hundreds."""


def _paint(wholes: Sequence[Stretch], work: Sequence[Activity]) -> tuple[Span, ...]:
    """Give each instant of the stretches to the deepest activity; children in order of time."""
    root = _Node()
    for stretch, activity in chain.from_iterable(_winners(whole, work) for whole in wholes):
        node = root
        for name in activity.path if activity else ():
            node = node.inside.setdefault(name, _Node())
        _append(node.own, stretch)
        if activity:
            node.uncertain[id(activity)] = activity.uncertainty_ns
        if activity and stretch.length_ns > node.longest_ns:
            node.longest_ns, node.evidence = stretch.length_ns, activity.evidence
    if not root.inside:
        return ()
    return _children(root, explained=False)


def _append(stretches: list[Stretch], new: Stretch) -> None:
    if stretches and stretches[-1].end_ns == new.start_ns:
        new = Stretch(start_ns=stretches.pop().start_ns, end_ns=new.end_ns)
    stretches.append(new)


def _children(node: _Node, *, explained: bool) -> tuple[Span, ...]:
    """Spans for the names inside, and one for the time that none of them covers."""
    spans = [_span(name, inner) for name, inner in node.inside.items()]
    if node.own:
        rest = ITSELF if explained else UNNAMED
        spans.append(Span(name=rest, stretches=tuple(node.own), explained=explained))
    return tuple(sorted(spans, key=lambda s: s.stretches[0].start_ns))


def _span(name: str, node: _Node) -> Span:
    children = _children(node, explained=True) if node.inside else ()
    stretches = node.own
    if children:
        stretches = []
        for piece in sorted(s for child in children for s in child.stretches):
            _append(stretches, piece)
    longest = max(children, key=lambda c: c.length_ns, default=None)
    evidence = node.evidence or (longest.evidence if longest else ())
    own = sum(node.uncertain.values())
    return Span(
        name=name,
        stretches=tuple(stretches),
        uncertainty_ns=own + sum(c.uncertainty_ns for c in children if c.name != ITSELF),
        children=children,
        evidence=evidence,
    )


def _winners(whole: Stretch, work: Sequence[Activity]) -> Iterable[tuple[Stretch, Activity | None]]:
    """The stretch cut at every edge of an activity, each piece with the deepest one over it.

    One sweep with a heap: n activities cost n log n, whatever they overlap.
    """
    inside = [a for a in work if a.end_ns > whole.start_ns and a.start_ns < whole.end_ns]
    edges = {whole.start_ns, whole.end_ns}
    for activity in inside:
        edges.add(max(activity.start_ns, whole.start_ns))
        edges.add(min(activity.end_ns, whole.end_ns))
    cuts = sorted(edges)
    running: list[tuple[int, int, int, int]] = []
    upcoming = 0
    for begin, end in pairwise(cuts):
        while upcoming < len(inside) and inside[upcoming].start_ns <= begin:
            activity = inside[upcoming]
            heapq.heappush(
                running, (-activity.depth, -activity.start_ns, activity.end_ns, upcoming)
            )
            upcoming += 1
        while running and running[0][2] <= begin:
            heapq.heappop(running)
        winner = inside[running[0][3]] if running else None
        yield Stretch(start_ns=begin, end_ns=end), winner
