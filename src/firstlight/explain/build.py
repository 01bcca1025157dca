"""
From what was said and seen to an explained start.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

from firstlight.core.activities import Activity
from firstlight.core.attribution import attribute
from firstlight.core.findings import Finding
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.signs import Signs
from firstlight.core.starts import (
    CacheVerdict,
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
from firstlight.explain.fingerprints import start_fingerprint
from firstlight.explain.group import Group
from firstlight.explain.log_fingerprint import engine_version
from firstlight.explain.measured import measured_findings
from firstlight.explain.moments import Moments, find_moments
from firstlight.explain.pod.engine_clock import placed
from firstlight.explain.pod.joined import (
    believed,
    ends_of,
    engine_marks,
    image_facts,
    image_transfers,
    placement_with,
    pod_activities,
    pod_findings,
)
from firstlight.explain.pod.story import PodStory
from firstlight.explain.remarks import about_cache, about_published, about_stop, woven_logs
from firstlight.explain.signs import log_signs, merged
from firstlight.explain.steps import UNTIL_POLL, steps_of
from firstlight.explain.transfers import weight_transfers
from firstlight.explain.unexplained import quote_unexplained
from firstlight.readers.measured import Measured
from firstlight.readers.wordings.wording import Say


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What others than the log know about a start; empty for a log alone."""

    marks: tuple[Mark, ...] = ()
    """On the axis of the log's outer stamps."""
    activities: tuple[Activity, ...] = ()
    parts: bool = True
    """Whether to name the parts of phases by what lies in them."""
    witness: CacheWitness = field(default_factory=CacheWitness)
    failure: Failure | None = None
    """What the measuring side saw: an exit, a time-out."""
    findings: tuple[Finding, ...] = ()
    scenario: str | None = None
    link_gbps: float | None = None
    pod: PodStory | None = None
    """What the cluster tells; its marks are on the axis of the log's CRI stamps."""
    measured: Measured | None = None
    """What somebody saw who watched the pod."""
    notes: tuple[str, ...] = ()
    signs: Signs = field(default_factory=dict)
    """Of techniques at work, by what the probe and the cluster show."""
    fingerprint: Fingerprint = field(default_factory=Fingerprint)


def build_start(group: Group, seen: Seen) -> Start:
    """One start from its observations and what else is known."""
    axis = _axis_of(group, seen)
    ready, failure, why = _outcome_of(group, seen)
    moments = find_moments(group, axis, _marks_of(seen), ready=ready)
    if seen.pod is not None:
        story, moments = believed(seen.pod, moments)
        seen = replace(seen, pod=story)
        if moments.last and story.last and not failure and story.last.at_ns > moments.last.at_ns:
            moments = replace(moments, last=story.last)
    about_round = seen.findings
    if seen.failure and (failure is None or failure.kind == "unknown"):
        failure = seen.failure
    elif failure:
        # The log names the cause; that the process ended is only its consequence.
        about_round = ()
    facts = gather_facts(group, ready_line=moments.ready_line)
    transfers, slow = weight_transfers(facts, ranks=_ranks(group), link_gbps=seen.link_gbps)
    if seen.pod is not None:
        facts = {**facts, "image_bytes": image_facts(seen.pod)}
        transfers = (*image_transfers(seen.pod, seen.link_gbps), *transfers)
    activities = [*seen.activities, *_told_by_log(group, axis, seen)] if seen.parts else []
    activities += pod_activities(seen.pod, moments)
    total, phases = _timeline(moments, activities, seen.pod)
    woven = woven_logs(group)
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
        source=_source(group, seen),
        engine="vllm" if group.observations or seen.pod is None or seen.pod.is_engine else None,
        engine_version=engine_version(group),
        outcome=outcome,
        failure=failure,
        scenario=seen.scenario or (seen.pod.scenario if seen.pod else None),
        total=total,
        phases=phases,
        facts=facts,
        sleeps=gather_sleeps(group),
        compile_cache=cache,
        first_token_ns=seen.measured.first_token_ns if seen.measured else _first_token(moments),
        watched_ns=seen.measured.watched_ns if seen.measured else None,
        transfers=transfers,
        unexplained=quote_unexplained(group, axis, phases, _known_moments(seen))
        if seen.parts
        else (),
        seen_ns=None if total else _seen(moments, seen.pod),
        unfinished=None if total else _unfinished(moments, seen.pod),
        placement=placement_with(seen.pod, moments) if seen.pod else None,
        findings=(
            *why,
            *about_round,
            *([woven] if woven else []),
            *axis.findings,
            *slow,
            *(pod_findings(seen.pod, moments) if seen.pod else ()),
            *(measured_findings(seen.measured, group.artefact, total) if seen.measured else ()),
            *about_cache(group, cache),
            *about_published(cache, seen.signs),
            *about_stop(group, outcome),
        ),
        activities=tuple(activities),
        notes=seen.notes,
        signs=seen.signs if woven else merged([log_signs(group, cache), seen.signs]),
        timed=axis.clock is not None,
        fingerprint=start_fingerprint(seen.fingerprint, group, cache, total, woven=bool(woven)),
    )


