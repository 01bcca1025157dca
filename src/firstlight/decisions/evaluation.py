"""
Whether a decision still stands, given what is known today.

The condition is tested. False: the decision stands. True: it flips, which means that its reason
is gone and it has to be made again; firstlight does not make it. Not known: it cannot be judged,
and what is missing is named. An answer that hangs on numbers of the reference case is an answer
about somebody else's machines, and says so.

Apart from that, a decision somebody else made is inherited until the user's own records support
it: a start that shows the technique at work, or, where the technique is excluded and so never
at work, a condition that is judged by their records without the reference case's help.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from firstlight.decisions.condition import Condition, names, read_condition
from firstlight.decisions.facts import Fact, Standing
from firstlight.decisions.register import Decision, Whose
from firstlight.decisions.spelled import explained
from firstlight.decisions.truth import Truth, truth
from firstlight.techniques.card import Status


class Verdict(StrEnum):
    """What became of a decision."""

    STANDS = "stands"
    FLIPS = "flips"
    NOT_JUDGED = "cannot be judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A decision, held against the facts."""

    decision: Decision
    verdict: Verdict
    condition: str
    """With the numbers in it, and where each is from."""
    used: tuple[Fact, ...]
    """The facts that the condition asks for, as far as they are known."""
    missing: tuple[str, ...]
    """What has to be known before it can be judged; empty where it was."""
    troubles: tuple[str, ...]
    """Why it cannot be judged although the facts are there; empty where it was."""
    borrowed: tuple[str, ...]
    """Facts of others' machines without which it could not be judged."""
    support: tuple[str, ...]
    """What of the user's own speaks for it; empty where nothing does."""
    at_work: tuple[str, ...]
    """The user's starts that show the technique at work."""

    @property
    def is_inherited(self) -> bool:
        """Whether somebody else decided it, and nothing here was tested."""
        return self.decision.origin is not Whose.HERE and not self.support

    @property
    def standing(self) -> str:
        """On whose word it stands, in a phrase."""
        if self.support:
            return f"supported by {self.support[0]}" + (
                f" and {len(self.support) - 1} more" if len(self.support) > 1 else ""
            )
        match self.decision.origin:
            case Whose.HERE:
                return "decided here"
            case Whose.REFERENCE_CASE:
                return "from the reference case, not tested here"
            case _:
                return "firstlight's own judgement, not tested here"


def evaluate(
    decision: Decision, facts: Mapping[str, Fact], *, at_work: tuple[str, ...] = ()
) -> Evaluated:
    """
    Hold a decision against the facts.

    Args:
        decision: one of a register.
        facts: everything known, by name.
        at_work: the user's starts that show the technique at work.
    """
    condition = read_condition(decision.look_again.when)
    asked = names(condition)
    answer = _judged(condition, facts.values())
    own = _judged(condition, (f for f in facts.values() if f.is_own))
    used = tuple(facts[name] for name in asked if name in facts)
    borrowed = (
        tuple(f.name for f in used if not f.is_own)
        if answer.is_so is not None and own.is_so is None
        else ()
    )
    return Evaluated(
        decision=decision,
        verdict=_verdict(answer),
        condition=explained(condition, {fact.name: fact.said for fact in used}),
        used=used,
        missing=answer.missing,
        troubles=answer.troubles,
        borrowed=borrowed,
        support=_support(decision, own, used, at_work),
        at_work=at_work,
    )


def _judged(condition: Condition, facts: Iterable[Fact]) -> Truth:
    return truth(condition, {fact.name: fact.value for fact in facts})


def _verdict(answer: Truth) -> Verdict:
    return {True: Verdict.FLIPS, False: Verdict.STANDS, None: Verdict.NOT_JUDGED}[answer.is_so]


def _support(
    decision: Decision, own: Truth, used: tuple[Fact, ...], at_work: tuple[str, ...]
) -> tuple[str, ...]:
    support = [e.where for e in decision.evidence if e.origin is Whose.HERE]
    if decision.status is not Status.EXCLUDED:
        support += at_work
    elif own.is_so is False:
        support += [f"{f.name} of {f.source}" for f in used if f.standing is Standing.RECORDS]
    return tuple(dict.fromkeys(support))
