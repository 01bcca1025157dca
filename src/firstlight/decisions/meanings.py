"""
What the facts' names mean, and what they were in the reference case.

One table, `facts.yaml`, in this folder: a name in a condition is worth nothing until somebody
knows in which unit it is and where to read it.
"""

from collections.abc import Mapping

import msgspec

from firstlight.decisions.fact_units import Units
from firstlight.decisions.facts import Fact, Standing
from firstlight.readers.own_yaml import read_own_yaml
from firstlight.techniques.sources import Origin, Source

REFERENCE_CASE = "reference case"
ESTIMATE = "an estimate"


class Meaning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fact."""

    says: str
    unit: str
    how: str
    """How a user comes by theirs."""
    value: int | float | bool | str | None
    """In the reference case, or an estimate of it; None where nobody knows."""
    source: Source | None
    """None with the value."""


def read_meanings(text: str, *, artefact: str) -> Mapping[str, Meaning]:
    """
    The table of facts.

    Raises:
        BadInput: it is none.
    """
    remedy = "say what it is, its unit, how to get it, its value and the value's source"
    table = read_own_yaml(artefact, text.encode(), what="table of facts", remedy=remedy)
    return table.typed(dict[str, Meaning])


def built_in_facts(meanings: Mapping[str, Meaning]) -> dict[str, Fact]:
    """What is known without the user: facts of somebody else's machines."""
    return {
        name: Fact(
            name=name,
            value=meaning.value,
            source=REFERENCE_CASE if is_measured(meaning) else ESTIMATE,
            standing=Standing.BUILT_IN,
        )
        for name, meaning in meanings.items()
        if meaning.value is not None
    }


def units_of(meanings: Mapping[str, Meaning]) -> Units:
    """What the values of the facts are held against."""
    return {name: meaning.unit for name, meaning in meanings.items()}


def is_measured(meaning: Meaning) -> bool:
    """Whether its value is the reference case's, and no estimate."""
    return meaning.source is not None and meaning.source.origin is Origin.REFERENCE_CASE
