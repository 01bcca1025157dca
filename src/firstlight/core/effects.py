"""
Effects: whether a start shows a technique at work.

A technique that was configured is not one that took effect. Which signs of a start mean
what for a technique is said by its card; the words for the answer are here, because whoever
reports a start says them too.
"""

from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.evidence import Evidence


class EffectState(StrEnum):
    """Whether a start shows the technique at work; never told from seconds alone."""

    APPLIED = "applied"
    RACED = "raced"
    """Begun, and not done in time: a part of the effect."""
    VOID = "void"
    """Done for something else than what this start used: no effect."""
    NOT_APPLIED = "not applied"
    UNKNOWN = "unknown"
    """The input does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one start shows of one technique."""

    technique: str
    state: EffectState
    says: str
    """Why, in a sentence."""
    evidence: tuple[Evidence, ...] = ()
    """Empty only where the state is unknown."""
