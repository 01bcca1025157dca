"""
A technique drawn on somebody's own objects: the change, or the reason why there is none.

A card says what is meant; its parameters are filled from what the user says, then from what
the objects tell, then from the card's defaults, and each operation finds its place in the
objects. Whatever stands in the way is a sentence with its line, and never half a change.

A set has a technique when drawing it would change nothing. So no label and no annotation
has to say what was applied, and what somebody changed by hand counts as what it is.
"""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from firstlight.core.errors import BadInput
from firstlight.manifests.card_checks import check_card
from firstlight.manifests.change import Change
from firstlight.manifests.command_line import command_line
from firstlight.manifests.draft import Draft
from firstlight.manifests.found_parameters import (
    built_in,
    cache_mount,
    drawn_before,
    given_now,
    parameters_from,
)
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.objects import Identity, ObjectSet
from firstlight.manifests.operations.expectation import keep_expectation
from firstlight.manifests.operations.table import perform
from firstlight.manifests.pod_templates import likelihood
from firstlight.manifests.workload import Workload, find_workload
from firstlight.readers.engine_likelihood import Likelihood
from firstlight.readers.kube.fields import counted
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from firstlight.techniques.operations import Operation, SetArgument
from firstlight.techniques.parameter_kinds import Kind, check_kind, is_kind
from firstlight.techniques.parameters import filled, references

_ONCE_MADE = {
    "Pod": "a Pod cannot be changed while it runs: delete it and create it anew",
    "Job": "a Job's pods cannot be changed once it is created: delete it and create it anew",
}


class BuildsOnMissing(BadInput):
    """A technique builds on another, which is not there."""

    def __init__(self, message: str, *, needed: str) -> None:
        super().__init__(message, remedy=f"render {needed} first")
        self.needed = needed
        """The other one."""


def draw(
    card: Card,
    objects: ObjectSet,
    *,
    deck: Deck,
    given: Mapping[str, Any],
    target: Identity | None = None,
) -> Change:
    """
    The change that a technique is in these objects; empty where they have it already.

    Args:
        card: the technique.
        objects: what somebody runs.
        deck: all techniques: what this one builds on has to be there, what it excludes
            must not.
        given: parameters by name, as the user gave them; those that are none of the card's are
            passed over.
        target: the workload that is meant; None where the objects have to tell.

    Raises:
        BuildsOnMissing: what it builds on is not there.
        ParameterWanted: a parameter has no value that it can have.
        BadInput: it cannot be drawn; the sentence says why, and where that is written.
    """
    if card.change.kubernetes.refused is not None:
        raise _refused(card, card.change.kubernetes.refused, "see docs/techniques for what it is")
    workload = find_workload(objects, target)
    for other in card.builds_on:
        if not has(deck.card(other), objects, given=given, target=target):
            raise BuildsOnMissing(
                f"{card.id} cannot be rendered: it builds on {other}, which is not there",
                needed=other,
            )
    for other in card.excludes:
        if has(deck.card(other), objects, given=given, target=target):
            where = _place_of(deck.card(other), workload)
            raise _refused(
                card,
                f"{other} is there ({where}), and the two exclude each other",
                f"undo {other} first",
            )
    return _drawn(card, objects, workload, given)


def has(
    card: Card,
    objects: ObjectSet,
    *,
    given: Mapping[str, Any],
    target: Identity | None = None,
) -> bool:
    """
    Whether the objects have the technique already.

    Args:
        card: the technique.
        objects: what somebody runs.
        given: parameters by name; those that are none of the card's are passed over.
        target: the workload that is meant; None where the objects have to tell.
    """
    if card.change.kubernetes.refused is not None or not card.change.kubernetes.operations:
        return False
    try:
        return _drawn(card, objects, find_workload(objects, target), given).is_empty
    except BadInput:
        # What cannot be drawn here is not here.
        return False


def _drawn(card: Card, objects: ObjectSet, workload: Workload, given: Mapping[str, Any]) -> Change:
    draft = Draft.of(card.id, objects, workload)
    for name, parameter in card.parameters.items():
        if name in given:
            check_kind(name, given[name], parameter.kind)
    values = _values(card, objects, workload, given)
    used = references(msgspec.to_builtins(card.change.kubernetes))
    if "engine_image" in used and not is_kind(values["engine_image"], Kind.IMAGE):
        raise draft.refusal(
            f"{values['engine_image']!r} is no reference of an image ({workload.place('/image')})",
            remedy="write it as NAME:TAG or NAME@sha256:...",
        )
    if not workload.namespace and "namespace" in used:
        draft.assume(f"no namespace is written, so {values['namespace']} is taken for it")
    check_card(card, draft, values)
    if likelihood(workload.container) < Likelihood.STARTED:
        draft.assume(
            f"nothing shows that the container {workload.container.get('name')} starts vLLM "
            f"({workload.place()}); it is taken for the engine's"
        )
    for operation in card.change.kubernetes.operations:
        perform(draft, _filled(operation, values, card))
    keep_expectation(draft)
    kind = kind_of(workload.manifest.value)
    if kind in _ONCE_MADE and draft.pod != workload.pod:
        draft.assume(_ONCE_MADE[kind])
    # What was not needed to draw it is left as its name.
    words = {name: name.upper() for name in used} | {
        name: shlex.quote(str(value)) for name, value in values.items()
    }
    prerequisites = card.change.kubernetes.prerequisites
    return replace(
        draft.change(), prerequisites=tuple(filled(prerequisites, words, technique=card.id))
    )


def _values(
    card: Card, objects: ObjectSet, workload: Workload, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Every parameter's value, the strongest source last."""
    built = built_in(workload, objects)
    defaults = {n: p.default for n, p in card.parameters.items() if p.default is not None}
    fixed = {n: v for n, v in built.items() if n != "engine_port"} | dict(given)
    before = drawn_before(card.change.kubernetes.operations, workload, objects, fixed)
    now = given_now(card.change.kubernetes.operations, workload, objects)
    values = now | defaults | built | parameters_from(objects, workload) | before | dict(given)
    # Read from an argument it is a text, and the fields of a probe take a number only.
    values["engine_port"] = counted(values["engine_port"]) or values["engine_port"]
    return cache_mount(values) | values


def _filled(operation: Operation, values: Mapping[str, Any], card: Card) -> Operation:
    plain = filled(msgspec.to_builtins(operation), values, technique=card.id)
    for name in ("value", "argument", "name", "mount_path"):
        # In an argument or a variable a number is its text; in a field it is a number.
        if plain["do"] != "set-field" and isinstance(plain.get(name), int | float):
            plain[name] = str(plain[name])
    made: Operation = msgspec.convert(plain, Operation)
    return made


def _place_of(card: Card, workload: Workload) -> str:
    """Where it can be seen that a technique is there: its argument, else the container."""
    try:
        line = command_line(workload.container, workload.place)
    except BadInput:
        return workload.place()
    for operation in card.change.kubernetes.operations:
        if isinstance(operation, SetArgument) and (option := line.last(operation.argument)):
            return workload.place(line.pointer(workload.container, option.at))
    return workload.place()


def _refused(card: Card, why: str, remedy: str) -> BadInput:
    return BadInput(f"{card.id} cannot be rendered: {why}", remedy=remedy)
