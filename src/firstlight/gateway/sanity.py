"""
Whether an engine that woke says what it said before its first sleep.

A wake-up can answer 200 and leave weights that never came back: a bare wake-up after a sleep of
level 2 does. Health, metrics and the answer's form are then all in order, and only its content is
nonsense. So one fixed question is asked twice before the first sleep, greedily, and once after
each wake-up; `core.agreement` says how far the answers agree.

What is held against it is a lot. Greedy tokens are not the same for ever: kernels add up in an
order that depends on how many requests share a step, sums are rounded otherwise, and where two
tokens are nearly as likely the other one wins, with all that follows from it. That happens late in
an answer, if at all, once in a while; the first token of a question to which it gave the same
answer twice does not change like that, nor does half of the answer. Nonsense agrees in nothing. So
a late difference is told and let pass, for to start an engine anew costs minutes.

Engines that give vectors, not tokens, are held against their direction in the same way: roundings
turn it by less than a hundredth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from firstlight.core.agreement import agreement

_LEAST_ALIKE = 0.5
_LEAST_COSINE = 0.95
_SAME_COSINE = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What it said to one question, twice, before its first sleep; empty where it said nothing."""

    once: tuple[str, ...]
    twice: tuple[str, ...]

    @property
    def is_steady(self) -> bool:
        """Whether an answer after a wake-up can be held against it."""
        return bool(self.once) and self.once == self.twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What came of it."""

    agreement: float | None = None
    """Of tokens the share alike from the first on, of vectors the cosine; None for no claim."""
    problem: str | None = None
    """Why it must not serve; None where it may."""
    says: str | None = None
    """What there is to know though it may serve; None where all is as before."""


def tokens_held(before: Reference | None, after: Sequence[str]) -> Held:
    """
    Tokens after a wake-up, held against those before the first sleep.

    Args:
        before: None where it was not asked before it slept, as by a gateway that was started
            beside a sleeping engine.
        after: what it says now; empty where it gave no token.
    """
    said_something = before is None or before.once or before.twice
    if not after and said_something:
        return Held(problem="after the wake-up it gave no token")
    share = None if before is None else agreement(before.once, before.twice, after)
    if before is None or share is None:
        return Held(says=_no_claim(before))
    longest = max(len(before.once), len(after))
    alike = round(share * longest)
    if not alike:
        return Held(
            agreement=share,
            problem="after the wake-up it says other things than before its first sleep, from the "
            "first token on: its weights did not come back",
        )
    if share < _LEAST_ALIKE:
        return Held(
            agreement=share,
            problem=f"after the wake-up it says what it said before its first sleep for {alike} of "
            f"{longest} tokens only: its weights did not come back whole",
        )
    if share < 1:
        return Held(
            agreement=share,
            says=f"after {alike} of {longest} tokens it goes on otherwise than before its "
            "first sleep, as roundings may have it",
        )
    return Held(agreement=share)


def _no_claim(before: Reference | None) -> str:
    if before is None:
        return "what it said before it slept is not known, so only that it gives tokens is"
    if not before.once and not before.twice:
        return "it gave no token before its first sleep, so what it says now tells nothing"
    return "it gave two answers to one question before its first sleep, so neither is held to"


def vectors_held(before: Sequence[float] | None, after: Sequence[float]) -> Held:
    """
    A vector after a wake-up, held against that before the first sleep.

    Args:
        before: None where it was not asked before it slept.
        after: what it gives now; empty where it gave none.
    """
    length = hypot(*after)
    if not 0 < length < float("inf"):
        return Held(problem="after the wake-up it gave no vector that has a direction")
    if before is None or not 0 < hypot(*before) < float("inf"):
        return Held(says="what it gave before it slept is not known, so only that it answers is")
    if len(before) != len(after):
        return Held(problem=f"its vectors had {len(before)} numbers, and now have {len(after)}")
    cosine = sum(a / hypot(*before) * (b / length) for a, b in zip(before, after, strict=True))
    turned = f"its vector points elsewhere than before its first sleep: cosine {cosine:.3f}"
    if cosine < _LEAST_COSINE:
        return Held(agreement=cosine, problem=f"{turned}, so its weights did not come back")
    return Held(agreement=cosine, says=turned if cosine < _SAME_COSINE else None)
