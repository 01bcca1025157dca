"""
The steps of a plan for a cluster: sets of objects.

Each step is drawn on the objects of the one before, by the same cards and in the same way as
`firstlight render` draws them on anybody's objects. Where a card takes another's place, its own
operations take the other out; that they did is looked at, as everything is, in `object_change`.
"""

import re

from firstlight.core.errors import BadInput
from firstlight.experiment.object_change import check_what_holds, proven_on_objects
from firstlight.experiment.object_setup import ObjectSetup, object_setup
from firstlight.experiment.plan import KubernetesWords, Plan, PlannedStep
from firstlight.experiment.settings import CONTAINER, NODE
from firstlight.experiment.spoken_of import of_card, of_words
from firstlight.experiment.step import BASELINE, Step
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change
from firstlight.manifests.draft import Draft
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.operations.table import perform
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from firstlight.techniques.operations import SetArgument, SetEnvironment

_LAYERS = (f"${{{CONTAINER}}}", f"${{{NODE}}}")


class ObjectChain:
    """What holds from step to step."""

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
        self._cards: dict[str, Card] = {}
        self._active: list[str] = []

    def first(self) -> Step:
        """The base; where the objects have its technique already, as they are."""
        technique = self._plan.base.technique
        setup, card = self._base, None
        beforehand: tuple[str, ...] = ()
        if technique is not None:
            card = self._deck.card(technique)
            change = self._drawn(card, setup)
            setup, beforehand = _with(change, setup), _beforehand(change)
            self._cards[card.id] = card
            self._active.append(card.id)
        return Step(
            number=0,
            name=card.id if card else BASELINE,
            says=card.says if card else "the objects as they are given",
            setup=setup,
            card=card,
            claims=(),
            beforehand=beforehand,
            active=tuple(self._active),
        )

    def next(self, planned: PlannedStep, before: Step) -> Step:
        """The step after another."""
        name = planned.technique or planned.change or ""
        if name in self._active:
            raise BadInput(
                f"{name} is there already: a step that comes round again is no change",
                remedy="leave the second one out",
            )
        card = self._deck.card(name) if planned.technique is not None else None
        engine = str(before.objects.workload.container.get("name"))
        gone: list[Card] = []
        if card is not None:
            change, spoken = self._drawn(card, before.objects), of_card(card, engine=engine)
            gone = [self._cards.pop(other) for other in card.replaces if other in self._cards]
            self._cards[name] = card
        else:
            words = planned.kubernetes or KubernetesWords()
            change, spoken = _own(name, words, before.objects), of_words(words, engine=engine)
        undone = [one for other in gone for one in of_card(other, engine=engine)]
        setup = _with(change, before.objects)
        found = proven_on_objects(before.objects, setup, spoken=[*spoken, *undone], name=name)
        self._check(setup, gone, name)
        self._active = [one for one in self._active if one not in {c.id for c in gone}] + [name]
        return Step(
            number=before.number + 1,
            name=name,
            says=planned.says or (card.claim.says if card else ""),
            setup=setup,
            card=card,
            claims=card.claim.phases if card else planned.claims,
            difference=found,
            beforehand=_beforehand(change),
            active=tuple(self._active),
        )

    def _drawn(self, card: Card, setup: ObjectSetup) -> Change:
        try:
            return draw(
                card, setup.objects, deck=self._deck, given=self._plan.given, target=setup.target
            )
        except BadInput as error:
            raise BadInput(error.message, remedy=_for_a_plan(error.remedy)) from error

    def _check(self, setup: ObjectSetup, gone: list[Card], name: str) -> None:
        check_what_holds(setup, there=self._cards, gone=gone, given=self._plan.given, name=name)


def _with(change: Change, setup: ObjectSetup) -> ObjectSetup:
    return ObjectSetup(objects=applied(change, setup.objects), target=setup.target)


def _own(name: str, words: KubernetesWords, setup: ObjectSetup) -> Change:
    """A change of one's own, by the operations that cards have for the same."""
    draft = Draft.of(name, setup.objects, setup.workload)
    for argument, value in words.arguments.items():
        perform(draft, SetArgument(argument=argument.replace("_", "-"), value=value))
    for variable, value in words.environment.items():
        perform(draft, SetEnvironment(name=variable, value=value))
    return draft.change()


def _for_a_plan(remedy: str) -> str:
    """What to do where there is a plan and no command line of `render`."""
    remedy = re.sub(r"give it(?: as)?:? --set (\w+)=", r"say it under given: \1: ", remedy)
    return re.sub(r"^render (\S+) first$", r"put \1 before it", remedy)


def _beforehand(change: Change) -> tuple[str, ...]:
    assumed = (f"nothing, if it is so that {said}" for said in change.assumptions)
    return (*change.prerequisites, *assumed)
