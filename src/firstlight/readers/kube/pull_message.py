"""
What the kubelet says about an image it has.

    Successfully pulled image "x"                                        before 1.20
    Successfully pulled image "x" in 146.51335ms                         1.20
    Successfully pulled image "x" in 1.2s (1.3s including waiting)       1.26
    ... (1.3s including waiting). Image size: 123 bytes.                 1.31
    Container image "x" already present on machine [and can be accessed by the pod]

Tables cut their last column anywhere. A number counts only if what follows proves it
whole, and a duration only with its seconds: Go never ends one earlier.
"""

import re
from dataclasses import dataclass

from firstlight.readers.kube.go_durations import go_duration_ns

_PULLED = re.compile(r'Successfully pulled image (?:"([^"]*)"( in (\S+)(?: \((\S+) )?)?)?')
_SIZE = re.compile(r"Image size: ([0-9]{1,18}) ")
_PRESENT = re.compile(r'Container image "([^"]*)" already present\b')


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """An image that came onto the node, or was there."""

    image: str
    """Empty where the message was cut inside the name."""
    pull_ns: int | None = None
    """The pull itself; None where the message does not say it whole."""
    with_waiting_ns: int | None = None
    """The same with the wait in the kubelet's queue of pulls."""
    image_bytes: int | None = None
    present: bool = False
    """Nothing was pulled: the image was on the node."""


def pulled(message: str) -> Pull | None:
    """What the message of a `Pulled` event says; None if it is no such message."""
    if found := _PRESENT.search(message):
        return Pull(image=found[1], present=True)
    found = _PULLED.search(message)
    if not found:
        return None
    size = _SIZE.search(message, found.end())
    return Pull(
        image=found[1] or "",
        pull_ns=_whole(found[3]),
        with_waiting_ns=_whole(found[4]),
        image_bytes=int(size[1]) if size else None,
    )


def _whole(duration: str | None) -> int | None:
    if not duration or not duration.endswith("s"):
        return None
    parsed = go_duration_ns(duration)
    return parsed[0] if parsed else None
