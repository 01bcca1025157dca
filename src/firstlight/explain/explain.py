"""
Explain one log: the entry of this capability where there is no cluster.
"""

from firstlight.core.starts import Start
from firstlight.explain.build import Seen, build_start
from firstlight.explain.splitting import split
from firstlight.readers.vllm_log import Log


def explain_log(log: Log, *, link_gbps: float | None = None) -> list[Start]:
    """Every start in one log, in the order they begin.

    Args:
        log: what was read of it.
        link_gbps: the speed of the link the weights came over, where known.
    """
    seen = Seen(link_gbps=link_gbps)
    return [build_start(group, seen) for group in split(log)]
