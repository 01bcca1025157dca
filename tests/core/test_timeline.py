"""A timeline that does not add up cannot be built."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.phases import Phase
from firstlight.core.timeline import BrokenTimeline, Span, Stretch, Timeline, covers
from tests.strategies import moments, stretches


def stretch(start_ns: int, end_ns: int) -> Stretch:
    return Stretch(start_ns=start_ns, end_ns=end_ns)


def span(name: str, *pieces: tuple[int, int], explained: bool = True) -> Span:
    return Span(name=name, stretches=tuple(stretch(*p) for p in pieces), explained=explained)


def parent(name: str, piece: tuple[int, int], *children: Span) -> Span:
    return Span(name=name, stretches=(stretch(*piece),), children=children)


@given(moments(fewest=3), st.data())
def test_spans_that_touch_are_a_timeline(cuts: list[int], data: st.DataObject) -> None:
    """Any cut of the window, dealt to any names, adds up to the whole."""
    pieces = list(pairwise(cuts))
    names = data.draw(st.lists(st.sampled_from("abc"), min_size=len(pieces), max_size=len(pieces)))
    dealt = {n: [p for p, m in zip(pieces, names, strict=True) if m == n] for n in set(names)}
    spans = tuple(span(name, *own) for name, own in dealt.items())

    timeline = Timeline(start_ns=cuts[0], end_ns=cuts[-1], spans=spans)

    assert cuts[-1] - cuts[0] == sum(s.length_ns for s in timeline.spans)


@given(moments(fewest=4), st.data())
def test_a_hole_is_refused(cuts: list[int], data: st.DataObject) -> None:
    """Time that nobody claims must be claimed by `unexplained`, never be left out."""
    pieces = list(pairwise(cuts))
    pieces.remove(data.draw(st.sampled_from(pieces)))

    with pytest.raises(BrokenTimeline):
        Timeline(
            start_ns=cuts[0],
            end_ns=cuts[-1],
            spans=tuple(span(str(n), piece) for n, piece in enumerate(pieces)),
        )


@given(moments(fewest=3), st.data())
def test_an_overlap_is_refused(cuts: list[int], data: st.DataObject) -> None:
    """No nanosecond is counted twice."""
    pieces = list(pairwise(cuts))
    twice = data.draw(st.sampled_from(pieces))
    spans = [span(str(n), piece) for n, piece in enumerate([*pieces, twice])]

    with pytest.raises(BrokenTimeline, match="two spans claim"):
        Timeline(start_ns=cuts[0], end_ns=cuts[-1], spans=tuple(spans))


def test_spans_outside_the_window_are_refused() -> None:
    """What happened before the ask is not part of the answer."""
    with pytest.raises(BrokenTimeline):
        Timeline(start_ns=5, end_ns=10, spans=(span("a", (0, 10)),))


def test_children_must_cover_their_parent() -> None:
    """A child's hole is refused as the parent's would be, at any depth."""
    inner = parent("b", (0, 10), span("c", (0, 4)), span("d", (5, 10)))

    with pytest.raises(BrokenTimeline):
        covers((parent("a", (0, 10), inner),), [stretch(0, 10)])


def test_children_must_stay_inside_their_parent() -> None:
    """A child that is longer than its parent is refused."""
    with pytest.raises(BrokenTimeline):
        covers((parent("a", (0, 10), span("b", (0, 11))),), [stretch(0, 10)])


@pytest.mark.parametrize(("start_ns", "end_ns"), [(5, 5), (5, 4)])
def test_a_stretch_has_a_length(start_ns: int, end_ns: int) -> None:
    """Nothing ends at or before its start."""
    with pytest.raises(BrokenTimeline, match="at or before its start"):
        stretch(start_ns, end_ns)


def test_a_window_has_a_length() -> None:
    """Without two different ends there is no timeline."""
    with pytest.raises(BrokenTimeline):
        Timeline(start_ns=5, end_ns=5, spans=())


def test_a_span_has_a_stretch() -> None:
    """A name without time is no span."""
    with pytest.raises(BrokenTimeline, match="has no stretch"):
        Span(name="a", stretches=())


def test_a_span_does_not_overlap_itself() -> None:
    """Its length would count an instant twice."""
    with pytest.raises(BrokenTimeline, match="overlaps itself"):
        span("a", (0, 5), (4, 6))


@given(stretches())
def test_the_length_of_a_span_is_that_of_its_stretches(pieces: tuple[Stretch, ...]) -> None:
    """Interruptions are not counted."""
    instants = {i for piece in pieces for i in range(piece.start_ns, piece.end_ns)}

    assert len(instants) == Span(name="a", stretches=pieces).length_ns


def test_unexplained_time_is_counted_at_the_leaves() -> None:
    """A named phase whose half is unnamed is half unexplained."""
    load = Span(
        name=Phase.WEIGHT_LOAD,
        stretches=(stretch(0, 10),),
        explained=False,
        children=(span("read", (0, 4), (6, 7)), span("unnamed", (4, 6), (7, 10), explained=False)),
    )
    gap = span(Phase.UNEXPLAINED, (10, 13), explained=False)
    timeline = Timeline(start_ns=0, end_ns=13, spans=(load, gap))

    assert [stretch(4, 6), stretch(7, 10), stretch(10, 13)] == timeline.unexplained_stretches()
    assert 8 == timeline.unexplained_ns
    assert timeline.unexplained_ns == sum(
        leaf.length_ns for s in timeline.spans for leaf in s.leaves() if not leaf.explained
    )


def test_a_phase_is_found_by_its_name() -> None:
    """And one that was not proven is None."""
    timeline = Timeline(start_ns=0, end_ns=1, spans=(span(Phase.API_START, (0, 1)),))

    assert timeline.spans[0] is timeline.span(Phase.API_START)
    assert timeline.span(Phase.IMAGE_PULL) is None


def test_parts_are_found_however_deep_and_the_outermost_of_each_counts() -> None:
    """So that no second of a part within a part of the same name counts twice."""
    inner = parent("compile", (0, 10), span("compile", (0, 6)), span("load", (6, 10)))
    rank = parent("rank", (0, 16), inner, span("capture", (10, 16)))
    phase = parent("engine_init", (0, 20), rank, span("capture", (16, 20)))

    assert [10] == [part.length_ns for part in phase.parts("compile")]
    assert [10, 6, 4] == [part.length_ns for part in phase.parts("capture", "compile")]
    assert [] == list(phase.parts("engine_init"))
