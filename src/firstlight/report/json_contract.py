"""
The JSON contract of `explain`, schema `firstlight.explain/1`.

Fields may be added, never renamed. Seconds are numbers; a value the input does
not hold is absent from its list, because a wrong number is worse than none.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.stakes import Stake
from firstlight.core.starts import Placement, Start, Transfer, UnexplainedStretch
from firstlight.core.timeline import Span, Stretch
from firstlight.core.units import seconds

SCHEMA = "firstlight.explain/1"
_LONGEST_QUOTE = 500
_MOST_PIECES = 16


def explanation(starts: Iterable[Start]) -> dict[str, Any]:
    """The whole document."""
    starts = list(starts)
    return {
        "schema": SCHEMA,
        "starts": [_start(s) for s in starts],
        "findings": [_finding(f) for s in starts for f in s.findings],
    }


def _start(start: Start) -> dict[str, Any]:
    total = start.total
    facts: dict[str, Any] = {
        name: [_number(f.printed) for f in found] for name, found in start.facts.items()
    }
    facts["sleep"] = [
        {"level": s.level, "seconds": _number(s.seconds.printed)} for s in start.sleeps
    ]
    return {
        "source": start.source,
        "engine": start.engine,
        "engine_version": start.engine_version,
        "outcome": start.outcome.value,
        "failure": start.failure
        and {
            "kind": start.failure.kind,
            "message": start.failure.message,
            "evidence": _evidence(start.failure.evidence),
        },
        "scenario": start.scenario,
        "total_s": seconds(total.timeline.length_ns) if total else None,
        "total_uncertainty_s": seconds(total.uncertainty_ns) if total else None,
        "total_from": total.starts_at if total else None,
        "total_to": total.ends_at if total else None,
        "first_token_s": _optional_s(start.first_token_ns),
        "watched_s": _optional_s(start.watched_ns),
        "seen_s": _optional_s(start.seen_ns),
        "unfinished_phase": start.unfinished,
        "timed": start.timed,
        "phases": [_span(p, _origin_ns(start)) for p in start.phases],
        "unexplained_s": seconds(total.timeline.unexplained_ns) if total else None,
        "unexplained_stretches": [_stretch(u, start) for u in start.unexplained],
        "facts": facts,
        "compile_cache": {
            "verdict": start.compile_cache.verdict.value,
            "reason": start.compile_cache.reason,
            "proof": start.compile_cache.proof,
            "evidence": _evidence(start.compile_cache.evidence),
        },
        "transfers": [_transfer(t) for t in start.transfers],
        "placement": _placement(start.placement) if start.placement else None,
        "techniques": [
            {
                "technique": one.technique,
                "state": one.state.value,
                "says": one.says,
                "evidence": _evidence(one.evidence),
            }
            for one in start.effects
        ],
        "at_stake": [_stake(s) for s in start.at_stake or ()],
        "fingerprint": dict(start.fingerprint.values),
        "notes": list(start.notes),
        "findings": [_finding(f) for f in start.findings],
    }


def _stake(stake: Stake) -> dict[str, Any]:
    return {
        "technique": stake.technique,
        "seconds": seconds(stake.seconds_ns),
        "estimate": True,
        "of": list(stake.of),
        "because": stake.because,
        "show": stake.show,
        "prove": stake.prove,
        "seen": stake.seen.value,
    }


def _placement(placement: Placement) -> dict[str, Any]:
    probe = placement.probe
    return {
        "namespace": placement.namespace,
        "workload": placement.workload,
        "pod": placement.pod,
        "container": placement.container,
        "image": placement.image,
        "image_state": placement.image_state,
        "restarts": placement.restarts,
        "node": placement.node,
        "node_claim": placement.node_claim,
        "instance_type": placement.instance_type,
        "capacity_type": placement.capacity_type,
        "zone": placement.zone,
        "clock_skew_s": [_optional_s(placement.skew_low_ns), _optional_s(placement.skew_high_ns)],
        "readiness_lag_s": _optional_s(placement.readiness_lag_ns),
        "probe": probe
        and {
            "now": list(probe.now),
            "proposed": {
                "what": probe.what,
                "period_s": probe.period_s,
                "failure_threshold": probe.failure_threshold,
            },
        },
    }


def _optional_s(length_ns: int | None) -> float | None:
    return None if length_ns is None else seconds(length_ns)


def _origin_ns(start: Start) -> int | None:
    """The moment that a start's own seconds are counted from; None without a total."""
    return start.total.timeline.start_ns if start.total else None


def _span(span: Span, origin_ns: int | None) -> dict[str, Any]:
    """A span that is interrupted lasts shorter than from its beginning to its end."""
    ends = (span.stretches[0].start_ns, span.stretches[-1].end_ns)
    from_s, to_s = (None if origin_ns is None else seconds(at - origin_ns) for at in ends)
    return {
        "name": span.name,
        "from_s": from_s,
        "to_s": to_s,
        "seconds": seconds(span.length_ns),
        "uncertainty_s": seconds(span.uncertainty_ns),
        "explained": span.explained or bool(span.children),
        "stretches": len(span.stretches),
        "pieces_s": _pieces(span, origin_ns),
        "children": [_span(c, origin_ns) for c in span.children],
        "evidence": _evidence(span.evidence),
    }


def _pieces(span: Span, origin_ns: int | None) -> list[list[float]]:
    """Where each stretch of an interrupted span lies; empty for one piece, and for very many."""
    if origin_ns is None or not 1 < len(span.stretches) <= _MOST_PIECES:
        return []
    return [
        [seconds(s.start_ns - origin_ns), seconds(s.end_ns - origin_ns)] for s in span.stretches
    ]


def _stretch(unexplained: UnexplainedStretch, start: Start) -> dict[str, Any]:
    origin_ns = start.total.timeline.start_ns if start.total else 0
    stretch: Stretch = unexplained.stretch
    return {
        "within": unexplained.within,
        "from_s": seconds(stretch.start_ns - origin_ns),
        "seconds": seconds(stretch.length_ns),
        "before": _evidence([unexplained.before])[0],
        "after": _evidence([unexplained.after])[0],
    }


def _transfer(transfer: Transfer) -> dict[str, Any]:
    share = transfer.link_share
    return {
        "what": transfer.what,
        "bytes": transfer.bytes_,
        "seconds": transfer.seconds,
        "gb_per_s": round(transfer.gigabytes_per_s, 4),
        "gbps": round(transfer.gbps, 3),
        "link_gbps": transfer.link_gbps,
        "link_share": round(share, 4) if share is not None else None,
        "evidence": _evidence(transfer.evidence),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "where": finding.where,
        "what": finding.what,
        "remedy": finding.remedy,
        "evidence": _evidence(finding.evidence),
    }


def _evidence(found: Sequence[Evidence]) -> list[dict[str, Any]]:
    return [
        {"artefact": e.artefact, "line": e.line, "text": e.text[:_LONGEST_QUOTE]}
        | ({"path": e.path} if e.path else {})
        for e in found
    ]


def _number(printed: str) -> int | float:
    """The number as printed: 12.50 stays 12.5, 9 stays a whole number."""
    return int(printed) if printed.isdecimal() else float(printed)
