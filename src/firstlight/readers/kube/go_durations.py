"""
Durations as Go prints them, to nanoseconds.

The kubelet and Karpenter put `time.Duration` values into their words: `3m44s`,
`4m4.956s`, `146.51335ms`, `1h2m`. Go prints only what is not zero behind the point,
so the last unit and its digits say how exactly the writer told it; both come back.
"""

import re

from firstlight.core.units import NS_PER_MS, NS_PER_S

_UNITS = {
    "h": 3600 * NS_PER_S,
    "m": 60 * NS_PER_S,
    "s": NS_PER_S,
    "ms": NS_PER_MS,
    "us": 1000,
    "\u00b5s": 1000,
    "\u03bcs": 1000,
    "ns": 1,
}
"""Go writes the micro sign; copies of it often hold the Greek letter."""
_PART = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,18}))?(h|ms|m|s|[u\u00b5\u03bc]s|ns)")


def go_duration_ns(text: str) -> tuple[int, int] | None:
    """A duration as (nanoseconds, resolution in nanoseconds); None if it is none."""
    at, total_ns, resolution_ns = 0, 0, 0
    larger_ns = _UNITS["h"] + 1
    while at < len(text):
        found = _PART.match(text, at)
        if not found or _UNITS[found[3]] >= larger_ns:
            return None
        larger_ns = unit_ns = _UNITS[found[3]]
        fraction = found[2] or ""
        scale = 10 ** len(fraction)
        total_ns += (int(found[1]) * scale + int(fraction or 0)) * unit_ns // scale
        resolution_ns = max(unit_ns // scale, 1)
        at = found.end()
    return (total_ns, resolution_ns) if resolution_ns else None
