"""Attribution against a slow model that looks at every instant."""

import time
from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.activities import Activity
from firstlight.core.attribution import UNNAMED, PhaseWindow, attribute
from firstlight.core.phases import Phase
from firstlight.core.timeline import Span, Stretch, Timeline
from tests.strategies import (
    LAST_NS,
    activities,
    activity,
    evidence,
    mark,
    marks_in_any_order,
    nested,
    windows,
)


def whole(windows: Sequence[PhaseWindow], activities: Iterable[Activity] = ()) -> Timeline:
    return attribute(start_ns=0, end_ns=LAST_NS, windows=windows, activities=activities)


def one_phase(*activities: Activity) -> Timeline:
    window = PhaseWindow(phase=Phase.PROCESS_INIT, begins=mark(0), ends=mark(LAST_NS))
    return whole([window], activities)


def leaf_paths(timeline: Timeline) -> dict[int, tuple[str, ...]]:
    """Each instant with the names from the phase down to the leaf that holds it."""
    found: dict[int, tuple[str, ...]] = {}

    def walk(span: Span, above: tuple[str, ...]) -> None:
        names = (*above, span.name)
        for child in span.children:
            walk(child, names)
        if not span.children:
            for piece in span.stretches:
                for instant in range(piece.start_ns, piece.end_ns):
                    assert instant not in found
                    found[instant] = names

    for span in timeline.spans:
        walk(span, ())
    return found


def winner(work: Iterable[Activity], instant: int) -> Activity | None:
    """The deepest activity over an instant; among equals the one begun last."""
    over = [a for a in work if a.start_ns <= instant < a.end_ns]
    return max(over, key=lambda a: (a.depth, a.start_ns), default=None)


def unambiguous(work: Sequence[Activity]) -> list[Activity]:
    """Without activities that no rule tells apart: same depth, same beginning."""
    return list({(a.depth, a.start_ns): a for a in work}.values())


@given(windows(), activities())
def test_every_instant_goes_to_the_deepest_then_latest_activity(
    windows: list[PhaseWindow], work: list[Activity]
) -> None:
    """Whatever overlaps, an instant belongs to whom the clock was waiting for, and to one only."""
    work = unambiguous(work)
    got = leaf_paths(whole(windows, work))

    for instant in range(LAST_NS):
        window = next((w for w in windows if w.begins.at_ns <= instant < w.ends.at_ns), None)
        if window is None:
            assert (Phase.UNEXPLAINED,) == got[instant]
            continue
        inside = [a for a in work if a.end_ns > a.start_ns]
        names_anything = any(
            winner(inside, i) for i in range(window.begins.at_ns, window.ends.at_ns)
        )
        by = winner(work, instant)
        if by is None:
            expected = (window.phase, UNNAMED) if names_anything else (window.phase,)
            assert expected == got[instant]
        else:
            names = (window.phase, *by.path)
            assert names == got[instant] or (*names, "itself") == got[instant]


@given(marks_in_any_order(), activities())
def test_spans_touch_and_add_up_for_any_set_of_marks(
    windows: list[PhaseWindow], work: list[Activity]
) -> None:
    """However wrong the marks are, every nanosecond of the window is accounted for, once."""
    timeline = whole(windows, work)

    assert list(range(LAST_NS)) == sorted(leaf_paths(timeline))
    assert timeline.length_ns == sum(span.length_ns for span in timeline.spans)


@given(windows(), activities())
def test_children_partition_their_parent(windows: list[PhaseWindow], work: list[Activity]) -> None:
    """At every level the parts add up exactly to the whole."""

    def check(span: Span) -> None:
        if span.children:
            assert span.length_ns == sum(child.length_ns for child in span.children)
        for child in span.children:
            check(child)

    for span in whole(windows, work).spans:
        check(span)


@given(windows(), activities().flatmap(lambda a: st.tuples(st.just(a), st.permutations(a))))
def test_the_order_of_activities_does_not_matter(
    windows: list[PhaseWindow], orders: tuple[list[Activity], list[Activity]]
) -> None:
    """Several processes report in no order that means anything, ties included."""
    given_first, given_second = orders

    assert whole(windows, given_first) == whole(windows, given_second)


def test_a_full_tie_is_decided_by_the_names() -> None:
    """Two that begin at once at one depth: the shorter is more specific, then the name decides."""
    long, short = activity(0, 20, "long"), activity(0, 10, "short")
    a, b = activity(20, 30, "a"), activity(20, 30, "b")

    forwards, backwards = one_phase(long, short, a, b), one_phase(b, a, short, long)

    assert forwards == backwards
    assert ["short", "long", "a", UNNAMED] == [c.name for c in forwards.spans[0].children]


@given(windows(), activities())
def test_the_result_given_back_gives_the_result(
    windows: list[PhaseWindow], work: list[Activity]
) -> None:
    """Attribution is idempotent: its leaves, taken as activities, are attributed to themselves."""
    flat = [
        Activity(
            path=a.path[:1],
            depth=a.depth,
            start_ns=a.start_ns,
            end_ns=a.end_ns,
            evidence=a.evidence,
        )
        for a in work
    ]
    once = whole(windows, flat)
    again = whole(
        windows,
        [
            Activity(path=(leaf.name,), depth=0, start_ns=s.start_ns, end_ns=s.end_ns)
            for span in once.spans
            for leaf in span.leaves()
            if span.children and leaf.explained
            for s in leaf.stretches
        ],
    )

    assert leaf_paths(once) == leaf_paths(again)


