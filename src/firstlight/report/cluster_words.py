"""
Where in a cluster a start happened, in a line or two.
"""

from collections.abc import Iterator

from rich.text import Text

from firstlight.core.starts import Placement
from firstlight.core.units import NS_PER_S
from firstlight.report.escape import visible

_TOLERATED_NS = 2 * NS_PER_S
"""Stamps of whole seconds bound the clocks no better; closer together is together."""


def placement_lines(placement: Placement) -> Iterator[Text]:
    """Node, image and clocks; then the probes, and what they should be."""
    said = list(_place(placement))
    if said:
        yield Text(visible(" · ".join(said)), style="dim")
    if placement.probe:
        now = "; ".join(placement.probe.now) or "no probe"
        yield Text(visible(f"probes: {now}"), style="dim")


def _place(placement: Placement) -> Iterator[str]:
    if placement.node:
        kind = ", ".join(k for k in (placement.instance_type, placement.capacity_type) if k)
        yield f"on {placement.node}" + (f" ({kind})" if kind else "")
    if placement.node_claim:
        yield f"nodeclaim/{placement.node_claim}"
    if placement.image_state:
        yield f"image {placement.image_state}"
    if placement.restarts:
        yield f"restarted {placement.restarts} x"
    low, high = placement.skew_low_ns, placement.skew_high_ns
    if low is None or high is None:
        return
    if max(abs(low), abs(high)) > _TOLERATED_NS:
        bounds = f"{low / NS_PER_S:+.1f} to {high / NS_PER_S:+.1f} s"
        yield f"node's clock against the control plane's: {bounds}"
