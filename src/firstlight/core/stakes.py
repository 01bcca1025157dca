"""
Stakes: the seconds of one start that a technique could take away.

An estimate, and called one: what the technique left of the same phases somewhere else,
applied to the phases of this start. Only a measurement before and after the change proves
it, so each comes with the command for that.
"""

from dataclasses import dataclass

from firstlight.core.effects import EffectState


@dataclass(frozen=True, slots=True, kw_only=True)
class Stake:
    """One technique and what it is about here."""

    technique: str
    seconds_ns: int
    """Estimated, in whole seconds."""
    of: tuple[str, ...]
    """The phases it would shrink, those that this start has."""
    because: str
    """What the estimate rests on, in a sentence."""
    show: str
    """What shows the change: a command, or the words to start the engine with."""
    prove: str
    """The command to run before and after the change; or, as a shell's comment, what to do where
    no one start can prove it."""
    seen: EffectState
    """What this start shows of the technique; never applied."""
