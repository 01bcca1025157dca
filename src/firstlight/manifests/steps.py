"""
The steps of the reference case, rendered for somebody's own intent.

Step 0 is the baseline, drawn from its card onto objects that say nothing of how weights
come. Each step after it is the one before plus exactly one technique, drawn from its card
onto the objects as they are then. So a step is a change before it is a set of objects, and
neighbouring steps cannot differ by more. A step that this intent cannot have (no published
cache, nodes that take no script) stays in the row under its number, equal to the one before,
with the reason.

What somebody made of a step by hand is held against it with `differences`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change
from firstlight.manifests.drawing import draw
from firstlight.manifests.intent import Intent
from firstlight.manifests.karpenter_references import POOL_LABEL
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.set.whole import assumptions, bare_objects
from firstlight.techniques.card import Card
from firstlight.techniques.deck import REFERENCE_STEPS, Deck
from firstlight.techniques.operations import NewNodeClass

_AMI_FAMILIES = {"al2023": "AL2023", "bottlerocket": "Bottlerocket"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: every object of it, and what it changed in the step before."""

    number: int
    technique: str
    objects: ObjectSet
    change: Change | None = None
    """None for the baseline, and for a step that is left out."""
    notes: tuple[str, ...] = ()
    """What to know of its objects, beside what its change says itself."""
    left_out: str | None = None
    """Why the objects are those of the step before; None for a step that is made."""


def steps(intent: Intent, deck: Deck) -> tuple[Step, ...]:
    """
    Every step of the reference case.

    Raises:
        BadInput: a card cannot be drawn onto these objects at all.
    """
    first, *others = REFERENCE_STEPS
    baseline = deck.card(first)
    bare = bare_objects(intent)
    mounted = draw(baseline, bare, deck=deck, given=given(intent, baseline))
    made = [
        Step(
            number=0,
            technique=first,
            objects=applied(mounted, bare),
            notes=(*assumptions(intent), *mounted.assumptions),
        )
    ]
    for number, technique in enumerate(others, start=1):
        made.append(_next(number, deck.card(technique), made, intent, deck))
    return tuple(made)


def _next(number: int, card: Card, made: list[Step], intent: Intent, deck: Deck) -> Step:
    before = made[-1].objects
    known = given(intent, card)
    why = _left_out(card, intent, known, made)
    if why is not None:
        return Step(number=number, technique=card.id, objects=before, left_out=why)
    change = draw(card, before, deck=deck, given=known)
    return Step(
        number=number,
        technique=card.id,
        objects=applied(change, before),
        change=change,
        notes=_nodes_left(number, change, intent),
    )


def given(intent: Intent, card: Card) -> Mapping[str, Any]:
    """What an intent tells a card, by the names of its parameters."""
    known: dict[str, Any] = {
        "model_uri": intent.model.rstrip("/"),
        "bucket": intent.bucket,
        "bucket_prefix": intent.prefix,
        "region": intent.region,
        "cache_uri": intent.cache_uri,
        "trusted_key": intent.trusted_key,
        "firstlight_image": intent.firstlight_image,
        "retention": intent.retention,
    }
    return {
        name: value
        for name, value in known.items()
        if value is not None and name in card.parameters
    }


def _left_out(card: Card, intent: Intent, known: Mapping[str, Any], made: list[Step]) -> str | None:
    if card.change.kubernetes.refused:
        return f"{card.id} is left out: {card.change.kubernetes.refused}"
    family = _AMI_FAMILIES[intent.node_system]
    for operation in card.change.kubernetes.operations:
        if isinstance(operation, NewNodeClass) and operation.ami_families:
            wanted = {one.lower() for one in operation.ami_families}
            if family.lower() not in wanted:
                return f"{card.id} is left out: {family} takes no script in its user data"
    missing = [
        name
        for name, parameter in card.parameters.items()
        if parameter.default is None and name not in known
    ]
    if missing:
        return f"{card.id} is left out: the intent does not say {' and '.join(missing)}"
    absent = [step.technique for step in made if step.left_out and step.technique in card.builds_on]
    if absent:
        return f"{card.id} is left out: it builds on {absent[0]}, which is left out"
    return None


def _nodes_left(number: int, change: Change, intent: Intent) -> tuple[str, ...]:
    """What goes on running where a step has nodes of its own and nothing takes the others away."""
    if not intent.experiment or not any(m.identity.kind == "NodePool" for m in change.added):
        return ()
    sentence = (
        f"the nodes of the steps before step {number} stay, and cost money, until they are "
        f"deleted: kubectl delete nodeclaim -l {POOL_LABEL}={intent.cluster_wide_name}"
    )
    return (sentence,)


def numbered(all_steps: tuple[Step, ...], number: int) -> Step:
    """
    The step of a number.

    Raises:
        BadInput: there is none.
    """
    if 0 <= number < len(all_steps):
        return all_steps[number]
    raise BadInput(
        f"there is no step {number}", remedy=f"say a number from 0 to {len(all_steps) - 1}"
    )
