"""
All cards together, read from text and held against each other.

A card alone may be well-formed and still speak of a technique, a sign or a parameter that
does not exist. That is found here, when the deck is made, not by whoever draws the card.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import yaml

from firstlight.core.errors import BadInput
from firstlight.core.phases import Phase
from firstlight.core.signs import Sign
from firstlight.techniques.card import Card
from firstlight.techniques.parameters import references

BUILT_IN_PARAMETERS = frozenset(
    {"name", "namespace", "engine_image", "engine_port", "engine_container"}
)
"""What `manifests` knows of every workload, without anybody saying it."""
REFERENCE_STEPS = (
    "fuse-mount",
    "stream-weights",
    "compile-cache-local",
    "compile-cache-published",
    "image-prepull",
    "sleep-wake",
)
"""The reference case, each step one technique on the one before; the first is the baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deck:
    """Every technique, by id, in order of id."""

    cards: Mapping[str, Card]

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards.values())

    def card(self, technique: str) -> Card:
        """
        The card of a technique.

        Raises:
            BadInput: there is none of this id.
        """
        if technique in self.cards:
            return self.cards[technique]
        near = difflib.get_close_matches(technique, self.cards, n=1)
        raise BadInput(
            f"no technique is called {technique}",
            remedy=f"did you mean {near[0]}?" if near else f"say one of: {', '.join(self.cards)}",
        )


def read_deck(texts: Mapping[str, str]) -> Deck:
    """
    The deck of these files.

    Args:
        texts: YAML by file name, `ID.yaml`.

    Raises:
        BadInput: a file is no card, or speaks of what does not exist; the sentence says where.
    """
    cards = {name: read_card(name, texts[name]) for name in sorted(texts)}
    for name, card in cards.items():
        if name != f"{card.id}.yaml":
            raise _wrong(name, f"its id is {card.id}")
    by_id = {card.id: card for card in cards.values()}
    for name, card in cards.items():
        for other in (*card.builds_on, *card.replaces, *card.excludes):
            if other not in by_id:
                raise _wrong(name, f"it speaks of {other}, which no card is")
    return Deck(cards=by_id)


def read_card(name: str, text: str) -> Card:
    """
    One card, by itself.

    Raises:
        BadInput: it is no card.
    """
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
        card = msgspec.convert(value, Card)
    except (yaml.YAMLError, msgspec.ValidationError) as e:
        raise _wrong(name, " ".join(str(e).split())) from e
    for sign in card.proof:
        if sign.sign not in tuple(Sign):
            raise _wrong(name, f"{sign.sign} is no sign")
    for phase in card.claim.phases:
        if phase.partition("/")[0] not in tuple(Phase):
            raise _wrong(name, f"{phase} is in no phase")
    used = references(_change(card))
    if unknown := used - BUILT_IN_PARAMETERS - card.parameters.keys():
        raise _wrong(name, f"{min(unknown)} is none of its parameters")
    if unused := card.parameters.keys() - used:
        raise _wrong(name, f"nothing uses its parameter {min(unused)}")
    return card


# The wheels have libyaml, ten times as fast; a build without it has the same loader in Python.
_FASTEST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_FASTEST):  # type: ignore[misc]  # either is a SafeLoader
    """YAML in which a key stands once: of two, PyYAML keeps the last and says nothing."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                line = key.start_mark.line + 1
                raise yaml.YAMLError(f"{key.value} stands twice, the second time in line {line}")
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _change(card: Card) -> Any:
    return msgspec.to_builtins(card.change)


def _wrong(name: str, why: str) -> BadInput:
    return BadInput(f"{name} is no card of a technique: {why}", remedy="see docs/techniques")
