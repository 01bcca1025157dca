"""
A part of a start of which no engine is seen: a node's making, a download.
"""

from collections.abc import Mapping, Sequence

from firstlight.core.activities import Activity
from firstlight.core.findings import Finding
from firstlight.core.starts import (
    FACT_NAMES,
    CacheVerdict,
    CompileCache,
    Fact,
    Failure,
    Outcome,
    Placement,
    Start,
)
from firstlight.core.timeline import Span


def start_without_engine(
    source: str,
    *,
    phases: Sequence[Span],
    activities: Sequence[Activity],
    outcome: Outcome = Outcome.INCOMPLETE,
    failure: Failure | None = None,
    facts: Mapping[str, tuple[Fact, ...]] | None = None,
    seen_ns: int | None = None,
    unfinished: str | None = None,
    findings: Sequence[Finding] = (),
    placement: Placement | None = None,
) -> Start:
    """What is known of it, in the form of a start; it has no total."""
    return Start(
        source=source,
        engine=None,
        engine_version=None,
        outcome=outcome,
        failure=failure,
        scenario=None,
        total=None,
        phases=tuple(phases),
        facts=dict.fromkeys(FACT_NAMES, ()) | dict(facts or {}),
        sleeps=(),
        compile_cache=CompileCache(
            verdict=CacheVerdict.UNKNOWN, reason="no engine's log is here", proof="none"
        ),
        seen_ns=seen_ns,
        unfinished=unfinished,
        findings=tuple(findings),
        activities=tuple(activities),
        placement=placement,
    )
