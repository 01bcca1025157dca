"""
Explain artefacts: the entry of this capability.
"""

from collections.abc import Iterable

from firstlight.core.starts import Start
from firstlight.explain.build import Seen, build_start
from firstlight.explain.splitting import split
from firstlight.readers.vllm_log import Log, read_log


def explain_log(
    artefact: str, chunks: Iterable[bytes], *, link_gbps: float | None = None
) -> tuple[Log, list[Start]]:
    """Every start in one log, in the order they begin.

    Args:
        artefact: the log's name, as evidence will give it.
        chunks: its bytes, in pieces of any size.
        link_gbps: the speed of the link the weights came over, where known.
    """
    log = read_log(artefact, chunks)
    return log, explain_read(log, link_gbps=link_gbps)


def explain_read(log: Log, *, link_gbps: float | None = None) -> list[Start]:
    """The same for a log that was read before."""
    seen = Seen(link_gbps=link_gbps)
    return [build_start(group, seen) for group in split(log)]
