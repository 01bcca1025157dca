"""
How far the node's clock and the control plane's may be apart.

Nobody measures it, but causes bound it. The API server takes an event in after the
kubelet made it: the node's clock is ahead by at least (made - taken in). The kubelet
acts on a pod after the scheduler bound it: the node's clock is ahead by at most
(acted - bound). What is between the two bounds cannot be told, and is part of the
uncertainty of every phase that begins by one clock and ends by the other. Nothing is
moved.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.core.findings import Finding
from firstlight.core.marks import Clock, Mark
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.timing import same_host
from firstlight.readers.kube.model import Event, Stamp

WORTH_SAYING_NS = 2 * NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew:
    """The node's clock minus the control plane's lies between these; None is no bound."""

    low_ns: int | None = None
    high_ns: int | None = None

    @property
    def uncertainty_ns(self) -> int:
        """The most that the clocks may be apart; where only one side is bound, the least."""
        if self.low_ns is None or self.high_ns is None:
            return self.at_least_ns
        return max(abs(self.low_ns), abs(self.high_ns))

    def between(self, begins: Mark, ends: Mark) -> int:
        """How far the clocks of two marks may be apart; 0 where they are one host's."""
        return 0 if same_host(begins.clock, ends.clock) else self.uncertainty_ns

    @property
    def at_least_ns(self) -> int:
        """How far they are apart for certain; 0 where they may agree."""
        if self.low_ns is not None and self.low_ns > 0:
            return self.low_ns
        if self.high_ns is not None and self.high_ns < 0:
            return -self.high_ns
        return 0


def skew_of(scheduled: Stamp | None, acknowledged: Stamp | None, events: Iterable[Event]) -> Skew:
    """The bounds that a pod's binding and its kubelet's words give.

    Args:
        scheduled: when the control plane bound the pod.
        acknowledged: when the kubelet took it on, which is right behind.
        events: those about the pod.
    """
    kubelet = [e for e in events if e.first and e.first.clock is Clock.NODE]
    ahead = [
        e.first.at_ns - (e.recorded.at_ns + e.recorded.resolution_ns)
        for e in kubelet
        if e.first and e.recorded
    ]
    acts = [e.first for e in kubelet if e.first] + ([acknowledged] if acknowledged else [])
    behind = []
    if scheduled is not None and scheduled.clock is Clock.CONTROL_PLANE:
        behind = [s.at_ns + s.resolution_ns - scheduled.at_ns for s in acts]
    return Skew(low_ns=max(ahead, default=None), high_ns=min(behind, default=None))


def skew_finding(skew: Skew, where: str) -> tuple[Finding, ...]:
    """What to say where the clocks are apart for certain."""
    apart_ns = skew.at_least_ns
    if apart_ns < WORTH_SAYING_NS:
        return ()
    way = "ahead of" if skew.low_ns is not None and skew.low_ns > 0 else "behind"
    return (
        Finding(
            code="clock-skew",
            where=where,
            what=f"the node's clock is at least {apart_ns / NS_PER_S:.0f} s {way} the control "
            "plane's; phases between the two are off by that much, and nothing was moved",
            remedy="set the node's time service right (chrony or systemd-timesyncd), then measure",
        ),
    )
