"""
One file, several starts.

A container that crashed and came back, two services woven by compose, two runs
pasted below each other: each is a start of its own, and a total over two of them
would be a lie. A new start is recognised by its beginning (banner, version line,
a shell prompt), or, where beginnings were not collected, by the story going
backwards: the same process loading a model after it had captured graphs.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from firstlight.readers.log_line import LogLine, Role
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


@dataclass(slots=True, kw_only=True)
class Group:
    """The observations of one start."""

    artefact: str
    service: str
    observations: list[Observation] = field(default_factory=list)
    silences: list[Silence] = field(default_factory=list)

    def says(self, *what: Say) -> list[Observation]:
        return [o for o in self.observations if o.say in what]

    def first(self, *what: Say) -> Observation | None:
        return next((o for o in self.observations if o.say in what), None)

    def last(self, *what: Say) -> Observation | None:
        return next((o for o in reversed(self.observations) if o.say in what), None)


def split(log: Log) -> list[Group]:
    """The starts in a log, in the order they begin."""
    by_service: dict[str, list[Observation]] = defaultdict(list)
    for observation in log.observations:
        by_service[observation.line.service].append(observation)
    groups = [
        group
        for service, observations in by_service.items()
        for group in _split_service(log.artefact, service, observations)
    ]
    groups.sort(key=lambda g: g.observations[0].line.number)
    _share_silences(groups, log.silences)
    return [g for g in groups if _worth_telling(g)]


def _split_service(artefact: str, service: str, observations: Iterable[Observation]) -> list[Group]:
    groups: list[Group] = []
    pending: list[Observation] = []
    for observation in observations:
        if not groups or _begins_another(groups[-1], observation):
            groups.append(Group(artefact=artefact, service=service))
            groups[-1].observations.extend(_preamble_of(groups, pending))
        pending = [*pending, observation] if observation.say in _PREAMBLE else []
        groups[-1].observations.append(observation)
    return groups


def _preamble_of(groups: list[Group], pending: list[Observation]) -> list[Observation]:
    """Lines just before a banner belong to the start it opens: take them along."""
    if len(groups) < 2:  # noqa: PLR2004
        return []
    before = groups[-2].observations
    moved = [o for o in pending if o in before[-len(pending) :]]
    if moved:
        del before[-len(moved) :]
    return moved


def _begins_another(group: Group, new: Observation) -> bool:
    said = {o.say for o in group.observations}
    progressed = bool(said - _PREAMBLE)
    if new.say in _OPENERS:
        again = any(
            o.say is new.say and o.line.pid != new.line.pid or o.say is Say.SHELL_SERVE
            for o in group.says(new.say)
        )
        return progressed or again or (new.say is Say.SHELL_SERVE and bool(said))
    if new.say is Say.PLATFORM:
        return bool(said & _SERVING)
    if new.say is Say.ENGINE_BEGINS:
        return _engine_came_again(group, new)
    if new.say in (Say.LOAD_BEGINS, Say.MODEL_LOADED):
        return _went_backwards(group, new.line)
    return False


def _engine_came_again(group: Group, new: Observation) -> bool:
    """The same engine process introduces itself a second time, or after it had worked."""
    if any(
        o.line.process == new.line.process and o.line.pid != new.line.pid
        for o in group.observations
        if o.line.role is not Role.FRONT_END and o.line.process and o.line.pid is not None
    ):
        return True
    return any(
        o.line.process == new.line.process and o.line.pid == new.line.pid
        for o in group.says(Say.ENGINE_BEGINS)
    )


def _went_backwards(group: Group, line: LogLine) -> bool:
    if group.first(Say.RELOADING):
        return False
    return any(
        o.line.process == line.process and o.line.pid == line.pid for o in group.says(*_LATE)
    )


_SUBSTANCE = frozenset(Say) - {
    Say.PROCESS_SPEAKS,
    Say.TRACEBACK,
    Say.EXCEPTION,
    Say.ARGUMENT_ERROR,
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
    from_engine = any(o.line.role is not Role.UNKNOWN for o in group.observations)
    return bool(said & _SUBSTANCE) or from_engine


def _share_silences(groups: list[Group], silences: Iterable[Silence]) -> None:
    """Each silence goes to the start whose lines it lies between."""
    for silence in silences:
        inside = [
            g
            for g in groups
            if g.service == silence.before.service
            and g.observations[0].line.number <= silence.before.number
        ]
        if inside:
            inside[-1].silences.append(silence)
