"""
From what was said and seen to an explained start.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

from firstlight.core.activities import Activity
from firstlight.core.attribution import attribute
from firstlight.core.findings import Finding
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.starts import (
    CacheVerdict,
    CompileCache,
    Failure,
    Outcome,
    Start,
    Total,
)
from firstlight.core.timeline import Span
from firstlight.explain.axis import Axis, choose_axis
from firstlight.explain.cache_verdict import CacheWitness, judge
from firstlight.explain.facts import gather_facts, gather_sleeps
from firstlight.explain.failing import find_failure
from firstlight.explain.group import Group
from firstlight.explain.moments import Moments, find_moments
from firstlight.explain.steps import UNTIL_POLL, steps_of
from firstlight.explain.transfers import weight_transfers
from firstlight.explain.unexplained import quote_unexplained
from firstlight.readers.wordings.wording import Say

if TYPE_CHECKING:
    from firstlight.readers.vllm_log import Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What others than the log know about a start; empty for a log alone."""

    marks: tuple[Mark, ...] = ()
    """On the axis of the log's outer stamps."""
    activities: tuple[Activity, ...] = ()
    witness: CacheWitness = field(default_factory=CacheWitness)
    failure: Failure | None = None
    """What the measuring side saw: an exit, a time-out."""
    findings: tuple[Finding, ...] = ()
    scenario: str | None = None
    link_gbps: float | None = None


def build_start(group: Group, seen: Seen) -> Start:
    """One start from its observations and what else is known."""
    # Somebody's marks are on the axis of the outer stamps: then those are the clock.
    axis = (
        Axis(clock=Clock.OUTER)
        if seen.marks
        else choose_axis(group.artefact, [o.line for o in group.observations])
    )
    ready, failure, why = _outcome_of(group, seen)
    moments = find_moments(group, axis, seen.marks, ready=ready)
    about_round = seen.findings
    if seen.failure and (failure is None or failure.kind == "unknown"):
        failure = seen.failure
    elif failure:
        # The log names the cause; that the process ended is only its consequence.
        about_round = ()
    facts = gather_facts(group, ready_line=moments.ready_line)
    transfers, slow = weight_transfers(facts, ranks=_ranks(group), link_gbps=seen.link_gbps)
    activities = [*seen.activities, *_told_by_log(group, axis, seen)]
    total, phases = _timeline(moments, activities)
    woven = _woven(group)
    if woven:
        # Lines of two engines cannot be told apart: what they say together is nobody's start.
        total, phases, transfers, slow = None, (), (), ()
    # Folders and counters tell about an engine that got as far as its caches.
    reached = group.first(Say.ENGINE_READY) or _is_silent_but_ready(group, seen)
    cache = judge(group, seen.witness if reached else CacheWitness())
    if woven:
        cache = replace(cache, verdict=CacheVerdict.UNKNOWN, reason=woven.what, proof="none")
    outcome = _outcome(failure, ready=ready)
    return Start(
        source=f"{group.artefact} [{group.service}]" if group.service else group.artefact,
        engine="vllm",
        engine_version=_version(group),
        outcome=outcome,
        failure=failure,
        scenario=seen.scenario,
        total=total,
        phases=phases,
        facts=facts,
        sleeps=gather_sleeps(group),
        compile_cache=cache,
        first_token_ns=_first_token(moments),
        transfers=transfers,
        unexplained=quote_unexplained(group, axis, phases),
        seen_ns=None if total else _seen(moments),
        unfinished=None if total else moments.unfinished,
        findings=(
            *why,
            *about_round,
            *([woven] if woven else []),
            *axis.findings,
            *slow,
            *_about_cache(group, cache),
            *_about_stop(group, outcome),
        ),
        activities=tuple(activities),
        timed=axis.clock is not None,
    )


def _woven(group: Group) -> Finding | None:
    """Two engines in one stream, with the same process ids, and nothing that tells them apart.

    One process puts its weights in place and gets its engine ready once.
    """
    if group.first(Say.RELOADING, Say.ASLEEP):
        return None
    once: dict[tuple[Say, str, int | None], Observation] = {}
    for observation in group.says(Say.MODEL_LOADED, Say.ENGINE_READY):
        line = observation.line
        key = (observation.say, line.process, line.pid)
        if not line.process or "s" not in observation.values:
            continue
        if key in once:
            first = once[key].line
            return Finding(
                code="woven-logs",
                where=f"{group.artefact}:{line.number}",
                what="the lines of two engines with the same process ids are woven together",
                remedy="collect each pod by itself, or with `kubectl logs --prefix`",
                evidence=(group.quote(first), group.quote(line)),
            )
        once[key] = observation
    return None


