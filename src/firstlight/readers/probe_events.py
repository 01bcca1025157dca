"""
What each process of an engine did, from the files its probes wrote.

A probe file is a set of nested intervals: an import inside an import inside a
named function. Here each instant of a process's main thread goes to the
innermost of them, and becomes an activity as deep as the process is in the
tree. Two things are not activities. Waiting for a child says nothing about
what happened: it goes into `spawns`, and the time is left to whoever was waited
for. And what a helper does counts only where its parent names no work of its
own, since otherwise nobody was waiting for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firstlight.core.activities import Activity
from firstlight.readers.probe_lines import Interval, ProbeFile, read_file
from firstlight.readers.probe_nesting import Piece, outside, own_time
from firstlight.readers.probe_pieces import activities_of
from firstlight.readers.probe_roles import Process, Role, who_is_who


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """A child process, from its start by the parent until the parent had heard from it."""

    parent: int
    child: int
    started_ns: int
    reported_ns: int | None
    """None where the parent was never seen to stop waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheCounters:
    """What the compile caches counted in one process."""

    pid: int
    role: Role
    when: str
    """"warmed up" or "exit"."""
    at_ns: int
    values: Mapping[str, int]
    artefact: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeEvents:
    """Everything the probes of one start told, on the axis of the offset."""

    processes: tuple[Process, ...] = ()
    activities: tuple[Activity, ...] = ()
    spawns: tuple[Spawn, ...] = ()
    counters: tuple[CacheCounters, ...] = ()
    damaged_lines: int = 0


def read_probe(
    files: Mapping[str, str | bytes], *, offset_ns: int, until_ns: int | None = None
) -> ProbeEvents:
    """Read the probe files of one start; never raises, whatever is in them.

    Args:
        files: content by file name.
        offset_ns: what to add to CLOCK_MONOTONIC to get the axis wanted, for example unix time.
        until_ns: on that axis, how long what never ended is taken to have gone on (a start that
            failed, or ran out of time); None for the last word of its process.
    """
    all_files = [read_file(name, _text(content)) for name, content in sorted(files.items())]
    read = _one_for_each_process(all_files)
    people = who_is_who(read)
    waited_for = {pid for pid, process in people.items() if process.role.main_line}
    until = None if until_ns is None else until_ns - offset_ns
    _add_exits(read)
    own = {file.pid: own_time(file, waited_for=waited_for, until_ns=until) for file in read}
    activities = [
        activity
        for file in read
        for activity in activities_of(
            file, people[file.pid], _counted(people[file.pid], own), offset_ns
        )
    ]
    return ProbeEvents(
        processes=tuple(people.values()),
        activities=tuple(sorted(activities, key=lambda a: a.start_ns)),
        spawns=tuple(spawn for file in read for spawn in _spawns(file, offset_ns)),
        counters=tuple(c for file in read for c in _counters(file, people[file.pid], offset_ns)),
        damaged_lines=sum(file.damaged for file in all_files),
    )


def read_witnesses(files: Mapping[str, str | bytes], *, offset_ns: int) -> ProbeEvents:
    """Who took part and what they counted, and not what they did: a thirtieth of the work.

    Args:
        files: content by file name.
        offset_ns: what to add to CLOCK_MONOTONIC to get the axis wanted.
    """
    all_files = [_witness(name, _text(content)) for name, content in sorted(files.items())]
    read = _one_for_each_process(all_files)
    people = who_is_who(read)
    return ProbeEvents(
        processes=tuple(people.values()),
        counters=tuple(c for file in read for c in _counters(file, people[file.pid], offset_ns)),
        damaged_lines=sum(file.damaged for file in all_files),
    )


def _witness(name: str, text: str) -> ProbeFile:
    """Who never introduced itself is known by what it did alone."""
    file = read_file(name, text, deeds=False)
    return file if file.openings else read_file(name, text)


def _one_for_each_process(files: Sequence[ProbeFile]) -> list[ProbeFile]:
    """Where a process id was used twice, the one with more to tell."""
    told = [file for file in files if file.openings or file.intervals or file.counting]
    by_pid = {
        file.pid: file for file in sorted(told, key=lambda f: len(f.intervals) + f.passed_over)
    }
    return [by_pid[pid] for pid in sorted(by_pid)]


def _text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode("utf-8", "replace")


def _counted(process: Process, own: Mapping[int, list[Piece]]) -> list[Piece]:
    """The pieces of a process that belong on the timeline."""
    pieces = own[process.pid]
    if process.role.main_line or process.role is Role.LAUNCHER:
        return pieces
    if process.role is Role.TRACKER or process.parent is None:
        return []
    busy = [p for p in own.get(process.parent, []) if p.interval.child != process.pid]
    return outside(pieces, busy)


def _add_exits(read: Sequence[ProbeFile]) -> None:
    """Who runs a program waits for its interpreter to take itself apart, which can be long."""
    by_pid = {file.pid: file for file in read}
    for interval in [i for file in read for i in file.intervals if i.child is not None]:
        child = by_pid.get(interval.child or 0)
        if child is None or child.exited_ns is None:
            continue
        if interval.start_ns <= child.exited_ns < interval.end_ns:
            child.intervals.append(
                Interval(
                    line=child.last_line,
                    kind="span",
                    group="",
                    name="interpreter exit",
                    start_ns=child.exited_ns,
                    end_ns=interval.end_ns,
                )
            )


def _spawns(file: ProbeFile, offset_ns: int) -> list[Spawn]:
    ends = sorted(
        i.end_ns for i in file.intervals if i.kind == "wait" and i.finished and i.child is None
    )
    return [
        Spawn(
            parent=file.pid,
            child=birth.child,
            started_ns=birth.at_ns + offset_ns,
            reported_ns=next((end + offset_ns for end in ends if end >= birth.at_ns), None),
        )
        for birth in file.begetting
    ]


def _counters(file: ProbeFile, process: Process, offset_ns: int) -> list[CacheCounters]:
    return [
        CacheCounters(
            pid=file.pid,
            role=process.role,
            when=counting.when,
            at_ns=counting.at_ns + offset_ns,
            values=counting.values,
            artefact=file.name,
            line=counting.line,
        )
        for counting in file.counting
    ]
