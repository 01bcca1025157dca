"""
The steps of a plan: each the one before, and one change.

What a step is differs with where it is run: a command on this host (`process_steps`), or the
objects of a cluster (`object_steps`). How a mistake is said, with the line of the plan, does not.
"""

import difflib
from collections.abc import Sequence
from typing import Protocol

from firstlight.core.errors import BadInput
from firstlight.experiment.object_difference import object_differences
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.object_steps import ObjectChain
from firstlight.experiment.plan import Plan, PlannedStep, placed
from firstlight.experiment.process_steps import IN_CONTAINER, ProcessChain
from firstlight.experiment.setup import differences
from firstlight.experiment.step import BASELINE, Step
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.own_yaml import OwnYaml
from firstlight.techniques.deck import Deck

__all__ = ["BASELINE", "IN_CONTAINER", "Step", "steps"]


class Chain(Protocol):
    """Makes steps, each from the one before."""

    def first(self) -> Step: ...
    def next(self, planned: PlannedStep, before: Step) -> Step: ...


def steps(
    plan: Plan, deck: Deck, file: OwnYaml, objects: ObjectSet | None = None
) -> tuple[Step, ...]:
    """
    Every step of a plan, each proven to be one change.

    Args:
        plan: with its settings filled in.
        deck: the techniques.
        file: the plan's text, to name a line.
        objects: those that the base names; None for a plan of a process.

    Raises:
        BadInput: a technique is not known or does not go here, or a step is not one change.
    """
    _check_given(plan, deck, file)
    chain = _chain(plan, deck, file, objects)
    try:
        found = [chain.first()]
    except BadInput as error:
        raise placed(file, "/base/technique", error) from error
    for at, planned in enumerate(plan.steps):
        try:
            step = chain.next(planned, found[-1])
            _check_new(step, found)
            found.append(step)
        except BadInput as error:
            raise placed(file, f"/steps/{at}", error) from error
    return tuple(found)


def _chain(plan: Plan, deck: Deck, file: OwnYaml, objects: ObjectSet | None) -> Chain:
    process, kubernetes = plan.base.process, plan.base.kubernetes
    if process is not None:
        return ProcessChain(plan, deck, process)
    if kubernetes is None or objects is None:
        raise ValueError("a plan of a cluster is worked out with its objects")
    try:
        return ObjectChain(plan, deck, objects, kubernetes.workload)
    except BadInput as error:
        raise placed(file, "/base/kubernetes", error) from error


def _check_new(step: Step, before: Sequence[Step]) -> None:
    """See that a step is none of those before it, however it is called."""
    if step.name == BASELINE:
        raise BadInput(
            f"a step cannot be called {BASELINE}: that is the name of the base",
            remedy="give it another name",
        )
    for earlier in before:
        if _are_alike(earlier, step):
            what = "objects" if isinstance(step.setup, ObjectSetup) else "command and environment"
            raise BadInput(
                f"at the step {step.name} {what} are those of {earlier.name}, so the plan goes "
                "round in a circle",
                remedy="leave it out, or make another plan for the way back",
            )


def _are_alike(one: Step, other: Step) -> bool:
    if isinstance(one.setup, ObjectSetup):
        return not object_differences(one.objects.objects, other.objects.objects)
    return not differences(one.process, other.process)


def _check_given(plan: Plan, deck: Deck, file: OwnYaml) -> None:
    """See that every parameter is one of some technique; not every plan has all of them."""
    known = {parameter for card in deck for parameter in card.parameters}
    for name in plan.given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise file.refusal(
                f"/given/{name}",
                f"no technique takes a parameter {name}",
                remedy=f"did you mean {near[0]}?" if near else "see the pages of the techniques",
            )