def _told_by_log(group: Group, axis: Axis, seen: Seen) -> list[Activity]:
    """What the log names. Beside a probe only what lies outside the engine counts.

    The log's names are coarse: laid under a probe's, they would cover whatever it left
    unnamed, and nothing would be.
    """
    steps = steps_of(group, axis, seen.marks)
    return [a for a in steps if a.path == (UNTIL_POLL,)] if seen.activities else steps


def _is_silent_but_ready(group: Group, seen: Seen) -> bool:
    """An engine whose log was switched off says nothing; the probe still counted in it."""
    return not group.observations and seen.witness.counters is not None


def _seen(moments: Moments) -> int | None:
    """How far the input reaches from the start's beginning; None where that is not in it."""
    begins = moments.begins
    return moments.last.at_ns - begins.at_ns if begins and moments.last else None


def _outcome_of(group: Group, seen: Seen) -> tuple[bool, Failure | None, tuple[Finding, ...]]:
    """Whether the start came up, and why not.

    An answer and uvicorn's last word prove it. Routes are listed a moment before the port
    is taken: they count where nothing went wrong behind them.
    """
    answered = any(mark.kind is MarkKind.HEALTH_200 for mark in seen.marks)
    if answered or group.server_lines(Say.UVICORN_COMPLETE):
        return True, None, ()
    failure, why = find_failure(group, ready=False)
    return bool(group.server_lines(Say.ROUTES)) and failure is None, failure, why


def _outcome(failure: Failure | None, *, ready: bool) -> Outcome:
    if ready:
        return Outcome.READY
    return Outcome.FAILED if failure else Outcome.INCOMPLETE


_SPLIT = re.compile(r"\b(?:tensor|pipeline)_parallel_size=(\d{1,4})\b")


def _ranks(group: Group) -> int | None:
    """Over how many processes the model is split; None where nothing tells."""
    told = [int(o.values["world"]) for o in group.says(Say.WORLD, Say.RANKS)]
    for engine in group.says(Say.ENGINE_BEGINS):
        sizes = [int(size) for size in _SPLIT.findall(engine.values.get("config", ""))]
        told += [prod(sizes)] if sizes else []
    return max(told, default=None)


def _version(group: Group) -> str | None:
    for say in (Say.BANNER_VERSION, Say.API_VERSION, Say.ENGINE_BEGINS):
        if found := group.first(say):
            return found.values["version"].lstrip("v") or None
    return None


def _first_token(moments: Moments) -> int | None:
    token = moments.get(MarkKind.FIRST_TOKEN)
    ready = moments.get(MarkKind.HEALTH_200)
    return token.at_ns - ready.at_ns if token and ready else None


def _timeline(
    moments: Moments, activities: Sequence[Activity]
) -> tuple[Total | None, tuple[Span, ...]]:
    """A total with its partition where both ends are proven, else the proven phases alone."""
    begins = moments.begins
    ends = moments.get(MarkKind.HEALTH_200) or moments.get(MarkKind.SERVER_UP)
    windows = moments.windows()
    if begins and ends and ends.at_ns > begins.at_ns:
        timeline = attribute(
            start_ns=begins.at_ns, end_ns=ends.at_ns, windows=windows, activities=activities
        )
        total = Total(
            timeline=timeline,
            uncertainty_ns=begins.resolution_ns + ends.resolution_ns,
            starts_at=begins.kind.value,
            ends_at="server_line" if ends.kind is MarkKind.SERVER_UP else ends.kind.value,
        )
        return total, timeline.spans
    alone = [
        attribute(
            start_ns=w.begins.at_ns, end_ns=w.ends.at_ns, windows=[w], activities=activities
        ).spans
        for w in windows
        if w.ends.at_ns > w.begins.at_ns
    ]
    return None, tuple(span for spans in alone for span in spans)


def _about_cache(group: Group, cache: CompileCache) -> tuple[Finding, ...]:
    if cache.verdict is not CacheVerdict.BROKEN:
        return ()
    return (
        Finding(
            code="compile-cache-broken",
            where=group.artefact,
            what=cache.reason,
            remedy="set VLLM_USE_AOT_COMPILE=0 and persist TORCHINDUCTOR_CACHE_DIR, or, where "
            "the engine or its arguments changed, fill the cache anew; VLLM_FORCE_AOT_LOAD=1 "
            "turns a silent recompile into an error",
            evidence=cache.evidence,
        ),
    )


def _about_stop(group: Group, outcome: Outcome) -> tuple[Finding, ...]:
    """A start that was told to end before it was up: on Kubernetes mostly by a probe."""
    stop = group.first(Say.SHUTDOWN)
    if outcome is Outcome.READY or stop is None:
        return ()
    return (
        Finding(
            code="stopped-before-ready",
            where=f"{group.artefact}:{stop.line.number}",
            what="the engine was told to stop before it was up",
            remedy="if nobody stopped it by hand, look for a liveness or startup probe that gave "
            "up (`kubectl describe pod`), and give the start more failureThreshold",
            evidence=(group.quote(stop.line),),
        ),
    )
