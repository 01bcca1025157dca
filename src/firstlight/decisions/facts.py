"""
Facts: the numbers that conditions are about, and who says them.

The same fact may be known from several places: somebody wrote it down, a start of theirs shows
it, the register keeps it, the reference case measured it on another machine. The nearest one
counts, and an answer always says which that was: "13.6 (reference case)" is worth asking again,
"13.6 (runs/streamed, 3 starts)" is not.
"""

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum

import msgspec

from firstlight.core.errors import BadInput
from firstlight.decisions.fact_units import NUMBER, Units, nonsense
from firstlight.decisions.spelled import spelled
from firstlight.decisions.truth import Value
from firstlight.readers.json_pointer import token
from firstlight.readers.own_yaml import OwnYaml, read_own_yaml

NAME = re.compile(r"[a-z][a-z0-9_]*")
_LIKE_A_NUMBER = re.compile(r"[-+.]?[0-9]|[-+]?(?:nan|inf)", re.IGNORECASE)
_SHOWN = 40
_REMEDY = "write `name: number`, or `name: {value: number, source: where it comes from}`"


class Standing(IntEnum):
    """How near to the user a fact was found; the highest counts."""

    BUILT_IN = 0
    """Of the reference case, or an estimate: of somebody else's machines either way."""
    REGISTER = 1
    RECORDS = 2
    FILE = 3
    COMMAND_LINE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact, and who says so."""

    name: str
    value: Value
    source: str
    """For people: a file, the records, the reference case."""
    standing: Standing

    @property
    def is_own(self) -> bool:
        """Whether it is about the user's own machines."""
        return self.standing is not Standing.BUILT_IN

    @property
    def said(self) -> str:
        """The value with its source: `13.6 (reference case)`."""
        return f"{spelled(self.value)} ({self.source})"


class StatedFact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact with its source, as people write it into a file."""

    value: int | float | bool | str | None
    """None for one that is not known yet."""
    source: str = ""
    """Empty where only the file says so."""


Stated = int | float | bool | str | StatedFact | None
"""A fact as it may stand in a file; None for one that is not known yet."""


def read_facts(data: bytes, *, artefact: str, units: Units) -> dict[str, Fact]:
    """
    The facts of a file of them: a map from names to numbers.

    Args:
        data: the file.
        artefact: what to call it.
        units: of the facts that have one.

    Raises:
        BadInput: it is no such file; the sentence says the line.
    """
    file = read_own_yaml(artefact, data, what="file of facts", remedy=_REMEDY)
    return stated_facts(file, "", file.value, standing=Standing.FILE, units=units)


def stated_facts(
    file: OwnYaml, of: str, stated: Mapping[str, object], *, standing: Standing, units: Units
) -> dict[str, Fact]:
    """
    The facts of the map at a JSON pointer.

    Raises:
        BadInput: a name can be none in it, or a value cannot be that fact's.
    """
    facts = {}
    for name, written in stated.items():
        here = f"{of}/{token(name)}"
        if not NAME.fullmatch(name):
            raise file.refusal(here, f"{name} is no name of a fact: small letters, digits and _")
        try:
            one = msgspec.convert(written, Stated)
        except msgspec.ValidationError as e:
            raise file.refusal(here, f"{name} is no number, text, true or false") from e
        fact = one if isinstance(one, StatedFact) else StatedFact(value=one)
        if fact.value is None:
            continue
        if why := nonsense(name, fact.value, units):
            raise file.refusal(here, _cannot_be(name, fact.value, why))
        source = f"{file.artefact}: {fact.source}" if fact.source else file.artefact
        facts[name] = Fact(name=name, value=fact.value, source=source, standing=standing)
    return facts


def read_assignment(text: str, *, units: Units) -> Fact:
    """
    A fact from the command line, `ebs_gbps=20`.

    Args:
        text: as it was typed.
        units: of the facts that have one.

    Raises:
        BadInput: it is none, or its value cannot be that fact's.
    """
    name, equals, written = text.partition("=")
    name, written = name.strip(), written.strip()
    if not equals or not NAME.fullmatch(name) or not written:
        raise BadInput(f"{text!r} is no fact", remedy="write it as --set NAME=VALUE: ebs_gbps=20")
    value = _typed(written)
    why = nonsense(name, value, units)
    if why is None and isinstance(value, str) and _LIKE_A_NUMBER.match(value):
        why = "it begins as a number and is none"
    if why:
        remedy = "write a number as 20, 0.6 or 1e9, in the unit that the table of facts has"
        raise BadInput(f"--set {text!r}: {_cannot_be(name, value, why)}", remedy=remedy)
    return Fact(name=name, value=value, source="--set", standing=Standing.COMMAND_LINE)


def _cannot_be(name: str, value: Value, why: str) -> str:
    said = str(value) if isinstance(value, str) else spelled(value)
    return f"{name} cannot be {said if len(said) <= _SHOWN else f'{said[:_SHOWN]}...'}: {why}"


def merged(*several: Mapping[str, Fact]) -> dict[str, Fact]:
    """All facts; of two with one name the nearer, and of two as near the later."""
    facts: dict[str, Fact] = {}
    for some in several:
        for name, fact in some.items():
            if name not in facts or fact.standing >= facts[name].standing:
                facts[name] = fact
    return facts


def unused(facts: Collection[Fact], known: Collection[str]) -> dict[str, str]:
    """By name, a sentence for each fact that nobody asks for: mostly a name that was mistyped."""
    told = {}
    for fact in facts:
        if fact.name in known:
            continue
        near = difflib.get_close_matches(fact.name, known, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        told[fact.name] = f"{fact.source}: no condition asks for {fact.name}{meant}"
    return told


def _typed(written: str) -> Value:
    if written in {"true", "false"}:
        return written == "true"
    if NUMBER.fullmatch(written) is None:
        return written
    return int(written) if re.fullmatch(r"-?[0-9]{1,18}", written) else float(written)
