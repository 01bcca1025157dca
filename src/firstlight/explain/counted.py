"""
What Inductor counted while an engine started, as the probe read it.
"""

from collections.abc import Sequence

from firstlight.core.evidence import Evidence
from firstlight.explain.cache_verdict import CacheWitness
from firstlight.readers.probe_events import CacheCounters


def counted(counters: Sequence[CacheCounters]) -> CacheWitness:
    """The counts of all processes together, each at the end of its engine init."""
    last = _last_counts(counters)
    if not last:
        return CacheWitness()
    totals: dict[str, int] = {}
    for one in last:
        for name, value in one.values.items():
            totals[name] = totals.get(name, 0) + value
    evidence = Evidence(
        artefact=last[0].artefact,
        line=last[0].line,
        text=", ".join(f"{name} {value}" for name, value in sorted(totals.items())),
    )
    return CacheWitness(counters=totals or None, counters_evidence=evidence)


def _last_counts(counters: Sequence[CacheCounters]) -> list[CacheCounters]:
    """The latest counts of each process taken at the end of its engine init."""
    latest: dict[int, CacheCounters] = {}
    for counting in sorted(counters, key=lambda c: (c.when != "exit", c.at_ns)):
        latest[counting.pid] = counting
    return [c for c in latest.values() if any(c.values.values())]
