"""
One file, several starts.

A container that crashed and came back, two services woven by compose, two engines on
one host, two runs pasted below each other: each is a start of its own, and a total
over two of them would be a lie. A new start is recognised by its beginning (banner,
version line, a shell prompt); or, where beginnings were not collected, by a front end
or an engine core with another process id, by time running backwards, or by the story
doing so: the same process loading a model after it had captured graphs. Lines of
starts that overlap find theirs by their process id.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from firstlight.core.units import NS_PER_S
from firstlight.explain.group import Group
from firstlight.readers.log_line import LogLine, Role
from firstlight.readers.stamps import YEAR_NS
from firstlight.readers.vllm_log import Log, Observation, Silence
from firstlight.readers.wordings.wording import Say

_OPENERS = frozenset({Say.SHELL_SERVE, Say.API_VERSION, Say.BANNER_VERSION})
_PREAMBLE = _OPENERS | {
    Say.PROCESS_SPEAKS,
    Say.PLATFORM,
    Say.CLI_WARNING,
    Say.BANNER_MODEL,
    Say.ARGUMENTS,
    Say.CHAT_WARMED,
}
_LATE = frozenset(
    {Say.GRAPHS_CAPTURED, Say.ENGINE_READY, Say.ASLEEP, Say.SLEEP_FREED, Say.UVICORN_COMPLETE}
)
_SERVING = frozenset({Say.UVICORN_COMPLETE, Say.ROUTES, Say.SERVER_STARTING})
_ON_STDERR = frozenset(
    {Say.UVICORN_STARTED, Say.UVICORN_COMPLETE, Say.SHARDS_BAR, Say.CAPTURE_BAR, Say.SHUTDOWN}
)
"""What stands in front of everything where standard error was saved first."""
_WEB = frozenset({Say.UVICORN_STARTED, Say.UVICORN_COMPLETE})
_WORK = frozenset(
    {Say.ENGINE_BEGINS, Say.LOAD_BEGINS, Say.WEIGHTS_TOOK, Say.MODEL_LOADED, Say.KV_SIZE}
)
_SLEPT = frozenset({Say.ASLEEP, Say.SLEEP_FREED, Say.ALLOCATOR_FREED, Say.AWAKE, Say.RELOADING})
_ANY_TIME = _SLEPT | {
    Say.SLEEP_ASKED,
    Say.PROCESS_SPEAKS,
    Say.SHUTDOWN,
    Say.TRACEBACK,
    Say.FRAME,
    Say.EXCEPTION,
    Say.FATAL,
    Say.SECONDARY,
}
"""What a running engine says: its clock may have been put back since the start."""
_BACKWARDS_NS = 120 * NS_PER_S
"""Lines of several processes may be out of order by a little; never by this much."""


def split(log: Log) -> list[Group]:
    """The starts in a log, in the order they begin."""
    by_service: dict[str, _Splitter] = {}
    for observation in log.observations:
        service = observation.line.service
        if service not in by_service:
            by_service[service] = _Splitter(log.artefact, service)
        by_service[service].add(observation)
    groups = [g for s in by_service.values() for g in s.groups if g.observations]
    groups.sort(key=_first_number)
    _share_silences(groups, log.silences)
    return [g for g in groups if _worth_telling(g)]


class _Splitter:
    """The starts of one service, while its lines come in."""

    def __init__(self, artefact: str, service: str) -> None:
        self.groups: list[Group] = []
        self._artefact, self._service = artefact, service
        self._said: dict[int, set[Say]] = defaultdict(set)
        self._owners: dict[int, Group] = {}
        self._current: Group | None = None
        self._pending: list[tuple[Group, Observation]] = []

    def add(self, new: Observation) -> None:
        group = self._owner(new)
        if group is None or self._begins_another(group, new):
            group = self._open(group, new)
        said = self._said[id(group)]
        if new.say in _WORK and not said & (_WORK | _SERVING - {Say.UVICORN_COMPLETE}):
            # A web server that was up before the engine began is another program's.
            group.observations = [o for o in group.observations if o.say not in _WEB]
            said -= _WEB
        group.observations.append(new)
        said.add(new.say)
        self._current = group
        if (pid := _pid(new.line)) is not None:
            self._owners[pid] = group
        if new.say in _PREAMBLE:
            self._pending.append((group, new))
        else:
            self._pending = []

    def _owner(self, new: Observation) -> Group | None:
        """The start whose process speaks; else the one that spoke last."""
        pid = _pid(new.line)
        if pid is None or pid in self._owners:
            return self._current if pid is None else self._owners[pid]
        if self._current is None or not _has_namesake(self._current, new.line):
            return self._current
        free = (g for g in reversed(self.groups) if not _has_namesake(g, new.line))
        return next((g for g in free if not self._over(g)), None)

    def _over(self, group: Group) -> bool:
        """Whether the start has its end behind it, good or bad."""
        ends = {Say.UVICORN_COMPLETE, Say.SECONDARY, Say.SHUTDOWN, Say.EXCEPTION}
        return bool(self._said[id(group)] & ends)

    def _open(self, before: Group | None, new: Observation) -> Group:
        group = Group(artefact=self._artefact, service=self._service)
        self.groups.append(group)
        if before is not None:
            # What ran there is gone if its process ids are used again.
            pid = _pid(new.line)
            if pid is None or self._owners.get(pid) is before:
                self._owners = {p: g for p, g in self._owners.items() if g is not before}
        if new.say in _OPENERS:
            for holder, observation in self._pending:
                if observation.line.role in (Role.UNKNOWN, new.line.role):
                    holder.observations.remove(observation)
                    group.observations.append(observation)
                    self._said[id(group)].add(observation.say)
            self._pending = [(group, o) for o in group.observations]
        return group

    def _begins_another(self, group: Group, new: Observation) -> bool:
        said = self._said[id(group)]
        if new.say not in _ANY_TIME and _time_runs_backwards(group, new.line):
            return True
        if new.say in _OPENERS:
            progressed = Say.SHUTDOWN in said or bool(said - _PREAMBLE - _ON_STDERR)
            return _opens_another(group, new, progressed=progressed)
        if new.say is Say.PLATFORM:
            return bool(said & _SERVING)
        if new.say is Say.ENGINE_BEGINS:
            return _engine_came_again(group, new, said)
        if new.say in (Say.LOAD_BEGINS, Say.MODEL_LOADED):
            return Say.RELOADING not in said and _was_late(group, new.line)
        if new.say in (Say.WEIGHTS_TOOK, Say.STREAMED):
            return not said & (_SLEPT | _SERVING) and _was_late(group, new.line)
        return False


def _pid(line: LogLine) -> int | None:
    """A process id that stands for one process: those of Ray are of several hosts."""
    if line.role is Role.UNKNOWN or line.process.startswith("Ray"):
        return None
    return line.pid


def _has_namesake(group: Group, line: LogLine) -> bool:
    """Whether another front end or engine core of this name spoke in this start.

    Workers are called `Worker` alike until they know their rank.
    """
    return line.role in (Role.FRONT_END, Role.ENGINE_CORE) and any(
        o.line.process == line.process and o.line.pid not in (None, line.pid)
        for o in group.observations
    )


def _time_runs_backwards(group: Group, line: LogLine) -> bool:
    for seen in reversed(group.observations):
        before = seen.line
        # By half a year and more: a stamp without a year that passed New Year's Eve.
        if line.outer_ns is not None and before.outer_ns is not None:
            return _BACKWARDS_NS < before.outer_ns - line.outer_ns < YEAR_NS // 2
        if line.engine_ns is not None and before.engine_ns is not None:
            back_ns = before.engine_ns - line.engine_ns
            return line.outer_ns is None and _BACKWARDS_NS < back_ns < YEAR_NS // 2
    return False


def _opens_another(group: Group, new: Observation, *, progressed: bool) -> bool:
    if new.say is Say.SHELL_SERVE:
        return bool(group.observations)
    alike = group.says(new.say)
    if any(_same_process(o.line, new.line) and o.line.text != new.line.text for o in alike):
        return True
    # Several API servers of one start may each have a banner.
    return progressed and not any(o.line.process != new.line.process for o in alike)


def _same_process(one: LogLine, other: LogLine) -> bool:
    return one.process == other.process


def _engine_came_again(group: Group, new: Observation, said: set[Say]) -> bool:
    """The same engine process introduces itself a second time, or after it had worked."""
    if any(
        o.line.process == new.line.process and o.line.pid != new.line.pid
        for o in group.observations
        if o.line.role is not Role.FRONT_END and o.line.process and o.line.pid is not None
    ):
        return True
    again = [
        o
        for o in group.says(Say.ENGINE_BEGINS)
        if _same_process(o.line, new.line) and o.line.pid == new.line.pid
    ]
    if not again or again[-1].line.text == new.line.text:
        return False
    # Engines of data parallelism had no names before 0.10: they begin side by side.
    nameless = not new.line.process
    worked = (_LATE | _WORK | _ENDS) - {Say.ENGINE_BEGINS}
    return not nameless or bool(said & worked)


_ENDS = frozenset({Say.EXCEPTION, Say.SECONDARY, Say.FATAL, Say.TRACEBACK})


def _was_late(group: Group, line: LogLine) -> bool:
    """Whether this process, or this engine's core, was past loading already."""
    return any(
        o.line.process == line.process and o.line.pid == line.pid for o in group.says(*_LATE)
    )


