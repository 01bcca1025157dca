"""
Why a start did not come up.

The process that failed first says why; the others only say that it failed. So the
first exception wins that is not itself a report about another process: a worker's or
the engine core's before the front end's, and, of one process, a cause that is known by
its wording before one that is only an exception. An exception that its process
survived is no cause. Where only reports were collected, the answer is that the cause
is not in this log.
"""

import re
from collections.abc import Iterable, Sequence

from firstlight.core.findings import Finding
from firstlight.core.starts import Failure
from firstlight.explain.causes import CAUSES, CRASHED, KILLED, Cause, known
from firstlight.explain.group import Group
from firstlight.explain.sleep_memory import sleep_mode_memory
from firstlight.readers.log_line import Role, role_of
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say

_MILD = ("DEBUG", "INFO", "WARNING")
_BEHIND = (Role.ENGINE_CORE, Role.WORKER)
_FATAL = (Say.FATAL, Say.SECONDARY, Say.DIED, Say.CRASH, Say.ARGUMENT_ERROR)
_TROUBLE = frozenset({*_FATAL, Say.TRACEBACK, Say.EXCEPTION, Say.FRAME})
_NO_PROGRESS = _TROUBLE | {
    Say.PROCESS_SPEAKS,
    Say.SHUTDOWN,
    Say.SHARDS_BAR,
    Say.CAPTURE_BAR,
    Say.SLEEP_ASKED,
    Say.SHELL_SERVE,
}
_STOPPED = re.compile(r"KeyboardInterrupt|SystemExit|SIGTERM")
_ANOTHERS = re.compile(
    r"[Ss]ee (?:the )?(?:stack trace|root cause)|for (?:the )?root cause|EngineDeadError"
    r"|Engine core initialization failed|Engine process failed|WorkerProc initialization failed"
    r"|Failed core proc|died unexpectedly|died with exit code|Worker failed with error"
)
_SIGNAL = re.compile(
    r"(?:'(?P<core>\w+)': |\b(?P<worker>\w\S*)(?: pid \d+)? died\b.{0,40}exit code:? )"
    r"-(?P<number>\d{1,2})\b"
)
_BY_SIGNAL = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV"}
"""Signals that end an engine; SIGTERM and SIGINT are somebody's wish."""
_DETAILS = ("Value error", "Assertion failed")
"""How pydantic says below its `N validation errors` what is wrong."""
_OF_MEMORY = frozenset({"kv_cache_too_small", "out_of_gpu_memory", "gpu_memory_taken"})
NOT_HERE = "the root cause is not in this log: only a report about another process is"

Found = tuple[Failure | None, tuple[Finding, ...]]


def find_failure(group: Group, *, ready: bool) -> Found:
    """The cause of a failed start with its remedy as a finding; (None, ()) if none failed.

    Args:
        group: one start's observations.
        ready: whether the server came up; what fails later is not a failed start.
    """
    trouble = [] if ready else _trouble(group)
    if not trouble:
        return None, ()
    exceptions = [o for o in trouble if o.say in (Say.EXCEPTION, Say.ARGUMENT_ERROR)]
    observation, cause = _first_cause([o for o in exceptions if not _is_report(o)])
    sleeping = sleep_mode_memory(group)
    if sleeping and (cause is None or cause.kind in _OF_MEMORY):
        return sleeping
    if observation is not None:
        return _known(group, observation, cause) if cause else _unknown(group, observation)
    if timed_out := next((o for o in trouble if CAUSES[-1].pattern.search(_text(o))), None):
        return _known(group, timed_out, CAUSES[-1])
    if ended := _ended(trouble):
        observation, cause, message = ended
        return _known(group, observation, cause, message)
    first = min(trouble, key=lambda o: (_rank(o), o.line.number))
    return _failed(group, "unknown", NOT_HERE, first)


