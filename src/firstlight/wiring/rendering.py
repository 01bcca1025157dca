"""
Joining `render` to the cards and to the disk.

Several techniques are drawn one after the other, each on what the one before made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.workloads import names_a_workload, parsed_target
from firstlight.edges.card_files import card_texts
from firstlight.edges.written_folder import write_folder
from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw
from firstlight.manifests.kustomization import MARK, kustomization
from firstlight.manifests.objects import Identity, ObjectSet
from firstlight.manifests.rendered import Drawn, Rendered
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck, read_deck
from firstlight.wiring.given_objects import Given

_NAMES_BOTH = "say KIND/NAME, such as deployment/vllm"


def deck() -> Deck:
    """The cards that come with firstlight."""
    return read_deck(card_texts())


def rendered(
    given: Given,
    techniques: Sequence[str],
    *,
    parameters: Mapping[str, str],
    target: str | None = None,
) -> Rendered:
    """
    Techniques on somebody's objects.

    Args:
        given: the objects.
        techniques: ids, in the order in which they are put on.
        parameters: values by the parameters' names.
        target: the workload that is meant, as KIND/NAME; None where there is only one.

    Raises:
        BadInput: no such technique or parameter, or it cannot be drawn on these objects.
    """
    cards = deck()
    chosen = [cards.card(technique) for technique in techniques]
    _check_names(chosen, parameters)
    objects, drawn = given.objects, []
    for card in chosen:
        own = {name: value for name, value in parameters.items() if name in card.parameters}
        identity = _target(target, objects) if target else None
        change = draw(card, objects, deck=cards, given=own, target=identity)
        drawn.append(Drawn(card=card, before=objects, change=change))
        objects = applied(change, objects)
    return Rendered(before=given.objects, drawn=tuple(drawn), after=objects, notes=given.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A kustomization on the disk."""

    files: tuple[Path, ...]
    left: tuple[Path, ...]
    """What an earlier rendering wrote there and this one does not have."""


def written(files: Mapping[str, str], place: Path) -> Written:
    """
    Write a kustomization, whole or not at all where a file there is not ours.

    Raises:
        BadInput: a file there is not ours.
        OutsideFailed: the disk does not take it.
    """
    left = write_folder(place, files, mark=MARK)
    return Written(files=tuple(place / name for name in files), left=left)


def kustomization_of(rendering: Rendered) -> Mapping[str, str]:
    """
    A base, a component for each technique, and an overlay of them; text by path.

    Raises:
        BadInput: an object has no name that kustomize could find it by.
    """
    return kustomization(rendering.before, rendering.changes)


def _check_names(cards: Sequence[Card], parameters: Mapping[str, str]) -> None:
    known = {name for card in cards for name in card.parameters}
    for name in parameters:
        if name not in known:
            ids = " and ".join(card.id for card in cards)
            raise BadInput(
                f"{ids} {'has' if len(cards) == 1 else 'have'} no parameter {name}",
                remedy=f"say one of: {', '.join(sorted(known))}" if known else "leave --set out",
            )


def _target(target: str, objects: ObjectSet) -> Identity:
    """
    The object that a KIND/NAME means.

    Raises:
        BadInput: there is none.
    """
    kind, slash, name = target.partition("/")
    if not slash or not kind or not name:
        raise BadInput(f"{target} does not say what it is", remedy=_NAMES_BOTH)
    if names_a_workload(target):
        # `deploy/vllm` is what kubectl calls a Deployment too.
        kind = parsed_target(target).kind
    found = [
        one.identity
        for one in objects
        if one.identity.kind.lower() == kind.lower() and one.identity.name == name
    ]
    if not found:
        there = [str(one.identity) for one in objects]
        raise BadInput(
            f"there is no {target} among the objects", remedy=f"say one of: {', '.join(there[:8])}"
        )
    return found[0]
