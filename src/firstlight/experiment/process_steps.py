"""
The steps of a plan for this host: commands and environments.

A step is made from the base and the changes that hold at it, in their order; where a card
takes another's place, the other's change is left out from there on. So what a technique sets
is gone without a trace when it is replaced, and `single_change` can see that it is.

The base's compile caches are pointed into `${container}` where the plan does not say
otherwise: a container has them inside itself and loses them, while a process on a host would
find them again in somebody's home.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.experiment.plan import BaseProcess, Plan, PlannedStep
from firstlight.experiment.settings import CONTAINER, in_layers
from firstlight.experiment.setup import Change, Setup
from firstlight.experiment.single_change import proven
from firstlight.experiment.step import BASELINE, Step
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from firstlight.techniques.parameter_kinds import check_kind
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
    """What holds from step to step."""

    def __init__(self, plan: Plan, deck: Deck, process: BaseProcess) -> None:
        self._plan = plan
        self._deck = deck
        self._base = Setup(
            command=process.command, environment={**IN_CONTAINER, **process.environment}
        )
        self._active: dict[str, Change] = {}
        self._cards: dict[str, Card] = {}

    def first(self) -> Step:
        """The base."""
        card = None
        if self._plan.base.technique is not None:
            card = _card(self._plan.base.technique, self._deck, self._cards)
            self._active[card.id] = _of_card(card, self._plan.given)
            self._cards[card.id] = card
        return Step(
            number=0,
            name=card.id if card else BASELINE,
            says=card.says if card else "the command as it is given",
            setup=self._setup(),
            card=card,
            claims=(),
            beforehand=_beforehand(card),
            active=tuple(self._active),
        )

    def next(self, planned: PlannedStep, before: Step) -> Step:
        """The step after another."""
        card, name = None, planned.change or ""
        if planned.technique is not None:
            name = planned.technique
            card = _card(name, self._deck, self._cards)
        if name in self._active:
            raise BadInput(
                f"{name} is there already: a step that comes round again is no change",
                remedy="leave the second one out",
            )
        change = _of_card(card, self._plan.given) if card else _own(planned)
        undone = [self._taken_out(other) for other in (card.replaces if card else ())]
        self._active[name] = change
        if card:
            self._cards[name] = card
        setup = self._setup()
        return Step(
            number=before.number + 1,
            name=name,
            says=planned.says or (card.claim.says if card else ""),
            setup=setup,
            card=card,
            claims=card.claim.phases if card else planned.claims,
            difference=proven(before.process, setup, change=change, undone=undone, name=name),
            beforehand=_beforehand(card),
            active=tuple(self._active),
        )

    def _setup(self) -> Setup:
        return self._base.with_changes(tuple(self._active.values()))

    def _taken_out(self, technique: str) -> Change:
        """A technique that is replaced; nothing where it is not there."""
        self._cards.pop(technique, None)
        return self._active.pop(technique, Change())


def _card(technique: str, deck: Deck, there: Mapping[str, Card]) -> Card:
    """The card, once it is sure that its technique goes with what is there."""
    card = deck.card(technique)
    process = card.change.process
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
    for other in there.values():
        if technique == other.id or other.id in card.replaces:
            continue
        if other.id in card.excludes or technique in other.excludes:
            raise BadInput(
                f"{technique} cannot be combined with {other.id}",
                remedy=f"make a plan without {other.id} for it",
            )
    return card


def _of_card(card: Card, given: Mapping[str, str]) -> Change:
    """A card's change with its parameters filled in."""
    values: dict[str, str] = {}
    for name in references(_raw(card)):
        parameter = card.parameters.get(name)
        value = given.get(name, parameter.default if parameter else None)
        if value is None:
            raise BadInput(
                f"{card.id} needs {name}, which the plan does not give",
                remedy=f"say it under given: {name}: VALUE",
            )
        if parameter is not None:
            check_kind(name, in_layers(value, container="/container", node="/node"), parameter.kind)
        values[name] = value
    return _change(card, values)


def _change(card: Card, values: Mapping[str, str]) -> Change:
    process = card.change.process
    return Change(
        arguments=filled(process.arguments, values, technique=card.id),
        environment=filled(process.environment, values, technique=card.id),
        wrapper=tuple(filled(process.wrapper, values, technique=card.id)),
    )


def _raw(card: Card) -> list[Any]:
    process = card.change.process
    return [process.arguments, process.environment, process.wrapper]


def _own(planned: PlannedStep) -> Change:
    words = planned.process
    if words is None:
        return Change()
    return Change(
        arguments={name.replace("_", "-"): value for name, value in words.arguments.items()},
        environment=words.environment,
        wrapper=words.wrapper,
    )


def _beforehand(card: Card | None) -> tuple[str, ...]:
    before = card.change.process.before if card else None
    return (" ".join(before.split()),) if before else ()
