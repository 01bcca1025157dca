"""
Joining `decide` to the register, the facts and the records on disk.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput, NothingFound
from firstlight.decisions.condition import names, read_condition
from firstlight.decisions.document import document
from firstlight.decisions.evaluation import evaluate
from firstlight.decisions.fact_units import Units
from firstlight.decisions.facts import Fact, merged, read_assignment, read_facts, unused
from firstlight.decisions.meanings import Meaning, built_in_facts, read_meanings, units_of
from firstlight.decisions.records import RECORDED, FromRecords, from_records
from firstlight.decisions.register import Register, from_deck, read_register
from firstlight.decisions.register_text import register_text
from firstlight.edges.decision_files import read_kept, write_new
from firstlight.edges.package_data import fact_meanings
from firstlight.techniques.deck import Deck
from firstlight.wiring.cards import deck

USUAL_REGISTER = Path("decisions.yaml")
"""Where a register is looked for that nobody named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFacts:
    """Facts as they were given."""

    files: Sequence[Path] = ()
    assignments: Sequence[str] = ()
    """`ebs_gbps=20`"""
    records: Sequence[str] = ()
    """Whatever `explain` reads."""


def decide(
    register: Path | None, *, given: GivenFacts, technique: str | None = None
) -> dict[str, Any]:
    """
    Hold a register against everything that is known.

    Args:
        register: its file; None for the usual one, or the built-in one where that is not there.
        given: the user's facts.
        technique: only the decision about this one; None for all.

    Raises:
        BadInput: something given cannot be read.
    """
    cards = deck()
    meanings = _meanings()
    units = units_of(meanings)
    kept = _register(register, cards, units)
    chosen = _chosen(kept, cards, technique)
    own = _own_facts(given, units)
    records = _records(given.records, wanted=_asked(chosen))
    facts = merged(built_in_facts(meanings), kept.facts, records.facts, own)
    known = meanings.keys() | _asked(kept) | RECORDED
    unasked = unused([*kept.facts.values(), *own.values()], known)
    notes = [*records.notes, *unasked.values()]
    undecided = cards.cards.keys() - {d.technique for d in kept.decisions}
    if undecided and technique is None:
        notes.append(f"nothing is decided here about {', '.join(sorted(undecided))}")
    return document(
        [
            evaluate(one, facts, at_work=records.at_work.get(one.technique, ()))
            for one in chosen.decisions
        ],
        artefact=kept.artefact,
        deck=cards,
        meanings=meanings,
        notes=notes,
        unused=tuple(unasked),
    )


def new_register(path: Path, *, given: GivenFacts) -> Register:
    """
    Write the built-in register, and the facts given, to a new file.

    Raises:
        BadInput: something is there already, or a fact is none.
        OutsideFailed: it cannot be written.
    """
    built_in = from_deck(deck())
    own = _own_facts(given, units_of(_meanings()))
    made = Register(artefact=str(path), decisions=built_in.decisions, facts=own)
    write_new(path, register_text(made))
    return made


def _meanings() -> Mapping[str, Meaning]:
    return read_meanings(fact_meanings(), artefact="facts.yaml")


def _register(path: Path | None, cards: Deck, units: Units) -> Register:
    if path is None and not USUAL_REGISTER.exists():
        return from_deck(cards)
    path = path or USUAL_REGISTER
    kept = read_kept(path)
    return read_register(kept, artefact=str(path), techniques=cards.cards, units=units)


def _chosen(register: Register, cards: Deck, technique: str | None) -> Register:
    if technique is None:
        return register
    card = cards.card(technique)
    chosen = tuple(d for d in register.decisions if d.technique == card.id)
    if not chosen:
        raise BadInput(
            f"{register.artefact} decides nothing about {technique}",
            remedy="a new register has it: firstlight decide --new FILE",
        )
    return Register(artefact=register.artefact, decisions=chosen, facts=register.facts)


def _asked(register: Register) -> set[str]:
    """The facts that its conditions name."""
    conditions = (read_condition(d.look_again.when) for d in register.decisions)
    return {name for condition in conditions for name in names(condition)}


def _own_facts(given: GivenFacts, units: Units) -> dict[str, Fact]:
    from_files = [
        read_facts(read_kept(path), artefact=str(path), units=units) for path in given.files
    ]
    assigned = [read_assignment(text, units=units) for text in given.assignments]
    return merged(*from_files, {fact.name: fact for fact in assigned})


def _records(given: Sequence[str], *, wanted: Collection[str]) -> FromRecords:
    if not given:
        return FromRecords()
    # Reading starts takes every reader there is; most calls bring none.
    from firstlight.wiring.explaining import explain_inputs  # noqa: PLC0415

    try:
        starts = explain_inputs(given)
    except NothingFound as e:
        # Exit code 1 means that a decision flipped.
        raise BadInput(e.message, remedy=e.remedy) from e
    return from_records(starts, wanted=wanted)
