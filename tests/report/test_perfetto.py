"""A trace that the Perfetto UI opens: every phase and part where it was."""

import json
from typing import Any

from firstlight.core.activities import Activity
from firstlight.core.starts import Start
from firstlight.report.perfetto import trace
from tests.report.samples import COLD, FAILED, starts_of


def events(start: Start, **having: Any) -> list[dict[str, Any]]:
    """Events with these values, in the order of time."""
    found: list[dict[str, Any]] = json.loads(json.dumps(trace(start)))["traceEvents"]
    picked = [e for e in found if having.items() <= e.items()]
    return sorted(picked, key=lambda e: e.get("ts", 0))


def track(start: Start, name: str) -> int:
    """The track of this name."""
    (meta,) = (e for e in events(start, ph="M") if e["args"] == {"name": name})
    tid: int = meta["tid"]
    return tid


def test_phases_lie_end_to_end_from_zero() -> None:
    """Microseconds since the ask, touching each other."""
    (start,) = starts_of(COLD)

    phases = events(start, ph="X", tid=track(start, "phases"))

    assert ["process_init", "weight_load", "engine_init", "api_start"] == [
        e["name"] for e in phases
    ]
    assert [0, 30e6, 113e6, 178e6] == [e["ts"] for e in phases]
    assert 183e6 == sum(e["dur"] for e in phases)


def test_parts_fill_their_phases() -> None:
    """What the clock waited for, on a track below, proof included."""
    (start,) = starts_of(COLD)

    parts = events(start, ph="X", tid=track(start, "what the clock waited for"))

    assert 183e6 == sum(e["dur"] for e in parts)
    (read,) = (e for e in parts if e["name"] == "read weights")
    assert (32e6, 80e6) == (read["ts"], read["dur"])
    assert read["args"]["proof 1"].startswith("pod.log:11: ")


def test_a_process_has_a_track_of_its_own() -> None:
    """Overlapping work is shown as each process saw it; what only the log says is not."""
    (found,) = starts_of(COLD)
    assert found.total is not None
    at_ns = found.total.timeline.start_ns
    activities = tuple(
        Activity(path=path, depth=depth, start_ns=at_ns + 1_000_000, end_ns=at_ns + 3_000_000)
        for path, depth in [
            (("worker: imports", "torch"), 2),
            (("front end: imports",), 0),
            (("from the log",), -2),
        ]
    )
    start = Start(
        **{name: getattr(found, name) for name in found.__slots__ if name != "activities"},
        activities=activities,
    )

    (work,) = events(start, ph="X", tid=track(start, "worker"))

    assert ("worker: imports · torch", 1000, 2000) == (work["name"], work["ts"], work["dur"])
    assert 1 == len(events(start, ph="X", tid=track(start, "front end")))
    assert [] == events(start, name="from the log")


def test_a_start_without_a_total_has_a_trace() -> None:
    """Its phases stand on the log's own clock."""
    (start,) = starts_of(FAILED)

    first, second, unfinished = events(start, ph="X", tid=track(start, "phases"))

    assert (30e6, 10e6, 2e6) == (first["dur"], second["dur"], unfinished["dur"])
    assert first["ts"] + first["dur"] == second["ts"]