@given(nested())
def test_nested_work_goes_to_the_innermost(work: list[Activity]) -> None:
    """A call inside a call takes its own time out of the caller's, and nothing else."""
    got = leaf_paths(one_phase(*work))

    for instant in range(LAST_NS):
        deepest = max((a.depth for a in work if a.start_ns <= instant < a.end_ns), default=-1)
        calls = [name for name in got[instant] if name == "call"]
        assert deepest + 1 == len(calls)


@given(windows(), activities())
def test_unexplained_time_is_what_no_name_covers(
    windows: list[PhaseWindow], work: list[Activity]
) -> None:
    """The total of unexplained time counts exactly the instants that nothing names."""
    timeline = whole(windows, work)
    covered = [
        instant
        for instant in range(LAST_NS)
        if winner(work, instant) and any(w.begins.at_ns <= instant < w.ends.at_ns for w in windows)
    ]

    assert LAST_NS - len(covered) == timeline.unexplained_ns


def test_a_phase_without_activities_has_no_children() -> None:
    """One nameless child that repeats its parent would say nothing."""
    timeline = one_phase(activity(50, 60, "later"), activity(5, 5, "empty"), activity(9, 3, "back"))

    (span,) = timeline.spans

    assert () == span.children
    assert not span.explained
    assert LAST_NS == timeline.unexplained_ns


def test_interrupted_work_is_one_child_of_several_stretches() -> None:
    """Imports that wait for something deeper go on afterwards, under one name."""
    timeline = one_phase(activity(0, 40, "imports"), activity(10, 20, "spawn", depth=1))

    imports, spawn = timeline.spans[0].children

    assert "imports" == imports.name
    assert (
        Stretch(start_ns=0, end_ns=10),
        Stretch(start_ns=20, end_ns=40),
    ) == imports.stretches
    assert (Stretch(start_ns=10, end_ns=20),) == spawn.stretches


def test_a_name_keeps_its_own_time_apart_from_what_is_inside_it() -> None:
    """What an outer name does itself is a child too, or its parts would not add up."""
    timeline = one_phase(activity(0, 40, "imports"), activity(10, 15, "imports", "torch"))

    (imports,) = timeline.spans[0].children

    assert [("itself", 35), ("torch", 5)] == [(c.name, c.length_ns) for c in imports.children]
    assert all(child.explained for child in imports.children)


def test_children_carry_the_evidence_of_the_activity_that_won() -> None:
    """A name in the table can be looked up in the log."""
    timeline = one_phase(activity(3, 9, "load"))
    load = next(c for c in timeline.spans[0].children if c.name == "load")

    assert (evidence("from 3"), evidence("to 9")) == load.evidence


def test_a_name_that_never_won_time_itself_borrows_evidence_from_inside() -> None:
    """A parent that is only the sum of its parts is proven by the first two of them."""
    timeline = one_phase(activity(0, 10, "load", "read"), activity(10, 20, "load", "convert"))
    load = timeline.spans[0].children[0]

    assert (evidence("from 0"), evidence("to 10")) == load.evidence


def test_phases_are_cut_to_the_window_and_to_each_other() -> None:
    """A mark before the ask or inside the phase before it moves nothing that came first."""
    timeline = attribute(
        start_ns=10,
        end_ns=30,
        windows=[
            PhaseWindow(phase=Phase.PROCESS_INIT, begins=mark(0), ends=mark(20)),
            PhaseWindow(phase=Phase.WEIGHT_LOAD, begins=mark(15), ends=mark(25)),
            PhaseWindow(phase=Phase.ENGINE_INIT, begins=mark(12), ends=mark(18)),
            PhaseWindow(phase=Phase.API_START, begins=mark(28), ends=mark(99)),
        ],
        activities=[],
    )

    assert [
        (Phase.PROCESS_INIT, 10),
        (Phase.WEIGHT_LOAD, 5),
        (Phase.API_START, 2),
        (Phase.UNEXPLAINED, 3),
    ] == [(span.name, span.length_ns) for span in timeline.spans]


def test_the_uncertainty_of_a_phase_is_the_sum_of_its_marks() -> None:
    """Two clocks that tell whole seconds leave two seconds open."""
    window = PhaseWindow(
        phase=Phase.WEIGHT_LOAD,
        begins=mark(0, resolution_ns=1_000_000_000),
        ends=mark(LAST_NS, resolution_ns=1_000),
    )

    assert 1_000_001_000 == whole([window]).spans[0].uncertainty_ns


def test_a_phase_is_proven_by_its_two_marks() -> None:
    """Both edges can be looked up."""
    (span,) = one_phase().spans

    assert (evidence("at 0"), evidence(f"at {LAST_NS}")) == span.evidence


def test_many_activities_cost_little() -> None:
    """A probe reports tens of thousands of imports: n log n, however they overlap."""
    count = 20_000
    work = [activity(n, 2 * count - n, f"call {n % 50}", depth=n % 7) for n in range(count)]
    window = PhaseWindow(phase=Phase.PROCESS_INIT, begins=mark(0), ends=mark(2 * count))
    before = time.thread_time()

    timeline = attribute(start_ns=0, end_ns=2 * count, windows=[window], activities=work)
    took_s = time.thread_time() - before

    assert 2 * count == timeline.length_ns
    assert 50 == len(timeline.spans[0].children)
    assert took_s < 2.0
