"""
What is worth knowing about an engine's start, beside its seconds.
"""

from typing import TYPE_CHECKING

from firstlight.core.findings import Finding
from firstlight.core.signs import Sign, Signs
from firstlight.core.starts import CacheVerdict, CompileCache, Outcome
from firstlight.explain.group import Group
from firstlight.readers.wordings.wording import Say

if TYPE_CHECKING:
    from firstlight.readers.vllm_log import Observation

_NOT_USED = frozenset({CacheVerdict.MISS, CacheVerdict.FILL, CacheVerdict.BROKEN})


def woven_logs(group: Group) -> Finding | None:
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


def about_cache(group: Group, cache: CompileCache) -> tuple[Finding, ...]:
    """A cache that was there and could not be used."""
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


def about_published(cache: CompileCache, signs: Signs) -> tuple[Finding, ...]:
    """A cache that was brought here and not used: the complaint that is met most often."""
    published = signs.get(Sign.CACHE_RESTORED)
    if not published or cache.verdict not in _NOT_USED:
        return ()
    used = "used it in part and compiled the rest" if cache.in_part else "compiled"
    return (
        Finding(
            code="published-cache-not-used",
            where=published[0].artefact,
            what=f"{published[0].text}, and this start {used}: {cache.reason}",
            remedy="`firstlight cache explain FILLED MISSED` with this start and the manifest, or "
            "the start that filled it; `firstlight lint` sees what pods expect that is old",
            evidence=(*published, *cache.evidence),
        ),
    )


def about_stop(group: Group, outcome: Outcome) -> tuple[Finding, ...]:
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
