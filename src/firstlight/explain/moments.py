"""
The marks that bound the phases, taken from a start's observations.

Each is the first or the last of several lines, because the clock waits for the
slowest rank: weights begin to load when the first worker begins, and are in
place when the last one says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.core.attribution import PhaseWindow
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.explain.axis import Axis
from firstlight.explain.group import Group
from firstlight.readers.log_line import Role
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say

_OPENING = frozenset(
    {
        Say.CLI_WARNING,
        Say.API_VERSION,
        Say.BANNER_VERSION,
        Say.ARGUMENTS,
        Say.SHELL_SERVE,
    }
)
_SERVER = (Say.UVICORN_COMPLETE, Say.ROUTES, Say.SERVER_STARTING)
_AFTER_ENGINE = (Say.TASKS, Say.CHAT_FORMAT, Say.SERVER_STARTING, Say.ROUTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """The marks of one start that were proven; an absent one is absent."""

    marks: dict[MarkKind, Mark]
    ready_line: int | None
    """The line that ends the start; None where the input does not show it."""
    last: Mark | None
    """The last thing known of a start that did not come up; None where it did."""
    served: Evidence | None = None
    """The server's own word that it is up, also where the start is not believed to be."""

    def get(self, kind: MarkKind) -> Mark | None:
        return self.marks.get(kind)

    @property
    def begins(self) -> Mark | None:
        """Where the start begins: with its process, or with its log."""
        return self.get(MarkKind.PROCESS_STARTED) or self.get(MarkKind.FIRST_LOG_LINE)

    @property
    def unfinished(self) -> Phase | None:
        """The phase in which the input, or the start, ends; None where it came up."""
        if self.last is None:
            return None
        open_phases = [phase for phase, begins, ends in self._edges() if begins and not ends]
        return open_phases[-1] if open_phases else None

    def windows(self) -> list[PhaseWindow]:
        """The phases whose both ends are proven, in order; the unfinished one to its last line."""
        windows = [
            PhaseWindow(phase=phase, begins=begins, ends=ends)
            for phase, begins, ends in self._edges()
            if begins and ends
        ]
        for phase, begins, _ in self._edges():
            if phase is self.unfinished and begins and self.last:
                windows.append(PhaseWindow(phase=phase, begins=begins, ends=self.last))
        return windows

    def _edges(self) -> list[tuple[Phase, Mark | None, Mark | None]]:
        return [
            (Phase.PROCESS_INIT, self.begins, self.get(MarkKind.LOAD_BEGINS)),
            (
                Phase.WEIGHT_LOAD,
                self.get(MarkKind.LOAD_BEGINS),
                self.get(MarkKind.WEIGHTS_IN_PLACE),
            ),
            (
                Phase.ENGINE_INIT,
                self.get(MarkKind.WEIGHTS_IN_PLACE),
                self.get(MarkKind.ENGINE_READY),
            ),
            (Phase.API_START, self.get(MarkKind.ENGINE_READY), self.get(MarkKind.SERVER_UP)),
            (
                Phase.READINESS_LAG,
                self.get(MarkKind.SERVER_UP),
                self.get(MarkKind.POD_READY) or self.get(MarkKind.HEALTH_200),
            ),
        ]


def find_moments(group: Group, axis: Axis, seen: Iterable[Mark], *, ready: bool) -> Moments:
    """The marks of a start.

    Args:
        group: its observations.
        axis: the clock to read them by.
        seen: what somebody outside the engine saw (a process start, an answered request),
            on the same axis.
        ready: whether the start came up; a server that did not has no moment of being up.
    """
    finder = _Finder(group=group, axis=axis)
    marks = {mark.kind: mark for mark in seen}
    for kind, observation in finder.observed():
        if observation is None or kind in marks:
            continue
        moment = axis.moment(observation.line)
        if moment is not None and axis.clock is not None:
            marks[kind] = Mark(
                kind=kind,
                at_ns=moment.at_ns,
                resolution_ns=moment.resolution_ns,
                clock=axis.clock,
                evidence=group.quote(observation.line),
            )
    if not ready:
        marks.pop(MarkKind.SERVER_UP, None)
    complete = group.server_lines(Say.UVICORN_COMPLETE)
    up = complete[:1] or group.server_lines(*_SERVER)[-1:]
    return Moments(
        marks=marks,
        ready_line=up[0].line.number if up and ready else None,
        last=None if ready else _last(group, axis),
        served=group.quote(complete[0].line) if complete else None,
    )


