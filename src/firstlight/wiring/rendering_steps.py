"""
Joining `render` to an intent: from a few lines to the objects of each step.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from firstlight.core.errors import BadInput
from firstlight.manifests.compared_steps import ComparedStep
from firstlight.manifests.differences import differences
from firstlight.manifests.intent import is_intent
from firstlight.manifests.intent_text import intent_from
from firstlight.manifests.kustomization import steps as kustomization_of_steps
from firstlight.manifests.measured_p95 import MeasuredP95
from firstlight.manifests.rendered import Drawn, Rendered
from firstlight.manifests.set.whole import prerequisites
from firstlight.manifests.steps import Step, numbered, steps
from firstlight.manifests.written_differences import written_differences
from firstlight.wiring.cards import deck
from firstlight.wiring.given import Given
from firstlight.wiring.given_objects import Documents, given_objects


class IntentSteps:
    """Every step of one intent."""

    def __init__(self, one: Documents, *, records: Sequence[str] = ()) -> None:
        """
        Args:
            one: the intent's text.
            records: starts to take the p95 from, whatever `explain` reads; empty for the one
                that the intent states.

        Raises:
            BadInput: it is no intent that can be rendered; the sentence says the line.
        """
        intent = intent_from(one.documents[0], one.name)
        self._measured: tuple[str, ...] = ()
        count: int | None = None
        if records:
            found = _measured(records)
            stated = intent.start_p95_s
            instead = "" if stated is None else f" (the intent states {stated:g} s)"
            self._measured = (found.says + instead,)
            intent = replace(intent, start_p95_s=found.seconds)
            count = found.count
        self._deck = deck()
        self.start_p95_s = intent.start_p95_s
        """What its probes allow for; None where nobody says, and a guess is taken."""
        self.start_p95_count = count
        """Of how many measured starts that is taken; None where nobody measured any."""
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
        return Rendered(
            before=before,
            drawn=drawn,
            after=step.objects,
            notes=self._notes(step),
            warnings=tuple(self.warnings(number)),
        )

    def given(self, number: int) -> Given:
        """
        A step's objects, for another technique to be drawn on.

        Raises:
            BadInput: there is no such step.
        """
        step = numbered(self.steps, number)
        return Given(objects=step.objects, notes=self._said_of(step))

    def beside_the_last(self, number: int) -> ComparedStep:
        """
        A step beside the one before.

        Raises:
            BadInput: there is no such step, or none before it.
        """
        step = numbered(self.steps, number)
        if number == 0:
            raise BadInput("step 0 has none before it", remedy="say --step 1 or higher")
        return ComparedStep(
            step=step,
            before=f"step {number - 1}",
            after=f"step {number}",
            differences=differences(self.steps[number - 1].objects, step.objects),
        )

    def beside_files(self, number: int, given: str) -> ComparedStep:
        """
        Somebody's files of a step beside the step.

        Raises:
            BadInput: there is no such step, or the files cannot be read.
        """
        step = numbered(self.steps, number)
        return ComparedStep(
            step=step,
            before=f"step {number}",
            after=given,
            differences=written_differences(step.objects, given_objects(given).objects),
        )

    def kustomization(self) -> Mapping[str, str]:
        """A base, a component for each technique, an overlay for each step; text by path."""
        row = [(step.technique, step.change) for step in self.steps]
        return kustomization_of_steps(self.steps[0].objects, row)

    def warnings(self, number: int | None) -> list[str]:
        """What nobody may miss who applies them, of one step or of all."""
        shown = [step for step in self.steps if number in (None, step.number)]
        return [_equal(step) for step in shown if step.left_out and number is not None]

    def said_lines(self) -> list[str]:
        """What all steps together take for granted, for whoever does not see each of them."""
        changes = [step.change for step in self.steps if step.change is not None]
        left_out = [step.left_out for step in self.steps if step.left_out]
        notes = [*self._notes(self.steps[-1]), *left_out]
        assumed = [f"assumed: {said}" for one in changes for said in one.assumptions]
        return [*(f"note: {said}" for said in notes), *assumed]

    def _said_of(self, step: Step) -> tuple[str, ...]:
        """The notes of a step's own objects, and why it is left out where it is."""
        return (*self._notes(step), *((step.left_out,) if step.left_out else ()))

    def _notes(self, step: Step) -> tuple[str, ...]:
        """What is said of the objects of step 0 is true of all; the rest from its step on."""
        needed = tuple(f"needed first: {said}" for said in self._prerequisites)
        since = tuple(said for one in self.steps[1 : step.number + 1] for said in one.notes)
        return (*self._measured, *self.steps[0].notes, *needed, *since)


def holds_intent(one: Documents | None) -> bool:
    """Whether what was read is meant as an intent."""
    return one is not None and len(one.documents) == 1 and is_intent(one.documents[0].value)


def intent_steps(one: Documents | None, *, records: Sequence[str] = ()) -> IntentSteps | None:
    """
    The steps of an intent; None where the documents are no intent.

    Raises:
        BadInput: it is an intent, and a wrong one; or the records tell nothing.
    """
    return IntentSteps(one, records=records) if one is not None and holds_intent(one) else None


def _equal(step: Step) -> str:
    same = f"these are the objects of step {step.number - 1}, and step {step.number} is not there"
    return f"{same}: {step.left_out}"


def _measured(records: Sequence[str]) -> MeasuredP95:
    # Reading starts takes every reader there is; most calls bring none.
    from firstlight.wiring.measured_starts import p95_of  # noqa: PLC0415

    return p95_of(records, instead="say start_p95_s")
