"""
Secrets that somebody wrote into a plan.

A plan is kept beside its run, is handed on, and is read again years later, so what is in it is
told to many. The engine has firstlight's own environment anyway: a secret goes there.
"""

from collections.abc import Iterator, Mapping, Sequence

from firstlight.core.named_secrets import says_nothing
from firstlight.core.secret_names import is_secret
from firstlight.experiment.command_words import read_command
from firstlight.experiment.plan import Plan
from firstlight.readers.json_pointer import pointer
from firstlight.readers.own_yaml import OwnYaml

REMEDY = "put it into firstlight's own environment: the engine has that too"


def refuse_secrets(plan: Plan, file: OwnYaml) -> None:
    """
    See that nothing in it is secret by its name.

    Args:
        plan: the plan.
        file: its text, to name a line.

    Raises:
        BadInput: something is; the sentence says the line, and not the value.
    """
    for at, name, value in _named(plan):
        if value and is_secret(name) and not says_nothing(value):
            raise file.refusal(
                at,
                f"{name} is the name of a secret, and a plan is kept beside its run as it is",
                remedy=REMEDY,
            )


def _named(plan: Plan) -> Iterator[tuple[str, str, str | None]]:
    """Everything with a name: where it stands, the name, the value."""
    yield from _each(("settings",), plan.settings)
    if plan.base.process is not None:
        yield from _each(("base", "process", "environment"), plan.base.process.environment)
        yield from _words(("base", "process", "command"), plan.base.process.command)
    for number, step in enumerate(plan.steps):
        for place, words in (("process", step.process), ("kubernetes", step.kubernetes)):
            if words is not None:
                where = ("steps", str(number), place)
                yield from _each((*where, "environment"), words.environment)
                yield from _each((*where, "arguments"), words.arguments)
        if step.process is not None:
            where = ("steps", str(number), "process")
            yield from _words((*where, "wrapper"), step.process.wrapper)
            yield from _words((*where, "replaces_command"), step.process.replaces_command)


def _words(where: tuple[str, ...], command: Sequence[str]) -> Iterator[tuple[str, str, str | None]]:
    for name, value in read_command(command).options.items():
        yield pointer(*where), name, value
    for word in command:
        name, equals, value = word.partition("=")
        if equals:
            yield pointer(*where), name, value


def _each(
    where: tuple[str, ...], found: Mapping[str, str | None]
) -> Iterator[tuple[str, str, str | None]]:
    for name, value in found.items():
        yield pointer(*where, name), name, value
