"""
What `firstlight decide` says, as one document: the JSON contract, and what the table is made of.

Fields may be added, not renamed.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from firstlight.core.records import Form
from firstlight.decisions.evaluation import Evaluated, Verdict
from firstlight.decisions.facts import Fact
from firstlight.decisions.meanings import Meaning
from firstlight.decisions.spelled import spelled
from firstlight.techniques.deck import Deck

DECIDE = Form(name="decide")


def document(
    evaluated: Sequence[Evaluated],
    *,
    artefact: str,
    deck: Deck,
    meanings: Mapping[str, Meaning],
    notes: Collection[str],
    unused: Collection[str],
) -> dict[str, Any]:
    """
    The answer.

    Args:
        evaluated: the decisions, in the register's order.
        artefact: the register's file; empty for the built-in one.
        deck: the techniques decided about.
        meanings: what is known of the facts' names.
        notes: what else there is to say, in sentences.
        unused: the facts that somebody gave and no condition asks for.
    """
    verdicts = [one.verdict for one in evaluated]
    return {
        "schema": DECIDE.schema,
        "register": artefact or None,
        "counts": {verdict.name.lower(): verdicts.count(verdict) for verdict in Verdict},
        "decisions": [_decision(one, deck, meanings) for one in evaluated],
        "notes": list(notes),
        "unused": list(unused),
    }


def _decision(one: Evaluated, deck: Deck, meanings: Mapping[str, Meaning]) -> dict[str, Any]:
    decision = one.decision
    return {
        "technique": decision.technique,
        "title": deck.card(decision.technique).title,
        "status": decision.status.value,
        "reason": decision.reason,
        "origin": decision.origin.value,
        "evidence": [
            {"where": e.where, "says": e.says, "origin": e.origin.value} for e in decision.evidence
        ],
        "look_again": {
            "when": decision.look_again.when,
            "says": decision.look_again.says,
            "origin": decision.look_again.origin.value,
        },
        "verdict": one.verdict.value,
        "condition": one.condition,
        "facts": [_fact(fact, meanings) for fact in one.used],
        "missing": [_missing(name, meanings) for name in one.missing],
        "troubles": list(one.troubles),
        "borrowed": list(one.borrowed),
        "standing": one.standing,
        "inherited": one.is_inherited,
        "support": list(one.support),
        "at_work": list(one.at_work),
    }


def _fact(fact: Fact, meanings: Mapping[str, Meaning]) -> dict[str, Any]:
    meaning = meanings.get(fact.name)
    return {
        "name": fact.name,
        "value": fact.value,
        "spelled": spelled(fact.value),
        "unit": meaning.unit if meaning else "",
        "says": meaning.says if meaning else "",
        "source": fact.source,
        "own": fact.is_own,
    }


def _missing(name: str, meanings: Mapping[str, Meaning]) -> dict[str, Any]:
    meaning = meanings.get(name)
    return {
        "name": name,
        "says": meaning.says if meaning else "a fact of this register",
        "unit": meaning.unit if meaning else "",
        "how": meaning.how if meaning else f"--set {name}=VALUE",
    }
