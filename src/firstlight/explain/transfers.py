"""
How fast the weights came in, and whether the link was the limit.

Bytes over seconds say little until they are held against what the link could
carry. The reference case moved 33.5 GB in 127.6 s: 2.1 of 50 Gbps. Buying a
faster link would have bought nothing; changing the path bought 6.5 times.
"""

from collections.abc import Mapping, Sequence

from firstlight.core.findings import Finding
from firstlight.core.starts import Fact, Transfer
from firstlight.core.units import BYTES_PER_GIB

LOW_SHARE = 1 / 3
"""Below this share of the link, more bandwidth is not the answer."""


def weight_transfers(
    facts: Mapping[str, tuple[Fact, ...]], *, ranks: int | None, link_gbps: float | None
) -> tuple[tuple[Transfer, ...], tuple[Finding, ...]]:
    """The weights' rate, where bytes and seconds were both printed.

    Bytes are the checkpoint's where it was printed, else the loaded model's; the slowest
    rank's seconds count, since the start waited for it.

    Args:
        facts: by name.
        ranks: over how many the model is split; each prints its own part, and mostly only
            the first prints at all, so a loaded size counts where there is one. None where
            the input does not tell.
        link_gbps: the speed of the link, where known.
    """
    sizes = facts["checkpoint_gib"] or (facts["model_gib"] if ranks == 1 else ())
    took = facts["stream_s"] or facts["weights_s"]
    if not sizes:
        return (), ()
    transfers = []
    if facts["download_s"]:
        # What was downloaded first was then read from a disk: only the download used the link.
        transfers.append(_transfer("download", sizes[0], facts["download_s"], link_gbps))
        link_gbps = None
    transfers.append(_transfer("weights", sizes[0], took, link_gbps))
    known = tuple(t for t in transfers if t is not None)
    return known, tuple(f for t in known if (f := _about(t)))


def _transfer(
    what: str, size: Fact, took: Sequence[Fact], link_gbps: float | None
) -> Transfer | None:
    slowest = max(took, key=lambda f: f.value, default=None)
    if slowest is None or slowest.value <= 0 or size.value <= 0:
        return None
    return Transfer(
        what=what,
        bytes_=round(size.value * BYTES_PER_GIB),
        seconds=slowest.value,
        link_gbps=link_gbps,
        evidence=(size.evidence, slowest.evidence),
    )


def _about(transfer: Transfer) -> Finding | None:
    share, slowest = transfer.link_share, transfer.evidence[-1]
    if share is None or LOW_SHARE <= share <= 1:
        return None
    where = f"{slowest.artefact}:{slowest.line}"
    if share > 1:
        return Finding(
            code="faster-than-link",
            where=where,
            what=f"{transfer.what} came at {transfer.gbps:.1f} Gbps over a link of "
            f"{transfer.link_gbps:g} Gbps: not over that link",
            remedy="they came from a disk or from memory, or the link is faster than was said",
            evidence=transfer.evidence,
        )
    return Finding(
        code="link-not-the-limit",
        where=where,
        what=f"{transfer.what} came at {transfer.gbps:.1f} of {transfer.link_gbps:g} Gbps "
        f"({share:.0%} of the link)",
        remedy="not bandwidth: look at the path before buying more (a FUSE mount reads one "
        "range at a time; stream from the store instead)",
        evidence=transfer.evidence,
    )
