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
from firstlight.experiment.command_words import read_command
from firstlight.experiment.setup import (
    ENVIRONMENT,
    WRAPPER,
    Change,
    Difference,
    Setup,
    differences,
)


def proven(
    before: Setup, after: Setup, *, change: Change, undone: Sequence[Change], name: str
) -> tuple[Difference, ...]:
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
    found = differences(before, after)
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


def _names(change: Change) -> frozenset[str]:
    words = {WRAPPER} if change.wrapper else set()
    environment = {f"{ENVIRONMENT}{name}" for name in change.environment}
    return frozenset({*change.arguments, *environment, *words})


def _missing(after: Setup, change: Change) -> Iterable[str]:
    options = read_command(after.command).options
    for name, value in change.arguments.items():
        if name not in options or options[name] != value:
            yield name
    for name, value in change.environment.items():
        if after.environment.get(name) != value:
            yield f"{ENVIRONMENT}{name}"
    if change.wrapper and after.wrapper[: len(change.wrapper)] != change.wrapper:
        yield WRAPPER
