"""
Joining `render` to the cards and to the disk.

Several techniques are drawn one after the other, each on what the one before made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.workloads import names_a_workload, parsed_target
from firstlight.edges.written_folder import check_apart, write_folder
from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw
from firstlight.manifests.kustomization import MARK, kustomization
from firstlight.manifests.objects import Identity
from firstlight.manifests.publishing_job import needed_first, publishing_job
from firstlight.manifests.rendered import Drawn, Rendered
from firstlight.manifests.rendered_text import job_text
from firstlight.manifests.workload import find_workload
from firstlight.techniques.card import Card
from firstlight.wiring.cards import deck
from firstlight.wiring.given import Given

_NAMES_BOTH = "say KIND/NAME, such as deployment/vllm"


def rendered(
    given: Given,
    techniques: Sequence[str],
    *,
    parameters: Mapping[str, str],
    target: Identity | None = None,
) -> Rendered:
    """
    Techniques on somebody's objects.

    Args:
        given: the objects.
        techniques: ids, in the order in which they are put on.
        parameters: values by the parameters' names.
        target: the workload that is meant; None where there is only one.

    Raises:
        BadInput: no such technique or parameter, or it cannot be drawn on these objects.
    """
    cards = deck()
    chosen = [cards.card(technique) for technique in techniques]
    _check_names(chosen, parameters)
    _check_excluded(chosen)
    objects, drawn = given.objects, []
    for card in chosen:
        change = draw(card, objects, deck=cards, given=parameters, target=target)
        drawn.append(Drawn(card=card, before=objects, change=change))
        objects = applied(change, objects)
    return Rendered(before=given.objects, drawn=tuple(drawn), after=objects, notes=given.notes)


def publishing_text(rendering: Rendered, target: Identity | None = None) -> str:
    """
    The Job that publishes what the rendered workload's pods pull, as YAML.

    Raises:
        BadInput: they pull nothing, or it cannot be made from them.
    """
    workload = find_workload(rendering.after, target)
    objects = publishing_job(workload, rendering.after)
    return job_text(
        objects,
        title=f"one start of {workload.manifest.identity}, one request, and its caches published",
        needed=needed_first(workload),
    )


def target_of(text: str, *, namespace: str | None) -> Identity:
    """
    The object that a KIND/NAME means; whether there is one is for whoever looks.

    Args:
        text: in kubectl's words, so `deploy/vllm` is a Deployment.
        namespace: None for any.

    Raises:
        BadInput: it is not of that form.
    """
    kind, slash, name = text.partition("/")
    if not slash or not kind or not name:
        raise BadInput(f"{text} does not say what it is", remedy=_NAMES_BOTH)
    kind = parsed_target(text).kind if names_a_workload(text) else kind
    return Identity(kind=kind, name=name, namespace=namespace or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A kustomization on the disk."""

    files: tuple[Path, ...]
    left: tuple[Path, ...]
    """What an earlier rendering wrote there and this one does not have."""


def written(files: Mapping[str, str], place: Path, *, read: str | None = None) -> Written:
    """
    Write a kustomization, whole or not at all where a file there is not ours.

    Args:
        files: text by path.
        place: the folder.
        read: what the objects were read from; None where they come from an intent.

    Raises:
        BadInput: a file there is not ours, or the objects themselves lie there.
        OutsideFailed: the disk does not take it.
    """
    if read is not None and Path(read).exists():
        check_apart(place, Path(read))
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


def _check_excluded(cards: Sequence[Card]) -> None:
    """Drawing would find it too, but could not say that both were named here."""
    for at, card in enumerate(cards):
        for other in cards[:at]:
            if other.id in card.excludes:
                raise BadInput(
                    f"{other.id} and {card.id} exclude each other", remedy="name one of the two"
                )
