"""
Whether a pull of an image was begun by somebody else, before the kubelet asked.

A node that pulls the image from its userData races the kubelet: containerd gives both the
same download, so the kubelet sees a shorter one, and calls it a pull like any other. What
gives it away is the length: fewer seconds than the bytes take. That needs a rate, and a
rate must have been measured on a whole pull that is like this one.

Like it means: an image about as large, from the same registry, onto a node of the same type,
and both nodes made for their pods. A larger node, a nearer registry or a node that holds some
of the layers already makes a pull as short as a race does. Where nothing like it was measured
nothing is concluded, and why is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.image_reference import are_one_image, registry
from firstlight.core.signs import Sign
from firstlight.core.starts import IMAGE, Start, Transfer

RACED_BELOW = 0.8
"""
The share of the expected seconds below which a pull is called raced. Whole pulls of one
image onto like nodes differ too, by a registry's mood and a disk's: in the reference case 64
and 65 s. A fifth is many times that, and raced pulls lie well below: 32 and 40 of 65 s.
"""
ABOUT_AS_LARGE = 0.1
"""How far the sizes of two images may be apart: a larger one has other, and more, layers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePull:
    """A pull that was measured while nobody else pulled."""

    bytes_: int
    seconds: float
    instance_type: str
    """Empty where nothing tells."""
    image: str

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.bytes_ / self.seconds


def pull_race(bytes_: int, seconds: float, rate: float) -> bool:
    """
    Whether so many bytes cannot have come whole in so few seconds.

    Args:
        bytes_: the size of the image.
        seconds: of the kubelet's own pull.
        rate: bytes a second of a whole pull that was measured.
    """
    return seconds < RACED_BELOW * bytes_ / rate


def whole_pulls(starts: Iterable[Start]) -> tuple[WholePull, ...]:
    """
    The pulls that others may be held against.

    Args:
        starts: those declared the baseline, in which nothing was pulled beforehand.

    Returns:
        Those of a known size, onto a node that was made for the pod: on any other some of the
        image may have been there.
    """
    return tuple(
        WholePull(
            bytes_=pull.bytes_,
            seconds=pull.seconds,
            instance_type=start.placement.instance_type,
            image=start.placement.image,
        )
        for start in starts
        if start.placement
        and (pull := _pull(start))
        and {Sign.NODE_WAS_MADE, Sign.IMAGE_PULLED} <= start.signs.keys()
    )


def with_image_signs(
    start: Start, *, baseline: Sequence[WholePull], prepulled: str | None
) -> Start:
    """
    The start, with what a pull of its image means beside what was to be pulled beforehand.

    Args:
        start: the start.
        baseline: whole pulls that were measured; empty concludes no race.
        prepulled: the reference that the node was told to pull; None where nobody says.
    """
    pulled = start.signs.get(Sign.IMAGE_PULLED)
    if pulled is None:
        return start
    image = start.placement.image if start.placement else ""
    if prepulled and image:
        same = are_one_image(prepulled, image)
        if same is False:
            told = Evidence(artefact="given", text=f"pulled beforehand: {prepulled}")
            return _instead(start, Sign.IMAGE_OTHER, (told, *pulled))
        if same is None:
            start = _with(start, _not_compared(start, prepulled, image, pulled))
    if not baseline:
        return start
    like, why = _like(start, baseline)
    if why:
        return _with(start, _not_judged(start, why, pulled))
    pull = _pull(start)
    # The fastest of them concludes least.
    if pull and pull_race(pull.bytes_, pull.seconds, max(one.rate for one in like)):
        return _instead(start, Sign.IMAGE_RACED, pull.evidence)
    return start


def _like(start: Start, baseline: Sequence[WholePull]) -> tuple[Sequence[WholePull], str]:
    """The whole pulls that this one may be held against; where there are none, why."""
    pull, placement = _pull(start), start.placement
    if pull is None or placement is None:
        return (), "nothing tells the size of its image"
    if Sign.NODE_WAS_MADE not in start.signs:
        return (), "nothing shows that its node was made for it: another may hold some of the image"
    here = placement.instance_type
    typed = [one for one in baseline if one.instance_type == here]
    if not here or not typed:
        theirs = " and ".join(sorted({one.instance_type or "unknown" for one in baseline}))
        return (), f"its node is of type {here or 'unknown'}, the baseline's of {theirs}"
    near = [one for one in typed if registry(one.image) == registry(placement.image)]
    if not near:
        theirs = " and ".join(sorted({registry(one.image) for one in typed}))
        return (), f"its image comes from {registry(placement.image)}, the baseline's from {theirs}"
    like = [one for one in near if _about_as_large(one.bytes_, pull.bytes_)]
    if not like:
        theirs = " and ".join(sorted({f"{one.bytes_ / 1e9:.1f}" for one in near}))
        return (), f"its image has {pull.bytes_ / 1e9:.1f} GB, the baseline's {theirs}"
    return like, ""


def _about_as_large(one: int, other: int) -> bool:
    return abs(one - other) <= ABOUT_AS_LARGE * max(one, other)


def _not_judged(start: Start, why: str, pulled: tuple[Evidence, ...]) -> Finding:
    return Finding(
        code="pull-not-judged",
        where=start.source,
        what=f"whether its image's pull was begun beforehand is not judged: {why}",
        remedy="give as --baseline a start with nothing pulled beforehand, of an image about as "
        "large from the same registry, onto a new node of the same type",
        evidence=pulled,
    )


def _not_compared(
    start: Start, prepulled: str, image: str, pulled: tuple[Evidence, ...]
) -> Finding:
    return Finding(
        code="prepull-not-compared",
        where=start.source,
        what=f"nothing tells whether {prepulled}, pulled beforehand, is the pod's {image}: one "
        "says a tag, the other a digest",
        remedy="write one reference in both places: a runtime finds an image by the name under "
        "which it was pulled",
        evidence=pulled,
    )


def _with(start: Start, finding: Finding) -> Start:
    return replace(start, findings=(*start.findings, finding))


def _pull(start: Start) -> Transfer | None:
    return next((t for t in start.transfers if t.what == IMAGE), None)


def _instead(start: Start, sign: Sign, evidence: tuple[Evidence, ...]) -> Start:
    signs = dict(start.signs)
    del signs[Sign.IMAGE_PULLED]
    signs[sign] = evidence
    return replace(start, signs=signs)
