"""
The numbers the engine printed, kept as printed.

A fact is never computed, converted or averaged: where two lines disagree, both
are there. Every rank prints its own durations, so a list may hold the same
number several times. What was printed after the server came up (a reload, a
later profile) says nothing about the start and is left out.
"""

from collections.abc import Mapping

from firstlight.core.starts import FACT_NAMES, Fact, Sleep
from firstlight.explain.group import Group
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say

_SOURCES: tuple[tuple[Say, str, str], ...] = (
    (Say.WEIGHTS_TOOK, "s", "weights_s"),
    (Say.MODEL_LOADED, "s", "model_load_s"),
    (Say.MODEL_LOADED, "gib", "model_gib"),
    (Say.DOWNLOADED, "s", "download_s"),
    (Say.STREAMED, "s", "stream_s"),
    (Say.DYNAMO_TOOK, "s", "dynamo_s"),
    (Say.COMPILE_TOOK, "s", "compile_s"),
    (Say.GRAPH_LOADED, "s", "cache_load_s"),
    (Say.PROFILING_TOOK, "s", "profiling_s"),
    (Say.FIRST_RUN_TOOK, "s", "profiling_s"),
    (Say.GRAPHS_CAPTURED, "s", "graph_capture_s"),
    (Say.MM_WARMED, "s", "mm_warmup_s"),
    (Say.ENGINE_READY, "s", "engine_init_s"),
    (Say.ENGINE_READY, "compilation", "engine_init_compile_s"),
    (Say.CHECKPOINT, "gib", "checkpoint_gib"),
    (Say.KV_AVAILABLE, "gib", "kv_cache_gib"),
    (Say.AWAKE, "s", "wake_s"),
    (Say.SLEEP_FREED, "gib", "sleep_freed_gib"),
    (Say.SLEEP_FREED, "in_use", "sleep_in_use_gib"),
)
_ALSO_LATER = frozenset({Say.AWAKE, Say.SLEEP_FREED})


def gather_facts(group: Group, *, ready_line: int | None) -> Mapping[str, tuple[Fact, ...]]:
    """Every fact of the JSON contract, by name.

    Args:
        group: one start's observations.
        ready_line: the number of the line that ends the start; None where there is none.
    """
    facts: dict[str, list[Fact]] = {name: [] for name in FACT_NAMES}
    for observation in group.observations:
        late = ready_line is not None and observation.line.number > ready_line
        for say, value, name in _SOURCES:
            if observation.say is not say or value not in observation.values:
                continue
            if not late or say in _ALSO_LATER:
                facts[name].append(_fact(group, observation, value))
    if not facts["sleep_freed_gib"]:
        # Where the worker's own line was not collected, the allocator's says it too.
        facts["sleep_freed_gib"] = [_fact(group, o, "gib") for o in group.says(Say.ALLOCATOR_FREED)]
    return {name: tuple(found) for name, found in facts.items()}


def gather_sleeps(group: Group) -> tuple[Sleep, ...]:
    """Each falling asleep, with its level where anything tells it."""
    sleeps: list[Sleep] = []
    relevant = group.says(Say.ASLEEP, Say.AWAKE, Say.SLEEP_ASKED, Say.ALLOCATOR_FREED)
    for at, observation in enumerate(relevant):
        if observation.say is not Say.ASLEEP:
            continue
        level = _asked_level(relevant[at + 1 :])
        if level is None:
            level = _kept_level(relevant[:at])
        sleeps.append(Sleep(level=level, seconds=_fact(group, observation, "s")))
    return tuple(sleeps)


def _asked_level(later: list[Observation]) -> int | None:
    """The level in the access line of the request, which is printed after it was served."""
    for observation in later:
        if observation.say in (Say.ASLEEP, Say.AWAKE):
            return None
        if observation.say is Say.SLEEP_ASKED and observation.values.get("status") == "200":
            query = observation.values.get("query", "")
            pairs = dict(p.partition("=")[::2] for p in query.split("&"))
            asked = pairs.get("level", "1")  # the route's default
            return int(asked) if asked in {"0", "1", "2"} else None
    return None


def _kept_level(earlier: list[Observation]) -> int | None:
    """Level 1 keeps the weights in host memory, level 2 keeps nothing."""
    for observation in reversed(earlier):
        if observation.say is Say.ASLEEP:
            return None
        if observation.say is Say.ALLOCATOR_FREED:
            return 1 if float(observation.values["backed"]) > 0 else 2
    return None


def _fact(group: Group, observation: Observation, value: str) -> Fact:
    line = observation.line
    return Fact(
        printed=observation.values[value],
        evidence=group.quote(line),
    )