_SUBSTANCE = frozenset(Say) - {
    Say.PROCESS_SPEAKS,
    Say.TRACEBACK,
    Say.EXCEPTION,
    Say.CRASH,
    Say.ARGUMENT_ERROR,
    Say.SHARDS_BAR,
    Say.CAPTURE_BAR,
    Say.CHAT_FORMAT,
    Say.PLATFORM,
    Say.UVICORN_STARTED,
    Say.UVICORN_COMPLETE,
    Say.ATTENTION_BACKEND,
    Say.SHUTDOWN,
}
"""Says that only vLLM says; a web server's or any program's traceback is not a start."""


def _worth_telling(group: Group) -> bool:
    said = {o.say for o in group.observations}
    # Any Python program has a `MainProcess`; vLLM's has a head or says something more.
    from_engine = any(
        o.line.engine_ns is not None
        or (o.line.role is not Role.UNKNOWN and o.line.process != "MainProcess")
        for o in group.observations
    )
    # A wrong flag ends vLLM before it says anything else; its name stands in front.
    refused = any(
        o.line.message.lstrip().startswith(("vllm", "api_server.py"))
        for o in group.says(Say.ARGUMENT_ERROR)
    )
    return bool(said & _SUBSTANCE) or from_engine or refused


def _share_silences(groups: list[Group], silences: Iterable[Silence]) -> None:
    """Each silence goes to the start whose lines it lies between."""
    of_service: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        of_service[group.service].append(group)
    for silence in silences:
        candidates = of_service[silence.before.service]
        after = bisect_right(candidates, silence.before.number, key=_first_number)
        if after:
            candidates[after - 1].silences.append(silence)


def _first_number(group: Group) -> int:
    return group.observations[0].line.number
