"""
The steps of a plan for a cluster: sets of objects.

Each step is drawn on the objects of the one before, by the same cards and in the same way as
`firstlight render` draws them on anybody's objects. Where a card takes another's place, its own
operations take the other out; that they did is looked at, as everything is, in `object_proof`.
"""

from firstlight.core.errors import BadInput
from firstlight.experiment.chain import Coming, Made
from firstlight.experiment.object_proof import check_what_holds, proven_on_objects
from firstlight.experiment.object_setup import ObjectSetup, object_setup
from firstlight.experiment.plan import KubernetesWords, Plan
from firstlight.experiment.settings import CONTAINER, NODE
from firstlight.experiment.spoken_of import of_card, of_words
from firstlight.experiment.step import Step
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change
from firstlight.manifests.draft import Draft
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.operations.expectation import keep_expectation
from firstlight.manifests.operations.table import perform
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from firstlight.techniques.operations import SetArgument, SetEnvironment

_LAYERS = (f"${{{CONTAINER}}}", f"${{{NODE}}}")


class ObjectChain:
    """Makes objects, each set the one before and a change."""

    as_given = "the objects as they are given"

    def __init__(self, plan: Plan, deck: Deck, objects: ObjectSet, workload: str | None) -> None:
        """
        Raises:
            BadInput: no workload among the objects can be started again and again.
        """
        for name, value in plan.given.items():
            if any(layer in value for layer in _LAYERS):
                raise BadInput(
                    f"{name} is {value}, and such folders stand for a container and its node on "
                    "a host without any",
                    remedy="give the path that the pod or its node has",
                )
        self._plan = plan
        self._deck = deck
        self._base = object_setup(objects, workload)

    def first(self, card: Card | None) -> Made:
        """
        The base; where the objects have its technique already, as they are.

        Raises:
            BadInput: the technique cannot be drawn on the objects.
        """
        if card is None:
            return Made(setup=self._base)
        change = self._drawn(card, self._base)
        return Made(setup=_with(change, self._base), beforehand=_beforehand(change))

    def next(self, coming: Coming, before: Step) -> Made:
        """
        The objects of the step before with a change.

        Raises:
            BadInput: the change cannot be drawn on them, or is not one change.
        """
        card, name, there = coming.card, coming.name, coming.there
        engine = str(before.objects.workload.container.get("name"))
        if card is not None:
            change, spoken = self._drawn(card, before.objects), of_card(card, engine=engine)
            there = {**there, name: card}
        else:
            words = coming.planned.kubernetes or KubernetesWords()
            change, spoken = _own(name, words, before.objects), of_words(words, engine=engine)
        undone = [one for other in coming.gone for one in of_card(other, engine=engine)]
        setup = _with(change, before.objects)
        found = proven_on_objects(before.objects, setup, spoken=[*spoken, *undone], name=name)
        check_what_holds(setup, there=there, gone=coming.gone, given=self._plan.given, name=name)
        return Made(setup=setup, difference=found, beforehand=_beforehand(change))

    def _drawn(self, card: Card, setup: ObjectSetup) -> Change:
        return draw(
            card, setup.objects, deck=self._deck, given=self._plan.given, target=setup.target
        )


def _with(change: Change, setup: ObjectSetup) -> ObjectSetup:
    return ObjectSetup(objects=applied(change, setup.objects), target=setup.target)


def _own(name: str, words: KubernetesWords, setup: ObjectSetup) -> Change:
    """A change of one's own, by the operations that cards have for the same."""
    draft = Draft.of(name, setup.objects, setup.workload)
    for argument, value in words.arguments.items():
        perform(draft, SetArgument(argument=argument.replace("_", "-"), value=value))
    for variable, value in words.environment.items():
        perform(draft, SetEnvironment(name=variable, value=value))
    keep_expectation(draft)
    return draft.change()


def _beforehand(change: Change) -> tuple[str, ...]:
    assumed = (f"nothing, if it is so that {said}" for said in change.assumptions)
    return (*change.prerequisites, *assumed)
