"""
How fast the weights came in, and whether the link was the limit.

Bytes over seconds say little until they are held against what the link could
carry. The reference case moved 33.5 GB in 127.6 s: 2.1 of 50 Gbps. Buying a
faster link would have bought nothing; changing the path bought 6.5 times.
"""

from collections.abc import Mapping

from firstlight.core.findings import Finding
from firstlight.core.starts import Fact, Transfer
from firstlight.core.units import BYTES_PER_GIB

LOW_SHARE = 1 / 3
"""Below this share of the link, more bandwidth is not the answer."""


def weight_transfers(
    facts: Mapping[str, tuple[Fact, ...]], *, link_gbps: float | None
) -> tuple[tuple[Transfer, ...], tuple[Finding, ...]]:
    """The weights' rate, where bytes and seconds were both printed.

    Bytes are the checkpoint's where it was printed, else the loaded model's; the slowest
    rank's seconds count, since the start waited for it. A model split over ranks prints a
    part per rank, so with several loaded sizes only the checkpoint's size is trusted.
    """
    sizes = facts["checkpoint_gib"] or (facts["model_gib"] if len(facts["model_gib"]) == 1 else ())
    took = facts["stream_s"] or facts["weights_s"]
    if not sizes or not took:
        return (), ()
    size, slowest = sizes[0], max(took, key=lambda f: f.value)
    if slowest.value <= 0 or size.value <= 0:
        return (), ()
    transfer = Transfer(
        what="weights",
        bytes_=round(size.value * BYTES_PER_GIB),
        seconds=slowest.value,
        link_gbps=link_gbps,
        evidence=(size.evidence, slowest.evidence),
    )
    share = transfer.link_share
    if share is None or share >= LOW_SHARE:
        return (transfer,), ()
    finding = Finding(
        code="link-not-the-limit",
        where=f"{slowest.evidence.artefact}:{slowest.evidence.line}",
        what=f"weights came at {transfer.gbps:.1f} of {link_gbps:g} Gbps ({share:.0%} of the link)",
        remedy="not bandwidth: look at the path before buying more (a FUSE mount reads one "
        "range at a time; stream from the store instead)",
        evidence=transfer.evidence,
    )
    return (transfer,), (finding,)
