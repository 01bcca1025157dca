"""
The steps of a plan: each the one before, and one change.

What a step is differs with where it is run: a command on this host (`command_steps`), or the
objects of a cluster (`object_steps`). How a mistake is said, with the line of the plan, does not.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence

from firstlight.compare.declared import is_about_the_cache
from firstlight.core.errors import BadInput
from firstlight.core.scenarios import COLD
from firstlight.experiment.chain import Chain, Coming
from firstlight.experiment.command_difference import command_differences
from firstlight.experiment.command_steps import ProcessChain
from firstlight.experiment.object_difference import object_differences
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.object_steps import ObjectChain
from firstlight.experiment.plan import Plan, PlannedStep
from firstlight.experiment.plan_file import placed
from firstlight.experiment.step import BASELINE, Step
from firstlight.manifests.drawing import BuildsOnMissing
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.own_yaml import OwnYaml
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from firstlight.techniques.parameters import ParameterWanted


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
        ValueError: the plan is of a cluster, and there are no objects.
    """
    _check_given(plan, deck, file)
    chain = _chain(plan, deck, file, objects)
    there: dict[str, Card] = {}
    try:
        found = [_first(chain, plan.base.technique, deck)]
    except BadInput as error:
        raise placed(file, "/base/technique", _in_words_of_a_plan(error)) from error
    for at, planned in enumerate(plan.steps):
        there |= {one.name: one.card for one in found[-1:] if one.card is not None}
        there = {name: card for name, card in there.items() if name in found[-1].active}
        try:
            step = _next(chain, _coming(planned, deck, found[-1], there), found[-1])
            _check_new(step, found)
            found.append(step)
        except BadInput as error:
            raise placed(file, f"/steps/{at}", _in_words_of_a_plan(error)) from error
    return tuple(found)


def _first(chain: Chain, technique: str | None, deck: Deck) -> Step:
    card = deck.card(technique) if technique is not None else None
    made = chain.first(card)
    return Step(
        number=0,
        name=card.id if card else BASELINE,
        says=card.says if card else chain.as_given,
        setup=made.setup,
        card=card,
        claims=(),
        brings_cache=_brings_cache(card, ()),
        beforehand=made.beforehand,
        active=(card.id,) if card else (),
    )


def _coming(planned: PlannedStep, deck: Deck, before: Step, there: Mapping[str, Card]) -> Coming:
    """The change of a step, once it is sure that it goes with the techniques that are there."""
    name = planned.technique or planned.change or ""
    card = deck.card(name) if planned.technique is not None else None
    if name in before.active:
        raise BadInput(
            f"{name} is there already: a step that comes round again is no change",
            remedy="leave the second one out",
        )
    gone = tuple(there[other] for other in (card.replaces if card else ()) if other in there)
    stays = {other: one for other, one in there.items() if one not in gone}
    if card is not None:
        _check_combined(card, stays.values())
    return Coming(name=name, planned=planned, card=card, there=stays, gone=gone)


def _check_combined(card: Card, there: Iterable[Card]) -> None:
    for other in there:
        if other.id in card.excludes or card.id in other.excludes:
            raise BadInput(
                f"{card.id} cannot be combined with {other.id}",
                remedy=f"make a plan without {other.id} for it",
            )


def _next(chain: Chain, coming: Coming, before: Step) -> Step:
    made, card = chain.next(coming, before), coming.card
    gone = {one.id for one in coming.gone}
    return Step(
        number=before.number + 1,
        name=coming.name,
        says=coming.planned.says or (card.claim.says if card else ""),
        setup=made.setup,
        card=card,
        claims=card.claim.phases if card else coming.planned.claims,
        changes=coming.planned.changes,
        brings_cache=before.brings_cache or _brings_cache(card, coming.planned.changes),
        difference=made.difference,
        beforehand=made.beforehand,
        active=(*(one for one in before.active if one not in gone), coming.name),
    )


def _brings_cache(card: Card | None, changes: Collection[str]) -> bool:
    is_for_cold = card is not None and COLD in card.claim.scenarios
    return (is_for_cold and is_about_the_cache(card)) or "compile cache" in changes


def _in_words_of_a_plan(error: BadInput) -> BadInput:
    """The same where there is a plan, and no command line to give something on."""
    match error:
        case ParameterWanted():
            remedy = f"say it under given: {error.name}: VALUE"
        case BuildsOnMissing():
            remedy = f"put {error.needed} before it"
        case _:
            return error
    return BadInput(error.message, remedy=remedy)


def _chain(plan: Plan, deck: Deck, file: OwnYaml, objects: ObjectSet | None) -> Chain:
    process, kubernetes = plan.base.process, plan.base.kubernetes
    if process is not None:
        return ProcessChain(plan, process)
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
    return not command_differences(one.process, other.process)


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
