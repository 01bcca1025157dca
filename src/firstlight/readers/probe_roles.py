"""
Who is who among the engine's processes, and who waits for whom.

An engine is a small tree: a front end that started an engine core that started
workers, and helpers beside them (a subprocess that inspects the model class,
Inductor's compile workers). The role is read off what a process was started as,
what it was called, and what it was seen doing, in that order of trust from last
to first: names come late and mean most.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from firstlight.readers.probe_lines import CONSTRUCTION, Modules, ProbeFile

_MOST_GENERATIONS = 64
"""Parents are followed so far: recycled process ids can form a ring."""


class Role(StrEnum):
    """What a process is for."""

    FRONT_END = "front end"
    ENGINE_CORE = "engine core"
    WORKER = "worker"
    COORDINATOR = "coordinator"
    """Of data parallel engines."""
    INSPECTION = "model inspection"
    COMPILER = "compile worker"
    TRACKER = "resource tracker"
    """Started by `multiprocessing` to clean up after others; nobody waits for it."""
    HELPER = "helper"
    """Anything else below the front end."""
    LAUNCHER = "launcher"
    """What started the front end."""

    @property
    def main_line(self) -> bool:
        """Whether others wait for all of its start-up, not only where they say so."""
        return self in (Role.FRONT_END, Role.ENGINE_CORE, Role.WORKER)


_BY_NAME = (
    (re.compile(r"coordinator", re.IGNORECASE), Role.COORDINATOR),
    (re.compile(r"engine_?core", re.IGNORECASE), Role.ENGINE_CORE),
    (re.compile(r"api_?server", re.IGNORECASE), Role.FRONT_END),
    (re.compile(r"worker", re.IGNORECASE), Role.WORKER),
)
_BY_PROGRAM = (
    (re.compile(r"resource_tracker"), Role.TRACKER),
    (re.compile(r"models\.registry"), Role.INSPECTION),
    (re.compile(r"compile_worker"), Role.COMPILER),
    (re.compile(r"\bserve\b|api_server|entrypoints"), Role.FRONT_END),
)
_BY_WORK = (
    (("engine core", CONSTRUCTION), Role.ENGINE_CORE),
    ((CONSTRUCTION, "worker"), Role.WORKER),
)
_RANK = re.compile(r"(?:TP|Worker[-_])(\d{1,6})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One interpreter of the engine."""

    pid: int
    parent: int | None
    """Its parent's process id; None where that is not among the probed ones."""
    role: Role
    rank: int | None
    """A worker's number; None where it has none or never said it."""
    depth: int
    """How many processes are between it and the front end, itself counted."""
    forked: bool | None = None
    """Whether it is a copy of its parent, not an interpreter of its own; None where it never
    introduced itself."""
    artefact: str = ""
    line: int | None = None
    """Where it introduced itself; None where it did not."""
    modules: Modules | None = None
    """How many it loaded, and from what; None where it did not say."""


def who_is_who(files: Iterable[ProbeFile]) -> dict[int, Process]:
    """Roles, parents and depths of all processes, by process id."""
    by_pid = {file.pid: file for file in files}
    parents = {pid: _parent(file, by_pid) for pid, file in by_pid.items()}
    roles = {pid: _role(file) for pid, file in by_pid.items()}
    fronts = {pid for pid, role in roles.items() if role is Role.FRONT_END}
    if not fronts:
        nameless = {pid for pid in by_pid if roles[pid] is Role.HELPER and parents[pid] is None}
        fronts = _eldest(nameless, by_pid, parents)
        roles |= dict.fromkeys(fronts, Role.FRONT_END)
    above = {ancestor for pid in fronts for ancestor in _ancestors(pid, parents)} - fronts
    return {
        pid: Process(
            pid=pid,
            parent=parents[pid],
            role=Role.LAUNCHER if pid in above else roles[pid],
            rank=_rank(file),
            depth=_depth(pid, parents, fronts | above),
            forked=all(o.forked for o in file.openings) if file.openings else None,
            artefact=file.name,
            line=file.openings[0].line if file.openings else None,
            modules=file.modules,
        )
        for pid, file in by_pid.items()
    }


def _parent(file: ProbeFile, by_pid: Mapping[int, ProbeFile]) -> int | None:
    for opening in file.openings[:1]:
        if opening.ppid in by_pid and opening.ppid != file.pid:
            return opening.ppid
    return None


def _eldest(
    roots: Iterable[int], by_pid: Mapping[int, ProbeFile], parents: Mapping[int, int | None]
) -> set[int]:
    """Without any process that looks like a front end: the root with the most below it."""
    below = dict.fromkeys(roots, 0)
    for pid in by_pid:
        for ancestor in _ancestors(pid, parents):
            if ancestor in below:
                below[ancestor] += 1
    eldest = max(below, key=lambda pid: (below[pid], -_began_ns(by_pid[pid])), default=None)
    return set() if eldest is None else {eldest}


def _began_ns(file: ProbeFile) -> int:
    return file.openings[0].start_ns if file.openings else file.last_ns


def _role(file: ProbeFile) -> Role:
    for name in reversed(file.called):
        for pattern, role in _BY_NAME:
            if pattern.search(name):
                return role
    done = {(interval.group, interval.name) for interval in file.intervals}
    for work, role in _BY_WORK:
        if work in done:
            return role
    for opening in file.openings:
        # A forked child still shows the program of its parent.
        for pattern, role in _BY_PROGRAM if not opening.forked else ():
            if pattern.search(opening.program):
                return role
    return Role.HELPER


def _rank(file: ProbeFile) -> int | None:
    for name in reversed(file.called):
        told = _RANK.search(name)
        if told:
            return int(told[1])
    return None


def _ancestors(pid: int, parents: Mapping[int, int | None]) -> list[int]:
    found: list[int] = []
    parent = parents.get(pid)
    while parent is not None and len(found) < _MOST_GENERATIONS:
        found.append(parent)
        parent = parents.get(parent)
    return found


def _depth(pid: int, parents: Mapping[int, int | None], tops: set[int]) -> int:
    if pid in tops:
        return 0
    line = _ancestors(pid, parents)
    for distance, ancestor in enumerate(line, start=1):
        if ancestor in tops:
            return distance
    return len(line)
