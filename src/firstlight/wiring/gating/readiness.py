"""
What probes are told: the truth about an engine that may sleep, in a word and a sentence.

vLLM's own `/health` says 200 for an engine that sleeps and for one that generates nothing. Ready
is who would answer a request: an engine that is awake and has generated a token lately, or one
that sleeps and can be woken, or one on its way between the two, where requests wait and are
answered. Alive is whoever need not be started anew, asleep too.
"""

from dataclasses import dataclass

from firstlight.gateway.states import ALIVE, Lifecycle, State
from firstlight.wiring.gating.answering import Answering


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Yes or no, and why."""

    yes: bool
    words: str


def ready(now: Lifecycle, answering: Answering, *, ending: bool, last_seen: str) -> Verdict:
    """
    Whether requests should be sent here.

    Args:
        now: where the engine is.
        answering: whether it answers.
        ending: whether the gateway was told to end.
        last_seen: what the last look showed, in words.
    """
    if ending or now.draining:
        return Verdict(yes=False, words="this gateway is about to end")
    if now.state is State.STARTING:
        return Verdict(yes=False, words=f"the engine is not there yet: {last_seen}")
    if now.state is State.FAILED:
        return Verdict(yes=False, words=f"the engine failed: {now.failure}")
    if now.state is State.AWAKE and not answering.is_lately:
        why = answering.problem or "it has not generated a token yet"
        return Verdict(yes=False, words=f"the engine is awake, and {why}")
    return Verdict(yes=True, words=f"the engine is {now.state}")


def engine_alive(now: Lifecycle) -> Verdict:
    """
    Whether the engine's container need not be started anew.

    Args:
        now: where the engine is.
    """
    words = now.failure if now.state is State.FAILED else None
    return Verdict(yes=now.state in ALIVE, words=words or f"the engine is {now.state}")
