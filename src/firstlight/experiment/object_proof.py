"""
The proof that a step on objects is one change on the step before.

The objects of the two steps are compared value by value. Everything that differs must be
spoken of by this step's change, or by the undoing of what it replaces. Then it is seen that the
change is there, because doing it again would change nothing, and that what held before still
does. So neither two cards that set one variable nor a card that leaves half of another behind
comes through as one change.
"""

from collections.abc import Mapping, Sequence

from firstlight.core.errors import BadInput
from firstlight.experiment.object_difference import ObjectDifference, object_differences
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.spoken_of import Spoken
from firstlight.manifests.drawing import has
from firstlight.techniques.card import Card


def proven_on_objects(
    before: ObjectSetup, after: ObjectSetup, *, spoken: Sequence[Spoken], name: str
) -> tuple[ObjectDifference, ...]:
    """
    What differs, once it is sure that it is this one change.

    Args:
        before: the step before.
        after: the step.
        spoken: what the step's change, and the undoing of what it replaces, speak of.
        name: of the step, for the error.

    Raises:
        BadInput: something else differs, or nothing does.
    """
    found = object_differences(before.objects, after.objects)
    if not found:
        raise BadInput(
            f"the step {name} changes nothing: the objects have it already",
            remedy="leave it out, or take it out of the objects of the base",
        )
    kind = after.target.kind
    foreign = [one for one in found if not any(s.covers(one.found, workload=kind) for s in spoken)]
    if foreign:
        raise BadInput(
            f"the step {name} is more than one change: beside its own there is "
            f"{'; '.join(one.line for one in foreign)}",
            remedy="make a step of its own for that, or put it into the base",
        )
    return found


def check_what_holds(
    setup: ObjectSetup,
    *,
    there: Mapping[str, Card],
    gone: Sequence[Card],
    given: Mapping[str, str],
    name: str,
) -> None:
    """
    See that the techniques of a step are there, and those that were replaced are not.

    Args:
        setup: of the step.
        there: the cards that hold at it.
        gone: those whose place was taken.
        given: parameters of the cards.
        name: of the step, for the error.

    Raises:
        BadInput: one is not as it should be.
    """

    def is_there(card: Card) -> bool:
        return has(card, setup.objects, given=given, target=setup.target)

    for card in there.values():
        if not is_there(card):
            raise BadInput(
                f"at the step {name} the change of {card.id} is not there",
                remedy="look for a later or earlier step that sets the same",
            )
    for card in gone:
        if is_there(card):
            raise BadInput(
                f"the step {name} takes the place of {card.id}, and that is still there",
                remedy=f"take {card.id} out of the objects by hand, and make a plan without it",
            )
