"""
All cards together, read from text and held against each other.

A card alone may be well-formed and still speak of a technique, a sign or a parameter that
does not exist. That is found here, when the deck is made, not by whoever draws the card.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.phases import Phase
from firstlight.core.signs import Sign
from firstlight.readers.own_yaml import OwnYaml, read_own_yaml
from firstlight.techniques.card import Card
from firstlight.techniques.parameter_kinds import is_kind
from firstlight.techniques.parameters import references

BUILT_IN_PARAMETERS = frozenset(
    {
        *("name", "namespace", "workload"),
        *("engine_image", "engine_port", "engine_container", "cache_mount"),
    }
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
_REMEDY = "see docs/techniques/card.schema.json for the form of a card"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deck:
    """Every technique, by id, in order of id."""

    cards: Mapping[str, Card]

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards.values())

    @property
    def ids(self) -> str:
        """All of them, for a sentence."""
        return ", ".join(self.cards)

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
            remedy=f"did you mean {near[0]}?" if near else f"say one of: {self.ids}",
        )


def read_deck(texts: Mapping[str, str]) -> Deck:
    """
    The deck of these files.

    Args:
        texts: YAML by file name, `ID.yaml`.

    Raises:
        BadInput: a file is no card, or speaks of what does not exist; the sentence says the line.
    """
    files = {
        name: read_own_yaml(name, texts[name].encode(), what="card", remedy=_REMEDY)
        for name in sorted(texts)
    }
    cards = {name: file.typed(Card) for name, file in files.items()}
    ids = {card.id for card in cards.values()}
    for name, file in files.items():
        _check_names(file, cards[name], ids)
        _check_parameters(file, cards[name])
    return Deck(cards={card.id: card for card in cards.values()})


def _check_names(file: OwnYaml, card: Card, ids: set[str]) -> None:
    """See that every technique, sign and phase that a card speaks of is there."""
    if file.artefact != f"{card.id}.yaml":
        raise file.refusal("/id", f"its id is {card.id}, and its file is called otherwise")
    for field in ("builds_on", "replaces", "excludes"):
        for number, other in enumerate(getattr(card, field)):
            if other not in ids:
                raise file.refusal(f"/{field}/{number}", f"no technique is called {other}")
    for number, sign in enumerate(card.proof):
        if sign.sign not in tuple(Sign):
            raise file.refusal(f"/proof/{number}/sign", f"{sign.sign} is no sign")
    for number, phase in enumerate(card.claim.phases):
        if phase.partition("/")[0] not in tuple(Phase):
            raise file.refusal(f"/claim/phases/{number}", f"{phase} is in no phase")


def _check_parameters(file: OwnYaml, card: Card) -> None:
    """See that the change uses every parameter, and none that is not there."""
    used = references(msgspec.to_builtins(card.change))
    if unknown := used - BUILT_IN_PARAMETERS - card.parameters.keys():
        raise file.refusal("/change", f"{min(unknown)} is none of its parameters")
    if unused := card.parameters.keys() - used:
        name = min(unused)
        raise file.refusal(f"/parameters/{name}", f"nothing uses its parameter {name}")
    for name, parameter in card.parameters.items():
        if parameter.default is not None and not is_kind(parameter.default, parameter.kind):
            raise file.refusal(
                f"/parameters/{name}/default", f"its default is not of its kind, {parameter.kind}"
            )