def _told_by_log(group: Group, axis: Axis, seen: Seen) -> list[Activity]:
    """What the log names. Beside a probe only what lies outside the engine counts.

    The log's names are coarse: laid under a probe's, they would cover whatever it left
    unnamed, and nothing would be.
    """
    steps = steps_of(group, axis, _marks_of(seen))
    return [a for a in steps if a.path == (UNTIL_POLL,)] if seen.activities else steps


def _is_silent_but_ready(group: Group, seen: Seen) -> bool:
    """An engine whose log was switched off says nothing; the probe still counted in it."""
    return not group.observations and seen.witness.counters is not None


def _seen(moments: Moments, pod: PodStory | None) -> int | None:
    """How far the input reaches from the start's beginning; None where that is not in it."""
    begins = _first_of(pod) if pod else moments.begins
    known = [moments.last, *([pod.last, *(w.ends for w in pod.windows)] if pod else ())]
    lasts = [m.at_ns for m in known if m]
    return max(lasts) - begins.at_ns if begins and lasts and max(lasts) > begins.at_ns else None


def _first_of(pod: PodStory) -> Mark | None:
    """The first thing known of a pod."""
    known = [pod.begins, pod.started, *(w.begins for w in pod.windows)]
    return min((m for m in known if m), key=lambda m: m.at_ns, default=None)


def _unfinished(moments: Moments, pod: PodStory | None) -> str | None:
    return (pod.unfinished if pod else None) or moments.unfinished


def _source(group: Group, seen: Seen) -> str:
    if seen.pod is not None:
        return seen.pod.subject.place
    return f"{group.artefact} [{group.service}]" if group.service else group.artefact


def _known_moments(seen: Seen) -> list[Mark]:
    """What is known beside the log, to stand around what nothing explains."""
    if seen.pod is None:
        return []
    ends = [mark for w in seen.pod.windows for mark in (w.begins, w.ends)]
    return ends + [m for m in (seen.pod.started, seen.pod.ready) if m]


def _axis_of(group: Group, seen: Seen) -> Axis:
    """The clock of this start's lines.

    Somebody's marks are on the axis of the outer stamps: then those are the clock. A pod's
    are too, but its log may have lost them.
    """
    if seen.marks:
        return Axis(clock=Clock.OUTER)
    lines = [o.line for o in group.observations]
    axis = choose_axis(group.artefact, lines)
    if seen.pod is None:
        return axis
    telling = [o.line for o in group.observations if o.say is not Say.PROCESS_SPEAKS]
    return placed(axis, group.artefact, telling or lines, seen.pod.started, seen.pod.ready)


def _marks_of(seen: Seen) -> list[Mark]:
    """What others than the log saw, with the container's start as the process's."""
    return [*seen.marks, *(engine_marks(seen.pod) if seen.pod else ())]


def _outcome_of(group: Group, seen: Seen) -> tuple[bool, Failure | None, tuple[Finding, ...]]:
    """Whether the start came up, and why not.

    An answer and uvicorn's last word prove it. Routes are listed a moment before the port
    is taken: they count where nothing went wrong behind them.
    """
    if seen.pod is not None and seen.pod.is_ready is not None:
        if seen.pod.is_ready:
            return True, None, ()
        failure, why = find_failure(group, ready=bool(group.server_lines(Say.UVICORN_COMPLETE)))
        return False, failure or seen.pod.failure, why
    answered = any(mark.kind is MarkKind.HEALTH_200 for mark in seen.marks)
    if answered or group.server_lines(Say.UVICORN_COMPLETE):
        return True, None, ()
    failure, why = find_failure(group, ready=False)
    if failure is None and seen.pod is not None:
        failure = seen.pod.failure
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


def _first_token(moments: Moments) -> int | None:
    token = moments.get(MarkKind.FIRST_TOKEN)
    ready = moments.get(MarkKind.POD_READY) or moments.get(MarkKind.HEALTH_200)
    return token.at_ns - ready.at_ns if token and ready else None


def _timeline(
    moments: Moments, activities: Sequence[Activity], pod: PodStory | None
) -> tuple[Total | None, tuple[Span, ...]]:
    """A total with its partition where both ends are proven, else the proven phases alone."""
    begins = moments.begins
    ends = moments.get(MarkKind.HEALTH_200) or moments.get(MarkKind.SERVER_UP)
    windows = moments.windows()
    uncertainty_ns = 0
    if pod is not None:
        begins, ends = ends_of(pod, moments)
        windows = [*pod.windows, *windows]
        uncertainty_ns = pod.total_uncertainty_ns(begins, ends)
    if begins and ends and ends.at_ns > begins.at_ns:
        timeline = attribute(
            start_ns=begins.at_ns, end_ns=ends.at_ns, windows=windows, activities=activities
        )
        total = Total(
            timeline=timeline,
            uncertainty_ns=max(begins.resolution_ns + ends.resolution_ns, uncertainty_ns),
            starts_at=begins.kind.value,
            ends_at="server_line" if ends.kind is MarkKind.SERVER_UP else ends.kind.value,
        )
        return total, timeline.spans
    proven = [w for w in windows if w.ends.at_ns > w.begins.at_ns]
    if not proven:
        return None, ()
    around = attribute(
        start_ns=min(w.begins.at_ns for w in proven),
        end_ns=max(w.ends.at_ns for w in proven),
        windows=sorted(proven, key=lambda w: w.begins.at_ns),
        activities=activities,
    )
    return None, tuple(span for span in around.spans if span.name != Phase.UNEXPLAINED)
