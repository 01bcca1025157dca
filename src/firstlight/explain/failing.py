"""
Why a start did not come up.

The process that failed first says why; the others only say that it failed. So
the first exception wins that is not itself a report about another process, and a
cause that is known by its wording wins over one that is only an exception. Where
only the report was collected, the answer is that the cause is not in this log.
"""

import re
from dataclasses import dataclass

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.starts import Failure
from firstlight.explain.splitting import Group
from firstlight.readers.log_line import Role
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A cause known by its wording."""

    kind: str
    pattern: re.Pattern[str]
    remedy: str


CAUSES = (
    Cause(
        kind="gpu_memory_taken",
        pattern=re.compile(r"Free memory on device .* less than desired GPU memory utilization"),
        remedy="another process holds the GPU's memory: end it, or lower --gpu-memory-utilization "
        "below the free share that the line states",
    ),
    Cause(
        kind="kv_cache_too_small",
        pattern=re.compile(
            r"To serve at least one request with the model|No available memory for the cache "
            r"blocks|Cannot auto-fit max_model_len"
        ),
        remedy="lower --max-model-len, or raise --gpu-memory-utilization if memory is left",
    ),
    Cause(
        kind="out_of_gpu_memory",
        pattern=re.compile(
            r"OutOfMemoryError|CUDA out of memory|HIP out of memory|not enough GPU memory"
        ),
        remedy="lower --gpu-memory-utilization, --max-model-len or --max-num-seqs, or use more "
        "or larger GPUs",
    ),
    Cause(
        kind="out_of_host_memory",
        pattern=re.compile(r"Available memory on node .* less than|MemoryError|Cannot allocate"),
        remedy="give the pod more memory, or lower VLLM_CPU_KVCACHE_SPACE on a CPU engine",
    ),
    Cause(
        kind="weights_missing",
        pattern=re.compile(
            r"Cannot find any (?:\w+ )?model weights|weights were not initialized from checkpoint"
            r"|SafetensorError|Error while deserializing header"
        ),
        remedy="check that the model folder holds all shards of the checkpoint, undamaged",
    ),
    Cause(
        kind="model_not_found",
        pattern=re.compile(
            r"is not a local folder and is not a valid model identifier|RepositoryNotFound"
            r"|HFValidationError|GatedRepo|couldn't connect to|LocalEntryNotFoundError"
            r"|Invalid repository ID or local directory"
        ),
        remedy="check the model's path or name and, for a gated one, the token; with "
        "HF_HUB_OFFLINE=1 the model must be local",
    ),
    Cause(
        kind="port_taken",
        pattern=re.compile(r"[Aa]ddress already in use"),
        remedy="another program listens on this port: choose another --port",
    ),
    Cause(
        kind="wrong_argument",
        pattern=re.compile(r"unrecognized arguments|invalid choice|the following arguments are"),
        remedy="this vLLM does not know the argument: see `vllm serve --help` of this version",
    ),
    Cause(
        kind="module_missing",
        pattern=re.compile(r"ModuleNotFoundError|ImportError|cannot open shared object file"),
        remedy="the image lacks a package or library that this configuration needs",
    ),
    Cause(
        kind="timed_out",
        pattern=re.compile(r"Timed out waiting for engine core"),
        remedy="raise VLLM_ENGINE_READY_TIMEOUT_S, or look for what the engine was doing",
    ),
)

_STOPPED = re.compile(r"KeyboardInterrupt|SystemExit|SIGTERM")
_ANOTHERS = re.compile(
    r"[Ss]ee (?:the )?(?:stack trace|root cause)|EngineDeadError|Engine core initialization failed"
    r"|Engine process failed|WorkerProc initialization failed|Failed core proc"
)
NOT_HERE = "the root cause is not in this log: only a report about another process is"


def find_failure(group: Group, *, ready: bool) -> tuple[Failure | None, tuple[Finding, ...]]:
    """The cause of a failed start with its remedy as a finding; (None, ()) if none failed.

    Args:
        group: one start's observations.
        ready: whether the server came up; what fails later is not a failed start.
    """
    if ready:
        return None, ()
    sleeping = _sleep_mode_memory(group)
    exceptions = [o for o in group.says(Say.EXCEPTION, Say.ARGUMENT_ERROR)]
    causes = [o for o in exceptions if not _is_report(o)]
    fatal = group.first(Say.FATAL, Say.SECONDARY)
    in_error = [o for o in group.says(Say.TRACEBACK, Say.EXCEPTION) if o.line.level == "ERROR"]
    if not (fatal or in_error or _last_words(group)):
        return None, ()
    if sleeping and (causes or fatal):
        return sleeping
    for observation in causes:
        text = _text(observation)
        if known := next((c for c in CAUSES if c.pattern.search(text)), None):
            return _known(group, observation, known)
    if causes:
        return _failed(group, "exception", _text(causes[0]), causes[0])
    if timed_out := next((o for o in group.says(Say.FATAL) if "Timed out" in o.line.message), None):
        return _known(group, timed_out, CAUSES[-1])
    first = next(
        (o for o in (*group.says(Say.FATAL), *in_error, *group.says(Say.SECONDARY))), fatal
    )
    if first is None:
        return _failed(group, "exception", _text(exceptions[0]), exceptions[0])
    return _failed(group, "unknown", NOT_HERE, first)


def _is_report(observation: Observation) -> bool:
    text = _text(observation)
    return bool(_ANOTHERS.search(text) or _STOPPED.search(text))


def _text(observation: Observation) -> str:
    return observation.line.message.strip()


def _last_words(group: Group) -> bool:
    """A bare traceback counts as a failure only where no work follows it."""
    ends = [i for i, o in enumerate(group.observations) if o.say is Say.EXCEPTION]
    argument = group.first(Say.ARGUMENT_ERROR)
    if argument:
        return True
    if not ends or not group.first(Say.TRACEBACK):
        return False
    quiet = {Say.PROCESS_SPEAKS, Say.SHUTDOWN, Say.TRACEBACK, Say.EXCEPTION, Say.SECONDARY}
    return all(o.say in quiet for o in group.observations[ends[0] :])


def _known(
    group: Group, observation: Observation, cause: Cause
) -> tuple[Failure, tuple[Finding, ...]]:
    failure, _ = _failed(group, cause.kind, _text(observation), observation)
    finding = Finding(
        code=cause.kind.replace("_", "-"),
        where=_where(group, observation),
        what=_text(observation),
        remedy=cause.remedy,
        evidence=failure.evidence,
    )
    return failure, (finding,)


def _failed(
    group: Group, kind: str, message: str, observation: Observation
) -> tuple[Failure, tuple[Finding, ...]]:
    line = observation.line
    evidence = Evidence(artefact=group.artefact, line=line.number, text=line.text)
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


_NON_TORCH = re.compile(r"(-\d+(?:\.\d+)?) GiB for non-torch")
_PROPOSED = re.compile(r"`--kv-cache-memory(?:-bytes)?=(\d+)`")
_NEEDS = re.compile(
    r"([\d.]+) GiB KV cache is needed, which is larger than the available KV cache memory "
    r"\(([\d.]+) GiB"
)


def _sleep_mode_memory(group: Group) -> tuple[Failure, tuple[Finding, ...]] | None:
    """The crash loop of sleep mode beside a high memory utilisation.

    With the sleep allocator the engine's accounting goes wrong: memory outside torch comes
    out negative, the KV cache is planned over the budget, and the start dies after minutes,
    again and again.
    """
    asleep_mode = bool(group.first(Say.SLEEP_ENABLED)) or any(
        "'enable_sleep_mode': True" in o.values.get("arguments", "")
        or "enable_sleep_mode=True" in o.values.get("config", "")
        for o in group.says(Say.ARGUMENTS, Say.ENGINE_BEGINS)
    )
    advice = group.last(Say.MEMORY_ADVICE)
    negative = advice and _NON_TORCH.search(advice.values.get("rest", ""))
    over = next(
        ((o, found) for o in group.says(Say.EXCEPTION) if (found := _NEEDS.search(o.line.message))),
        None,
    )
    if not (negative or (asleep_mode and over)):
        return None
    by = advice if negative and advice else over[0] if over else None
    if by is None:
        return None
    said = []
    if negative:
        said.append(f"memory outside torch comes out negative ({negative.group(1)} GiB)")
    if over:
        said.append(f"the KV cache needs {over[1].group(1)} of {over[1].group(2)} GiB")
    proposed = _PROPOSED.search(advice.values.get("rest", "")) if advice else None
    fixed = (
        f"--kv-cache-memory-bytes {proposed.group(1)}" if proposed else "--kv-cache-memory-bytes"
    )
    what = "sleep mode makes the engine plan memory it does not have: " + ", ".join(said)
    evidence = tuple(
        Evidence(artefact=group.artefact, line=o.line.number, text=o.line.text)
        for o in (by, over[0] if over else None)
        if o
    )
    finding = Finding(
        code="sleep-mode-memory",
        where=f"{group.artefact}:{by.line.number}",
        what=what,
        remedy=f"set --gpu-memory-utilization 0.85, or {fixed}"
        + (" (the value vLLM printed)" if proposed else ""),
        evidence=evidence,
    )
    return Failure(kind="sleep_mode_memory", message=what, evidence=evidence), (finding,)
