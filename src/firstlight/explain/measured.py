"""
What was seen by whoever watched a pod's start, held against its stamps.
"""

from collections.abc import Iterator

from firstlight.core.findings import Finding
from firstlight.core.starts import Total
from firstlight.core.units import NS_PER_S
from firstlight.readers.measured import Measured

_DISAGREE_NS = 2 * NS_PER_S
"""Two stamps of whole seconds, and a watch that tells a moment later."""


def measured_findings(measured: Measured, where: str, total: Total | None) -> Iterator[Finding]:
    """Where the stopwatch and the stamps disagree, and what could not be measured."""
    watched_ns = measured.watched_ns
    if total is not None and watched_ns is not None and total.starts_at == "pod_created":
        apart_ns = abs(total.timeline.length_ns - watched_ns)
        if apart_ns > _DISAGREE_NS:
            yield Finding(
                code="stopwatch-disagrees",
                where=where,
                what=f"the stamps say {total.timeline.length_ns / NS_PER_S:.1f} s, who watched it "
                f"by one clock saw {watched_ns / NS_PER_S:.1f} s",
                remedy="look for a clock that was moved, on the node or on the control plane",
            )
    if measured.first_token_problem:
        yield Finding(
            code="no-first-token",
            where=where,
            what=measured.first_token_problem,
            remedy="give the port with --port, or leave the request out with --no-first-token",
        )
    if measured.problem:
        yield Finding(
            code="measurement-failed",
            where=where,
            what=measured.problem,
            remedy=measured.remedy or "read the pod's log and events in the bundle",
        )
