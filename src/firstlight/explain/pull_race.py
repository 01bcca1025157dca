"""
Whether a pull of an image was begun by somebody else, before the kubelet asked.

A node that pulls the image from its userData races the kubelet: containerd gives both the
same download, so the kubelet sees a shorter one, and calls it a pull like any other. What
gives it away is the length: fewer seconds than the bytes take. That needs a rate, and a
rate must have been measured: on a whole pull, of an image about as large, onto a node of
the same type. Without one nothing is concluded.
"""

from collections.abc import Iterable
from dataclasses import replace

from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign
from firstlight.core.starts import IMAGE, Start, Transfer
from firstlight.explain.pod.image import full_name

RACED_BELOW = 0.8
"""
The share of the expected seconds below which a pull is called raced. Whole pulls of one
image onto like nodes differ too, by a registry's mood and a disk's: in the reference case 64
and 65 s. A fifth is many times that, and raced pulls lie well below: 32 and 40 of 65 s.
"""


def pull_race(bytes_: int, seconds: float, rate: float) -> bool:
    """
    Whether so many bytes cannot have come whole in so few seconds.

    Args:
        bytes_: the size of the image.
        seconds: of the kubelet's own pull.
        rate: bytes a second of a whole pull that was measured.
    """
    return seconds < RACED_BELOW * bytes_ / rate


def pull_rate(starts: Iterable[Start]) -> float | None:
    """
    The rate of whole pulls, in bytes a second: the fastest of them, as a bound.

    Args:
        starts: those declared the baseline, in which nothing was pulled beforehand.

    Returns:
        None where none of them pulled an image whose size is known.
    """
    pulls = [pull for start in starts if (pull := _pull(start))]
    return max((pull.bytes_ / pull.seconds for pull in pulls), default=None)


def with_image_signs(
    start: Start, *, baseline_rate_bytes_per_s: float | None, prepulled: str | None
) -> Start:
    """
    The start, with what a pull of its image means beside what was to be pulled beforehand.

    Args:
        start: the start.
        baseline_rate_bytes_per_s: of a whole pull that was measured; None concludes no race.
        prepulled: the reference that the node was told to pull; None where nobody says.
    """
    pulled = start.signs.get(Sign.IMAGE_PULLED)
    if pulled is None:
        return start
    image = start.placement.image if start.placement else ""
    if prepulled and image and full_name(prepulled) != full_name(image):
        told = Evidence(artefact="given", text=f"pulled beforehand: {prepulled}")
        return _instead(start, Sign.IMAGE_OTHER, (told, *pulled))
    pull = _pull(start)
    if pull is None or baseline_rate_bytes_per_s is None:
        return start
    if pull_race(pull.bytes_, pull.seconds, baseline_rate_bytes_per_s):
        return _instead(start, Sign.IMAGE_RACED, pull.evidence)
    return start


def _pull(start: Start) -> Transfer | None:
    return next((t for t in start.transfers if t.what == IMAGE), None)


def _instead(start: Start, sign: Sign, evidence: tuple[Evidence, ...]) -> Start:
    signs = dict(start.signs)
    del signs[Sign.IMAGE_PULLED]
    signs[sign] = evidence
    return replace(start, signs=signs)
