"""
The probe's clock beside the wall's.

Each process notes both at its beginning. Monotonic time plus their difference is Unix
time; the first process's difference counts, so that a wall clock that was put right in
between moves nothing.
"""

import json
from collections.abc import Mapping

_FIRST_LINES = 5


def looks_like_probe(head: bytes) -> bool:
    """Whether a file begins as the probe's do."""
    return head.startswith(b'{"k":"process","schema":"firstlight.probe/')


def unix_offset_ns(files: Mapping[str, bytes]) -> int | None:
    """What to add to the probe's moments to get Unix nanoseconds; None where no file tells."""
    told = [pair for content in files.values() if (pair := _pair(content))]
    return min(told)[1] if told else None


def _pair(content: bytes) -> tuple[int, int] | None:
    """When a process noted both clocks, and their difference."""
    for line in content.split(b"\n", _FIRST_LINES)[:_FIRST_LINES]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict) or record.get("k") != "process":
            continue
        at_ns, unix_ns = record.get("wall_at_ns"), record.get("unix_ns")
        if type(at_ns) is int and type(unix_ns) is int:
            return at_ns, unix_ns - at_ns
    return None
