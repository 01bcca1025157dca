"""
The proof that a step is one change on the step before.

How a step is made of cards says what should differ; here it is looked at what does. The two
commands and environments are compared as they will be started, and every difference must be
one that this step's change, or the undoing of what it replaces, speaks of, with the value it
says. A step that differs in nothing is refused too: it would measure the noise and be called
a technique.
"""

from collections.abc import Iterable, Sequence

from firstlight.core.errors import BadInput
from firstlight.experiment.command_change import CommandChange
from firstlight.experiment.command_difference import (
    ENVIRONMENT,
    WORDS,
    WRAPPER,
    CommandDifference,
    command_differences,
)
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.command_words import read_command


def proven(
    before: CommandSetup,
    after: CommandSetup,
    *,
    change: CommandChange,
    undone: Sequence[CommandChange],
    name: str,
) -> tuple[CommandDifference, ...]:
    """
    What differs, once it is sure that it is this one change.

    Args:
        before: the step before.
        after: the step.
        change: what the step puts in.
        undone: what it takes out, of techniques whose place it takes.
        name: of the step, for the error.

    Raises:
        BadInput: something else differs, the change is not there, or nothing differs.
    """
    if absent := sorted(_absent(before, change)):
        raise BadInput(
            f"the step {name} takes away what is not there: {', '.join(absent)}",
            remedy="leave that out; what only your own environment has is no part of a plan",
        )
    found = command_differences(before, after)
    if not found:
        raise BadInput(
            f"the step {name} changes nothing: its command and environment are those of the step "
            "before",
            remedy="leave it out, or give the value that it should change",
        )
    ours, theirs = _names(change), frozenset().union(*map(_names, undone))
    foreign = [one for one in found if one.name not in ours | theirs]
    if foreign:
        raise BadInput(
            f"the step {name} is more than one change: beside its own there is "
            f"{'; '.join(one.line for one in foreign)}",
            remedy="make a step of its own for that, or put it into the base",
        )
    if missing := sorted(_missing(after, change)):
        raise BadInput(
            f"the step {name} does not have its own change: {', '.join(missing)} is not as it says",
            remedy="look for a later or earlier step that sets the same",
        )
    return found


def _names(change: CommandChange) -> frozenset[str]:
    words = {WRAPPER} if change.wrapper else set()
    words |= {WORDS} if change.head else set()
    variables = (*change.environment, *change.without_environment)
    environment = {f"{ENVIRONMENT}{name}" for name in variables}
    return frozenset({*change.arguments, *change.without_arguments, *environment, *words})


def _absent(before: CommandSetup, change: CommandChange) -> Iterable[str]:
    options = read_command(before.command).options
    yield from (name for name in change.without_arguments if name not in options)
    for name in change.without_environment:
        if name not in before.environment:
            yield f"{ENVIRONMENT}{name}"


def _missing(after: CommandSetup, change: CommandChange) -> Iterable[str]:
    options = read_command(after.command).options
    for name, value in change.arguments.items():
        if name not in options or options[name] != value:
            yield name
    for name, value in change.environment.items():
        if after.environment.get(name) != value:
            yield f"{ENVIRONMENT}{name}"
    yield from (name for name in change.without_arguments if name in options)
    for name in change.without_environment:
        if name in after.environment:
            yield f"{ENVIRONMENT}{name}"
    if change.wrapper and after.wrapper[: len(change.wrapper)] != change.wrapper:
        yield WRAPPER
    if change.head and after.command[: len(change.head)] != change.head:
        yield WORDS
