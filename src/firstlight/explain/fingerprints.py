"""
The fingerprint of an explained start: what each source knows, put together.

What was given (a command, a pod's spec) goes before what the engine printed, which leaves out
what is a default. What this start then did with its compile cache, and between which moments it
is timed, is known only once it is explained.
"""

from firstlight.core.fingerprints import Fingerprint
from firstlight.core.starts import CacheVerdict, CompileCache, Total
from firstlight.explain.group import Group
from firstlight.explain.log_fingerprint import log_fingerprint


def start_fingerprint(
    known: Fingerprint, group: Group, cache: CompileCache, total: Total | None, *, woven: bool
) -> Fingerprint:
    """
    All that is known.

    Args:
        known: what others than the log know.
        group: the log's lines.
        cache: what the compile cache did.
        total: None where the start is not timed.
        woven: whether lines of two engines are in the log: then they say nothing of one.
    """
    values: dict[str, str] = {}
    if cache.verdict is not CacheVerdict.UNKNOWN:
        values["compile cache"] = cache.verdict.value
    if total is not None:
        values["timed"] = f"{total.starts_at} to {total.ends_at}"
    told = Fingerprint() if woven else log_fingerprint(group)
    return known.completed_by(told).completed_by(Fingerprint(values=values))
