"""
Joining `render` to an intent: from a few lines to the objects of each step.
"""

from collections.abc import Mapping

from firstlight.core.errors import BadInput
from firstlight.manifests.differences import Difference, differences
from firstlight.manifests.intent import is_intent
from firstlight.manifests.intent_text import intent_from
from firstlight.manifests.kustomization import steps as kustomization_of_steps
from firstlight.manifests.rendered import Drawn, Rendered
from firstlight.manifests.set.whole import prerequisites
from firstlight.manifests.steps import Step, numbered, steps
from firstlight.wiring.given_objects import Documents, Given, given_objects
from firstlight.wiring.rendering import deck


class IntentSteps:
    """Every step of one intent."""

    def __init__(self, one: Documents) -> None:
        """
        Raises:
            BadInput: it is no intent that can be rendered; the sentence says the line.
        """
        intent = intent_from(one.documents[0], one.name)
        self._deck = deck()
        self.steps = steps(intent, self._deck)
        self._prerequisites = prerequisites(intent)

    def title(self, step: Step) -> str:
        """The title of its technique."""
        return self._deck.card(step.technique).title

    def rendered(self, number: int) -> Rendered:
        """
        A step as it follows from the one before.

        Raises:
            BadInput: there is no such step.
        """
        step = numbered(self.steps, number)
        before = self.steps[number - 1].objects if step.change else step.objects
        drawn: tuple[Drawn, ...] = ()
        if step.change is not None:
            card = self._deck.card(step.technique)
            drawn = (Drawn(card=card, before=before, change=step.change),)
        return Rendered(before=before, drawn=drawn, after=step.objects, notes=self._notes(step))

    def given(self, number: int) -> Given:
        """
        A step's objects, for another technique to be drawn on.

        Raises:
            BadInput: there is no such step.
        """
        step = numbered(self.steps, number)
        return Given(objects=step.objects, notes=self._notes(step))

    def differences(self, number: int) -> tuple[Difference, ...]:
        """
        What a step has that the one before has not, and the other way round.

        Raises:
            BadInput: there is no such step, or none before it.
        """
        step = numbered(self.steps, number)
        if number == 0:
            raise BadInput("step 0 has none before it", remedy="say --step 1 or higher")
        return differences(self.steps[number - 1].objects, step.objects)

    def against(self, number: int, given: str) -> tuple[Difference, ...]:
        """
        What differs between a step and somebody's files of it.

        Raises:
            BadInput: there is no such step, or the files cannot be read.
        """
        step = numbered(self.steps, number)
        return differences(step.objects, given_objects(given).objects)

    def kustomization(self) -> Mapping[str, str]:
        """A base, a component for each technique, an overlay for each step; text by path."""
        row = [(step.technique, step.change) for step in self.steps]
        return kustomization_of_steps(self.steps[0].objects, row)

    def _notes(self, step: Step) -> tuple[str, ...]:
        """What every step takes for granted, once: it is said of the objects of step 0."""
        needed = tuple(f"needed first: {said}" for said in self._prerequisites)
        left_out = (step.left_out,) if step.left_out else ()
        return (*self.steps[0].assumptions, *needed, *left_out)


def intent_steps(one: Documents | None) -> IntentSteps | None:
    """
    The steps of an intent; None where the documents are no intent.

    Raises:
        BadInput: it is an intent, and a wrong one.
    """
    if one is None or len(one.documents) != 1 or not is_intent(one.documents[0].value):
        return None
    return IntentSteps(one)
