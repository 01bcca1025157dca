"""
What happened inside a phase, told by the log alone.

Two kinds of evidence name a stretch. Two neighbouring lines, where the source of
vLLM leaves no doubt what lies between them (`Warming up model` and `Warming up
done`). And a duration that the engine printed: `Loading weights took 19.8 s`
names the 19.8 s before that line. The first is listed in `BETWEEN`, the second
in `PRINTED`. A stretch that neither names stays unnamed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from firstlight.core.activities import Activity
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.units import nanoseconds
from firstlight.explain.axis import Axis
from firstlight.explain.group import Group
from firstlight.readers.log_line import Role
from firstlight.readers.wordings.wording import Say

LOG_DEPTH = -2
"""Below what a process says about itself; negative, so that no process's track shows it."""

UNTIL_POLL = "until the next poll"
"""Outside the engine: nobody had asked yet."""

A, E, W, ANY = Role.FRONT_END, Role.ENGINE_CORE, Role.WORKER, Role.UNKNOWN
Point = Say | MarkKind

_FRONT_FIRST = {
    Say.PLATFORM,
    Say.CLI_WARNING,
    Say.API_VERSION,
    Say.BANNER_VERSION,
    Say.BANNER_MODEL,
    Say.ARGUMENTS,
}
_CONFIG = {Say.ARCHITECTURE, Say.MAX_LENGTH, Say.SCHEDULER_CONFIG, Say.EAGER, Say.SLEEP_ENABLED}
_PLACED = {Say.WORLD, Say.RANKS}
_COMPILE = {
    Say.COMPILE_BEGINS,
    Say.CACHE_FOLDER,
    Say.DYNAMO_TOOK,
    Say.GRAPH_LOADED,
    Say.AOT_LOADED,
    Say.AOT_BROKEN,
}
_GRAPHED = {Say.GRAPHS_CAPTURED, Say.CAPTURE_BAR}
_SERVED = {Say.SERVER_STARTING, Say.ROUTES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """A name for the time between two neighbouring points."""

    name: str
    after: frozenset[Point]
    before: frozenset[Point]


def _between(name: str, after: Iterable[Point], before: Iterable[Point]) -> Between:
    return Between(name=name, after=frozenset(after), before=frozenset(before))


BETWEEN: tuple[Between, ...] = (
    _between(
        "front end: interpreter and imports",
        {MarkKind.PROCESS_STARTED},
        _FRONT_FIRST | {Say.PROCESS_SPEAKS},
    ),
    _between("front end: arguments and model config", _FRONT_FIRST, _FRONT_FIRST | _CONFIG),
    _between("front end: engine config", _CONFIG, _CONFIG),
    _between(
        "engine core: spawn, interpreter and imports",
        _CONFIG | _FRONT_FIRST,
        {Say.ENGINE_WAITS, Say.ENGINE_BEGINS},
    ),
    _between("engine core: hand-shake", {Say.ENGINE_WAITS}, {Say.ENGINE_BEGINS}),
    _between("engine core: executor", {Say.ENGINE_BEGINS}, {Say.EXECUTOR_BEGINS}),
    _between("worker: spawn, interpreter and imports", {Say.EXECUTOR_BEGINS}, _PLACED),
    _between("worker: device and process group", {Say.ENGINE_BEGINS} | _PLACED, _PLACED),
    _between("worker: device and process group", _PLACED, {Say.LOAD_BEGINS}),
    _between(
        "module construction",
        {Say.LOAD_BEGINS, Say.ATTENTION_BACKEND},
        {Say.ATTENTION_BACKEND, Say.MODULES_MADE, Say.CHECKPOINT},
    ),
    _between(
        "find and read weights",
        {Say.MODULES_MADE, Say.CHECKPOINT, Say.DOWNLOADED},
        {Say.CHECKPOINT, Say.DOWNLOADED, Say.WEIGHTS_TOOK, Say.STREAMED},
    ),
    _between(
        "post-processing",
        {Say.WEIGHTS_TOOK, Say.STREAMED},
        {Say.MODEL_LOADED, Say.DRAFTER_BEGINS, Say.QUANTIZED},
    ),
    _between("drafter", {Say.DRAFTER_BEGINS}, {Say.MODEL_LOADED, Say.WEIGHTS_TOOK}),
    _between(
        "post-processing and engine set-up",
        {Say.MODEL_LOADED, Say.WEIGHTS_TOOK},
        {Say.WARM_UP_BEGINS},
    ),
    _between(
        "encoder profiling",
        {Say.ENCODER_PROFILE},
        _COMPILE | {Say.KV_AVAILABLE, Say.PROFILING_TOOK},
    ),
    _between("compile: inductor", {Say.DYNAMO_TOOK, Say.GRAPH_SAVED}, {Say.GRAPH_SAVED}),
    _between("compile: inductor", {Say.DYNAMO_TOOK, Say.GRAPH_SAVED}, {Say.GRAPH_COMPILED}),
    _between("compile: write the cache", {Say.GRAPH_COMPILED}, {Say.AOT_SAVED, Say.AOT_NOT_SAVED}),
    _between(
        "compile: finish", {Say.GRAPH_COMPILED, Say.GRAPH_LOADED, Say.AOT_SAVED}, {Say.COMPILE_TOOK}
    ),
    _between("warm-up run, with compile or cache load", {Say.WARM_UP_BEGINS}, {Say.WARM_UP_ENDS}),
    _between(
        "warm-up run, with compile or cache load",
        {Say.WARM_UP_BEGINS, Say.AOT_BROKEN},
        {Say.AOT_SAVED, Say.AOT_BROKEN, Say.AOT_NOT_SAVED},
    ),
    _between(
        "warm-up run",
        {Say.AOT_SAVED, Say.AOT_NOT_SAVED, Say.AOT_BROKEN, Say.FIRST_RUN_TOOK},
        {Say.FIRST_RUN_TOOK, Say.WARM_UP_ENDS},
    ),
    _between("KV cache sizing", {Say.WARM_UP_ENDS}, {Say.CPU_KV_SET, Say.KV_SIZE}),
    _between(
        "memory profiling",
        {Say.FIRST_RUN_TOOK, Say.COMPILE_TOOK, Say.COMPILE_AND_RUN_TOOK, Say.PROFILING_TOOK},
        {Say.KV_AVAILABLE, Say.PROFILING_TOOK, Say.GRAPH_MEMORY_BEGINS},
    ),
    _between("graph memory profiling", {Say.GRAPH_MEMORY_BEGINS}, {Say.GRAPH_MEMORY_ENDS}),
    _between("memory profiling", {Say.GRAPH_MEMORY_ENDS}, {Say.KV_AVAILABLE, Say.PROFILING_TOOK}),
    _between("KV cache sizing", {Say.KV_AVAILABLE, Say.CPU_KV_SET, Say.KV_RESERVED}, {Say.KV_SIZE}),
    _between("kernel autotune", {Say.AUTOTUNE_BEGINS}, {Say.AUTOTUNE_ENDS}),
    _between("kernel warm-up", {Say.JIT_BEGINS}, {Say.JIT_TOOK}),
    _between("graph capture", {Say.CAPTURE_BAR}, _GRAPHED),
    _between("KV cache allocation", {Say.KV_SIZE}, {Say.ENGINE_READY}),
    _between("engine core: scheduler", {Say.GRAPHS_CAPTURED}, {Say.ENGINE_READY}),
    _between("engine reports to the front end", {Say.ENGINE_READY}, {Say.TASKS}),
    _between(
        "renderer and chat template",
        {Say.TASKS, Say.CHAT_FORMAT, Say.CHAT_WARMED, Say.MM_WARMED},
        {Say.CHAT_FORMAT, Say.CHAT_WARMED, Say.MM_WARMED} | _SERVED,
    ),
    _between("routes", _SERVED, _SERVED),
    _between(
        "web server",
        _SERVED | {Say.UVICORN_STARTED},
        {Say.UVICORN_STARTED, Say.UVICORN_COMPLETE},
    ),
    _between(
        UNTIL_POLL,
        {Say.UVICORN_COMPLETE, Say.UVICORN_STARTED} | _SERVED,
        {MarkKind.HEALTH_200, MarkKind.PORT_OPEN},
    ),
    _between(UNTIL_POLL, {MarkKind.PORT_OPEN}, {MarkKind.HEALTH_200}),
)

_BY_ROLE: tuple[tuple[frozenset[Role], Role, str], ...] = (
    (frozenset({A, ANY}), E, "engine core: spawn, interpreter and imports"),
    (frozenset({A, E, ANY}), W, "worker: spawn, interpreter and imports"),
)
"""The first word of a process ends its birth: whoever spoke before was waiting for it."""

PRINTED: tuple[tuple[Say, str], ...] = (
    (Say.MODULES_MADE, "module construction"),
    (Say.DOWNLOADED, "download"),
    (Say.WEIGHTS_TOOK, "read weights"),
    (Say.STREAMED, "read weights"),
    (Say.DESERIALIZED, "read weights"),
    (Say.QUANTIZED, "online quantization"),
    (Say.DYNAMO_TOOK, "compile: dynamo"),
    (Say.GRAPH_COMPILED, "compile: inductor"),
    (Say.GRAPH_LOADED, "compile: cache load"),
    (Say.FIRST_RUN_TOOK, "profiling run"),
    (Say.COMPILE_AND_RUN_TOOK, "warm-up run, with compile or cache load"),
    (Say.JIT_TOOK, "kernel warm-up"),
    (Say.GRAPHS_CAPTURED, "graph capture"),
    (Say.MM_WARMED, "multi-modal warm-up"),
)


def steps_of(group: Group, axis: Axis, seen: Iterable[Mark]) -> list[Activity]:
    """Activities that the log names; points that have no time name nothing."""
    return [*_neighbours(group, axis, seen), *_printed(group, axis)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _At:
    point: Point
    role: Role
    at_ns: int
    resolution_ns: int
    order: int
    evidence: Evidence


_USED: frozenset[Point] = frozenset(p for rule in BETWEEN for p in (*rule.after, *rule.before)) | {
    Say.PROCESS_SPEAKS
}


def _neighbours(group: Group, axis: Axis, seen: Iterable[Mark]) -> list[Activity]:
    points = [
        _At(
            point=m.kind,
            role=ANY,
            at_ns=m.at_ns,
            resolution_ns=m.resolution_ns,
            order=0,
            evidence=m.evidence,
        )
        for m in seen
        if m.kind in _USED
    ]
    for observation in group.observations:
        moment = axis.moment(observation.line)
        if observation.say in _USED and moment is not None:
            points.append(
                _At(
                    point=observation.say,
                    role=observation.line.role,
                    at_ns=moment.at_ns,
                    resolution_ns=moment.resolution_ns,
                    order=observation.line.number,
                    evidence=group.quote(observation.line),
                )
            )
    points.sort(key=lambda p: (p.at_ns, p.order))
    found: list[Activity] = []
    for before, after in pairwise(points):
        name = _name(before, after)
        if name and after.at_ns > before.at_ns:
            found.append(
                Activity(
                    path=(name,),
                    depth=LOG_DEPTH,
                    start_ns=before.at_ns,
                    end_ns=after.at_ns,
                    uncertainty_ns=before.resolution_ns + after.resolution_ns,
                    evidence=(before.evidence, after.evidence),
                )
            )
    return found


def _name(before: _At, after: _At) -> str | None:
    for rule in BETWEEN:
        if before.point in rule.after and after.point in rule.before:
            return rule.name
    if after.point is Say.PROCESS_SPEAKS:
        for waiting, born, name in _BY_ROLE:
            if after.role is born and before.role in waiting:
                return name
    if before.point is Say.PROCESS_SPEAKS:
        return _after_first_word(before, after)
    return None


def _after_first_word(before: _At, after: _At) -> str | None:
    """A process's first line stands for what it does first, until its next known line."""
    if before.role is A and after.point in _FRONT_FIRST | _CONFIG:
        return "front end: arguments and model config"
    if before.role is E and after.point in {Say.ENGINE_WAITS, Say.ENGINE_BEGINS}:
        return "engine core: hand-shake"
    if before.role is W and after.point in _PLACED | {Say.LOAD_BEGINS}:
        return "worker: device and process group"
    return None


def _printed(group: Group, axis: Axis) -> list[Activity]:
    names = dict(PRINTED)
    found: list[Activity] = []
    for observation in group.observations:
        name, printed = names.get(observation.say), observation.values.get("s")
        moment = axis.moment(observation.line)
        if name is None or printed is None or moment is None:
            continue
        length_ns = nanoseconds(printed)
        if length_ns > 0:
            found.append(
                Activity(
                    path=(name,),
                    depth=LOG_DEPTH + 1,
                    start_ns=moment.at_ns - length_ns,
                    end_ns=moment.at_ns,
                    uncertainty_ns=moment.resolution_ns,
                    evidence=(group.quote(observation.line),),
                )
            )
    return found