def _last(group: Group, axis: Axis) -> Mark | None:
    """The last line with a stamp."""
    lines = [o.line for o in group.observations] + [s.after for s in group.silences]
    placed = [(moment, line) for line in lines if (moment := axis.moment(line))]
    if not placed or axis.clock is None:
        return None
    moment, line = max(placed, key=lambda p: (p[0].at_ns, p[1].number))
    return Mark(
        kind=MarkKind.LAST_LOG_LINE,
        at_ns=moment.at_ns,
        resolution_ns=moment.resolution_ns,
        clock=axis.clock,
        evidence=group.quote(line),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finder:
    group: Group
    axis: Axis

    def observed(self) -> list[tuple[MarkKind, Observation | None]]:
        engine_ready = self._engine_ready()
        return [
            (MarkKind.FIRST_LOG_LINE, self._first_line()),
            (MarkKind.LOAD_BEGINS, self.group.first(Say.LOAD_BEGINS)),
            (MarkKind.WEIGHTS_IN_PLACE, self._weights_in_place(engine_ready)),
            (MarkKind.ENGINE_READY, engine_ready),
            (MarkKind.SERVER_UP, self._server_up()),
        ]

    def _stamped(self, observation: Observation) -> bool:
        return self.axis.moment(observation.line) is not None

    def _first_line(self) -> Observation | None:
        """The first stamped line, where the front end's beginning was collected.

        The server's line is the front end's too, so an engine's first word alone is no
        beginning of what ends there: the file was cut. A detected platform is none
        either: before 0.11 every process of a start prints it.
        """
        if not any(o.say in _OPENING for o in self._before_work()):
            return None
        return next((o for o in self.group.observations if self._stamped(o)), None)

    def _before_work(self) -> list[Observation]:
        """Observations before the engine does anything: a beginning stands among them."""
        until = {Say.ENGINE_BEGINS, Say.WORLD, Say.RANKS, Say.LOAD_BEGINS}
        before: list[Observation] = []
        for observation in self.group.observations:
            if observation.say in until:
                break
            if observation.line.role in (Role.ENGINE_CORE, Role.WORKER):
                break
            before.append(observation)
        return before

    def _weights_in_place(self, engine_ready: Observation | None) -> Observation | None:
        """The last word about loading before the engine is ready, by the slowest rank."""
        until = engine_ready.line.number if engine_ready else None
        for says in ((Say.MODEL_LOADED,), (Say.WEIGHTS_TOOK, Say.STREAMED)):
            found = [
                o
                for o in self.group.says(*says)
                if self._stamped(o) and (until is None or o.line.number <= until)
            ]
            if found:
                return found[-1]
        return None

    def _engine_ready(self) -> Observation | None:
        """`init engine took`; where it was not collected, the front end's first word after."""
        server = next(iter(self.group.server_lines(Say.UVICORN_COMPLETE)), None)
        ready = [
            o
            for o in self.group.says(Say.ENGINE_READY)
            if server is None or o.line.number < server.line.number
        ]
        if ready:
            return next((o for o in reversed(ready) if self._stamped(o)), ready[-1])
        loaded = self.group.last(Say.MODEL_LOADED, Say.WEIGHTS_TOOK)
        return next(
            (
                o
                for o in self.group.says(*_AFTER_ENGINE)
                if loaded and o.line.number > loaded.line.number and self._stamped(o)
            ),
            None,
        )

    def _server_up(self) -> Observation | None:
        """The line of uvicorn where it has a time, else the last line that only a server prints."""
        for say in _SERVER:
            found = [o for o in self.group.server_lines(say) if self._stamped(o)]
            if found:
                return found[0] if say is Say.UVICORN_COMPLETE else found[-1]
        return None
