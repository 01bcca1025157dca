"""
Which of the published caches is the one for here.

Whoever asks knows some of the factors: a file that was made with the pod says its arguments and
versions, the node says its processor. One that disagrees in nothing fits, and of several the one
made last is taken. Where none fits, the nearest says in what it differs: that sentence is what
people look for when they ask why a cache was not used.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.caches.factors import Disagreement, Factors, disagreements, known
from firstlight.caches.manifest import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The cache to take, or why there is none."""

    manifest: Manifest | None
    against: tuple[Disagreement, ...] = ()
    """In what the nearest differs; empty where one fits, or there is none at all."""


def choose(manifests: Sequence[Manifest], here: Factors) -> Choice:
    """
    The cache that fits.

    Args:
        manifests: believed already.
        here: what is known; nothing known fits everything, so ask only with something.
    """
    judged = [
        (disagreements(one.factors, here) or _strangers(one.factors, here), one)
        for one in manifests
    ]
    fitting = [one for against, one in judged if not against]
    if fitting:
        # One that is known to agree in more comes before one of which less is known.
        best = max(fitting, key=lambda one: (_known(one, here), one.made_unix_s, one.key))
        return Choice(manifest=best)
    nearest = min(judged, key=lambda one: (len(one[0]), -one[1].made_unix_s), default=None)
    return Choice(manifest=None, against=nearest[0] if nearest else ())


def _known(one: Manifest, here: Factors) -> int:
    """In how many factors both say something, and so the same."""
    return len(known(one.factors).keys() & known(here).keys())


def _strangers(cache: Factors, here: Factors) -> tuple[Disagreement, ...]:
    """Two of which nothing says that they are one version of the engine."""
    if {"vllm", "image"} & known(cache).keys() & known(here).keys():
        return ()
    was, now = (one.vllm or one.image for one in (cache, here))
    return (Disagreement(name="vllm, or its image,", cache=was, here=now),)
