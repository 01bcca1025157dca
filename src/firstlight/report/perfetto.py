"""
A start as a trace for ui.perfetto.dev (Trace Event Format, JSON).

One track holds the phases, one the parts inside them that the clock waited for,
and one per process what that process itself did, waiting and overlapping
included. Open the file in the Perfetto UI, or in chrome://tracing.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from firstlight.core.activities import Activity
from firstlight.core.starts import Start
from firstlight.core.timeline import Span
from firstlight.report.words import place

_PHASES, _PARTS, _FIRST_PROCESS = 1, 2, 3
_NS_PER_US = 1000


def trace(start: Start) -> dict[str, Any]:
    """The trace of one start; without a total its times are those of the log's clock."""
    origin_ns = start.total.timeline.start_ns if start.total else 0
    return {
        "traceEvents": [
            *_names(start),
            *_phase_events(start.phases, origin_ns),
            *_process_events(start.activities, origin_ns),
        ],
        "displayTimeUnit": "ms",
        "otherData": {"source": start.source, "engine_version": start.engine_version},
    }


def _names(start: Start) -> Iterator[dict[str, Any]]:
    yield _meta("process_name", 0, {"name": f"start of {start.source}"})
    yield _meta("thread_name", _PHASES, {"name": "phases"})
    yield _meta("thread_name", _PARTS, {"name": "what the clock waited for"})
    for number, process in enumerate(_processes(start.activities)):
        yield _meta("thread_name", _FIRST_PROCESS + number, {"name": process})


def _meta(name: str, track: int, args: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": 1, "tid": track, "args": args}


def _phase_events(phases: Iterable[Span], origin_ns: int) -> Iterator[dict[str, Any]]:
    for phase in phases:
        yield from _events(phase, origin_ns, _PHASES)
        for leaf in phase.leaves() if phase.children else ():
            yield from _events(leaf, origin_ns, _PARTS)


def _events(span: Span, origin_ns: int, track: int) -> Iterator[dict[str, Any]]:
    proof = {f"proof {n}": f"{place(e)}: {e.text}" for n, e in enumerate(span.evidence, 1)}
    for stretch in span.stretches:
        yield _complete(span.name, stretch.start_ns - origin_ns, stretch.length_ns, track, proof)


def _process_events(activities: Iterable[Activity], origin_ns: int) -> Iterator[dict[str, Any]]:
    tracks = {p: _FIRST_PROCESS + n for n, p in enumerate(_processes(activities))}
    for activity in sorted(activities, key=lambda a: (a.start_ns, -a.end_ns)):
        if activity.depth < 0:
            continue
        yield _complete(
            " · ".join(activity.path),
            activity.start_ns - origin_ns,
            activity.end_ns - activity.start_ns,
            tracks[_process(activity)],
            {"proof": activity.evidence[0].text} if activity.evidence else {},
        )


def _processes(activities: Iterable[Activity]) -> list[str]:
    return list(dict.fromkeys(_process(a) for a in activities if a.depth >= 0))


def _process(activity: Activity) -> str:
    return activity.path[0].partition(":")[0]


def _complete(
    name: str, at_ns: int, length_ns: int, track: int, args: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "cat": "start",
        "pid": 1,
        "tid": track,
        "ts": at_ns / _NS_PER_US,
        "dur": length_ns / _NS_PER_US,
        "args": args,
    }