def _trouble(group: Group) -> list[Observation]:
    """What went wrong and was not survived; empty for a start that did not fail."""
    found: list[Observation] = []
    last_progress: dict[tuple[str, int | None], int] = {}
    for at, observation in enumerate(group.observations):
        if observation.say not in _NO_PROGRESS:
            last_progress[_who(observation)] = at
    # Where the engine goes on, what the front end or nobody complained about was handled.
    engine_goes_on = max(
        (at for (who, _), at in last_progress.items() if role_of(who) in _BEHIND), default=-1
    )
    for at, observation in enumerate(group.observations):
        if observation.say is Say.SHUTDOWN:
            # What a stopping engine complains about was not in its way to start.
            break
        lasting = observation.say in _FATAL or at > last_progress.get(_who(observation), -1)
        survived = observation.say not in _FATAL and (
            observation.line.level in _MILD or (_in_front(observation) and at < engine_goes_on)
        )
        if observation.say in _TROUBLE and lasting and not survived:
            found.append(observation)
    said = {o.say for o in found}
    serious = any(
        o.say in _FATAL
        or o.line.level in ("ERROR", "CRITICAL")
        or (o.say is Say.EXCEPTION and known(_text(o)))
        for o in found
    )
    bare = Say.EXCEPTION in said and bool(said & {Say.TRACEBACK, Say.FRAME})
    return found if serious or bare else []


def _in_front(observation: Observation) -> bool:
    return observation.line.role not in _BEHIND


def _who(observation: Observation) -> tuple[str, int | None]:
    return observation.line.process, observation.line.pid


def _first_cause(causes: Sequence[Observation]) -> tuple[Observation | None, Cause | None]:
    """The exception that says why, and its kind where it is a known one."""
    if not causes:
        return None, None
    rank = min(map(_rank, causes))
    first = [o for o in causes if _rank(o) == rank]
    for observation in first:
        if cause := known(_text(observation)):
            return observation, cause
    if "validation error" in _text(first[0]):
        return next((o for o in first if o.values.get("type") in _DETAILS), first[0]), None
    return first[0], None


def _rank(observation: Observation) -> int:
    """Who is believed first: a worker or engine core, a nameless process, the front end."""
    role = observation.line.role
    if role in (Role.WORKER, Role.ENGINE_CORE):
        return 0
    return 1 if role is Role.UNKNOWN else 2


def _is_report(observation: Observation) -> bool:
    text = _text(observation)
    return bool(_ANOTHERS.search(text) or _STOPPED.search(text))


def _text(observation: Observation) -> str:
    return observation.line.message.strip()


def _ended(trouble: Iterable[Observation]) -> tuple[Observation, Cause, str] | None:
    """A process that could not say why: a crash's last words, or who noticed a signal."""
    for observation in trouble:
        if observation.say is Say.CRASH:
            cause = KILLED if _text(observation) == "Killed" else CRASHED
            return observation, cause, _text(observation)
        found = _SIGNAL.search(_text(observation))
        if found and (name := _BY_SIGNAL.get(int(found["number"]))):
            message = f"{found['core'] or found['worker']} was ended by {name}"
            return observation, KILLED if name == "SIGKILL" else CRASHED, message
    return None


def _known(
    group: Group, observation: Observation, cause: Cause, message: str | None = None
) -> Found:
    message = message or _text(observation)
    failure, _ = _failed(group, cause.kind, message, observation)
    finding = Finding(
        code=cause.kind.replace("_", "-"),
        where=_where(group, observation),
        what=message,
        remedy=cause.remedy,
        evidence=failure.evidence if failure else (),
    )
    return failure, (finding,)


def _unknown(group: Group, observation: Observation) -> Found:
    """An exception that nobody knows here is still the answer."""
    return _failed(group, "exception", _text(observation), observation)


def _failed(group: Group, kind: str, message: str, observation: Observation) -> Found:
    line = observation.line
    evidence = group.quote(line)
    failure = Failure(kind=kind, message=message, evidence=(evidence,))
    if kind != "unknown":
        return failure, ()
    finding = Finding(
        code="root-cause-missing",
        where=_where(group, observation),
        what=message,
        remedy="collect the whole log, also of the engine and worker processes "
        "(`kubectl logs --previous` after a crash)",
        evidence=(evidence,),
    )
    return failure, (finding,)


def _where(group: Group, observation: Observation) -> str:
    who = observation.line.role
    place = f"{group.artefact}:{observation.line.number}"
    return f"{place} ({who.value})" if who is not Role.UNKNOWN else place
