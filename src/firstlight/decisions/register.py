"""
The register: what was decided about each technique, in a file that people keep in git.

Each decision says what, why, on what evidence, who decided it, and the condition under which
to look again, which `firstlight decide` tests against facts. The first register is made from
the techniques' cards and holds the judgements of the reference case; from then on it is the
user's own. It is never rewritten by a program: their comments and their order are theirs.
"""

import difflib
from collections.abc import Collection
from enum import StrEnum
from typing import Any

import msgspec

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.decisions.condition import read_condition
from firstlight.decisions.fact_units import Units
from firstlight.decisions.facts import Fact, Standing, stated_facts
from firstlight.readers.own_yaml import OwnYaml, read_own_yaml
from firstlight.techniques.card import Card, Status
from firstlight.techniques.deck import Deck

VERSION = 1
_REMEDY = "compare with a new one: firstlight decide --new FILE"


class Whose(StrEnum):
    """Who says something; the first is whoever keeps the register, the others as in the cards."""

    HERE = "here"
    REFERENCE_CASE = "reference-case"
    MEASURED = "measured"
    UPSTREAM = "upstream"
    REPORTED = "reported"
    OURS = "ours"


class _Part(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """An unknown field is a mistake; what is left unsaid stays unsaid when it is written."""


class Evidence(_Part, frozen=True, kw_only=True):
    """Something that a decision rests on."""

    where: str
    """A record, a file, an address."""
    says: str = ""
    """What is to be seen there, in a line."""
    origin: Whose = Whose.HERE


class LookAgain(_Part, frozen=True, kw_only=True):
    """When the decision has to be made again."""

    when: str
    """See `condition`."""
    says: str = ""
    origin: Whose = Whose.HERE


class Decision(_Part, frozen=True, kw_only=True):
    """What was decided about one technique."""

    technique: str
    status: Status
    reason: str
    origin: Whose = Whose.HERE
    evidence: tuple[Evidence, ...] = ()
    look_again: LookAgain


class _File(_Part, frozen=True, kw_only=True):
    """The form of the file."""

    version: int
    decisions: tuple[Decision, ...]
    facts: dict[str, Any] = {}


class Register(msgspec.Struct, frozen=True, kw_only=True):
    """All decisions, in the keeper's order."""

    artefact: str
    """Empty for the built-in one."""
    decisions: tuple[Decision, ...]
    facts: dict[str, Fact] = {}
    """The keeper's own."""


def from_deck(deck: Deck) -> Register:
    """The register that the cards make: the judgements that one starts from."""
    return Register(artefact="", decisions=tuple(_from_card(card) for card in deck))


def read_register(
    data: bytes, *, artefact: str, techniques: Collection[str], units: Units
) -> Register:
    """
    The register in a file.

    Args:
        data: the file.
        artefact: what to call it.
        techniques: every id there is a card for.
        units: of the facts that have one.

    Raises:
        BadInput: something in it is wrong; the sentence says the line.
        NewerRecord: a newer firstlight wrote it.
    """
    document = read_own_yaml(artefact, data, what="register", remedy=_REMEDY)
    _check_version(document)
    file = document.typed(_File)
    lines: dict[str, str] = {}
    for number, decision in enumerate(file.decisions):
        here = f"/decisions/{number}"
        _check(document, here, decision, techniques)
        if decision.technique in lines:
            first = lines[decision.technique]
            why = f"{decision.technique} is decided twice, first in {first}"
            raise document.refusal(here, why)
        lines[decision.technique] = document.place(here)
    facts = stated_facts(document, "/facts", file.facts, standing=Standing.REGISTER, units=units)
    return Register(artefact=artefact, decisions=file.decisions, facts=facts)


def _check_version(document: OwnYaml) -> None:
    version = document.value.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise document.refusal("/version", f"a register says its version, which is {VERSION}")
    if version > VERSION:
        raise NewerRecord(
            f"{document.artefact} was written for a newer firstlight (version {version} of its "
            f"format, this one reads {VERSION})",
            remedy="upgrade firstlight",
        )


def _check(document: OwnYaml, here: str, decision: Decision, techniques: Collection[str]) -> None:
    if decision.technique not in techniques:
        near = difflib.get_close_matches(decision.technique, techniques, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        why = f"no technique is called {decision.technique}{meant}"
        raise document.refusal(f"{here}/technique", why)
    if not decision.reason.strip():
        why = f"{decision.technique} is decided without a reason"
        raise document.refusal(f"{here}/reason", why)
    try:
        read_condition(decision.look_again.when)
    except BadInput as e:
        raise document.refusal(f"{here}/look_again/when", e.message) from e


def _from_card(card: Card) -> Decision:
    decision = card.decision
    return Decision(
        technique=card.id,
        status=decision.status,
        reason=decision.reason,
        origin=Whose(decision.origin.value),
        evidence=tuple(
            Evidence(where=source.where, origin=Whose(source.origin.value))
            for source in decision.sources
        ),
        look_again=LookAgain(
            when=" ".join(decision.look_again.when.split()),
            says=decision.look_again.says,
            origin=Whose(decision.look_again.origin.value),
        ),
    )
