"""
The steps of a plan for this host: commands and environments.

A step is made from the base and the changes that hold at it, in their order; where a card
takes another's place, the other's change is left out from there on. So what a technique sets
is gone without a trace when it is replaced, and `command_proof` can see that it is.

The base's compile caches are pointed into `${container}` where the plan does not say
otherwise: a container has them inside itself and loses them, while a process on a host would
find them again in somebody's home.
"""

from collections.abc import Collection, Mapping
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.experiment.chain import Coming, Made
from firstlight.experiment.command_change import CommandChange
from firstlight.experiment.command_proof import proven
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.plan import BaseProcess, Plan, PlannedStep
from firstlight.experiment.settings import CONTAINER, NODE, in_layers
from firstlight.experiment.step import Step
from firstlight.techniques.card import Card
from firstlight.techniques.parameter_kinds import Kind, check_kind
from firstlight.techniques.parameters import filled, references

IN_CONTAINER = {
    "VLLM_CACHE_ROOT": f"${{{CONTAINER}}}/vllm",
    "TORCHINDUCTOR_CACHE_DIR": f"${{{CONTAINER}}}/torchinductor",
    "TRITON_CACHE_DIR": f"${{{CONTAINER}}}/triton",
    "FLASHINFER_WORKSPACE_BASE": f"${{{CONTAINER}}}/flashinfer",
    "CUDA_CACHE_PATH": f"${{{CONTAINER}}}/cuda",
}
"""Where a container has its compile caches: inside itself."""


class ProcessChain:
    """Makes commands, each the base and the changes that hold."""

    as_given = "the command as it is given"

    def __init__(self, plan: Plan, process: BaseProcess) -> None:
        self._given = plan.given
        self._base = CommandSetup(
            command=process.command, environment={**IN_CONTAINER, **process.environment}
        )
        self._changes: dict[str, CommandChange] = {}
        """Those that hold, by name."""

    def first(self, card: Card | None) -> Made:
        """
        The base.

        Raises:
            BadInput: its technique cannot be tried on a host, or lacks what it needs.
        """
        if card is not None:
            _check_card(card, {})
            self._changes[card.id] = _of_card(card, self._given)
        return Made(setup=self._setup(), beforehand=_beforehand(card))

    def next(self, coming: Coming, before: Step) -> Made:
        """
        The command with a change, and without those whose place it takes.

        Raises:
            BadInput: the change cannot be tried on a host, or is not one change.
        """
        card, name = coming.card, coming.name
        if card is not None:
            _check_card(card, {*coming.there, *(one.id for one in coming.gone)})
        change = _of_card(card, self._given) if card else _own(coming.planned)
        undone = [self._changes.pop(other.id) for other in coming.gone]
        self._changes[name] = change
        setup = self._setup()
        found = proven(before.process, setup, change=change, undone=undone, name=name)
        return Made(setup=setup, difference=found, beforehand=_beforehand(card))

    def _setup(self) -> CommandSetup:
        return self._base.with_changes(tuple(self._changes.values()))


def _check_card(card: Card, there: Collection[str]) -> None:
    """See that a technique can be tried on a host, and that what it builds on is there."""
    process, technique = card.change.process, card.id
    if process.refused is not None:
        raise BadInput(
            f"{technique} cannot be tried on a host: {process.refused}",
            remedy="leave it out here, or run the plan in a cluster",
        )
    if _change(card, dict.fromkeys(references(_raw(card)), "x")).is_nothing:
        raise BadInput(
            f"{technique} cannot be tried on a host: its change is nothing in the command "
            f"({process.before})",
            remedy="do it for the base, or write it as a change of your own",
        )
    for needed in card.builds_on:
        if needed not in there:
            raise BadInput(
                f"{technique} builds on {needed}, which no step before it brings",
                remedy=f"put {needed} before it",
            )


def _of_card(card: Card, given: Mapping[str, str]) -> CommandChange:
    """A card's change with its parameters filled in."""
    values: dict[str, str] = {}
    for name in references(_raw(card)):
        parameter = card.parameters.get(name)
        value = given.get(name, _by_default(card, name))
        if value is None:
            raise BadInput(
                f"{card.id} needs {name}, which the plan does not give",
                remedy=f"say it under given: {name}: VALUE",
            )
        if parameter is not None:
            check_kind(name, in_layers(value, container="/container", node="/node"), parameter.kind)
        values[name] = value
    return _change(card, values)


def _by_default(card: Card, name: str) -> str | None:
    """
    What a parameter is where the plan does not give it; None where only the plan can tell.

    A card's own folders are those of a pod. One that is put into a variable is the engine's to
    write, and here it lies on what stands for the node: else it would outlive the plan.
    """
    parameter = card.parameters.get(name)
    if parameter is None or parameter.default is None:
        return None
    is_kept = parameter.kind is Kind.PATH and name in references(card.change.process.environment)
    return f"${{{NODE}}}{parameter.default}" if is_kept else parameter.default


def _change(card: Card, values: Mapping[str, str]) -> CommandChange:
    process = card.change.process
    return CommandChange(
        arguments=filled(process.arguments, values, technique=card.id),
        environment=filled(process.environment, values, technique=card.id),
        wrapper=tuple(filled(process.wrapper, values, technique=card.id)),
    )


def _raw(card: Card) -> list[Any]:
    process = card.change.process
    return [process.arguments, process.environment, process.wrapper]


def _own(planned: PlannedStep) -> CommandChange:
    words = planned.process
    if words is None:
        return CommandChange()
    return CommandChange(
        arguments={name.replace("_", "-"): value for name, value in words.arguments.items()},
        environment=words.environment,
        wrapper=words.wrapper,
        without_arguments=tuple(name.replace("_", "-") for name in words.remove.arguments),
        without_environment=words.remove.environment,
        head=words.replaces_command,
    )


def _beforehand(card: Card | None) -> tuple[str, ...]:
    before = card.change.process.before if card else None
    return (" ".join(before.split()),) if before else ()
