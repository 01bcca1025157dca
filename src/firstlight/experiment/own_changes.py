"""
What steps say of their own changes, looked at before anything is made of it.

The form is the plan's; here it is seen to that what is said can be done: nothing is set and
taken away at once, a command has a program, where the engine is asked stays, and what is said to
move or to vary is something that a fingerprint has, by its name.
"""

import difflib
from collections.abc import Iterable, Sequence

from firstlight.core.fingerprints import KINDS, NAMES
from firstlight.experiment.plan import Plan, ProcessWords
from firstlight.readers.own_yaml import OwnYaml

_ADDRESS = ("--port", "--host")


def check_own_changes(plan: Plan, file: OwnYaml) -> None:
    """
    See that every step says what can be.

    Raises:
        BadInput: one does not; the sentence says the line.
    """
    _check_names(file, plan.may_vary, "/may_vary")
    for number, step in enumerate(plan.steps):
        at = f"/steps/{number}"
        _check_names(file, step.changes, f"{at}/changes")
        if step.process is not None:
            _check_process(file, step.process, f"{at}/process")
            _check_address(file, step.process.arguments, f"{at}/process/arguments")
            _check_address(file, step.process.remove.arguments, f"{at}/process/remove/arguments")
        if step.kubernetes is not None:
            _check_address(file, step.kubernetes.arguments, f"{at}/kubernetes/arguments")


def _check_names(file: OwnYaml, names: Sequence[str], at: str) -> None:
    """See that each is one name of a fingerprint: a star would let through what nobody named."""
    for place, name in enumerate(names):
        if "*" in name or (name not in NAMES and not name.startswith(KINDS)):
            near = difflib.get_close_matches(name, NAMES, n=1)
            raise file.refusal(
                f"{at}/{place}",
                f"no part of a fingerprint is called {name}",
                remedy=f"did you mean {near[0]}?" if near else f"say one of {', '.join(NAMES)}",
            )


def _check_address(file: OwnYaml, arguments: Iterable[str], at: str) -> None:
    """See that a step does not move its engine elsewhere: no start is shorter for that."""
    for name in arguments:
        if _dashed(name) in _ADDRESS:
            raise file.refusal(
                at,
                f"{name} is where the engine is asked, and a step cannot move that",
                remedy="say it in the command of the base, for all steps",
            )


def _check_process(file: OwnYaml, words: ProcessWords, at: str) -> None:
    both = {_dashed(name) for name in words.arguments} & set(map(_dashed, words.remove.arguments))
    both |= words.environment.keys() & set(words.remove.environment)
    if both:
        raise file.refusal(
            f"{at}/remove",
            f"{min(both)} is set and taken away in one step",
            remedy="say one of the two",
        )
    for name in (*words.arguments, *words.remove.arguments):
        if not name.startswith("-"):
            raise file.refusal(
                f"{at}/arguments" if name in words.arguments else f"{at}/remove/arguments",
                f"{name!r} is no argument of a command: it begins with no dash",
                remedy=f"write --{name.replace('_', '-') or 'NAME'}",
            )
    program = words.replaces_command[:1]
    if program and (not program[0] or program[0].startswith("-")):
        raise file.refusal(
            f"{at}/replaces_command",
            "the command begins with no program",
            remedy="write the words up to the first option: [/other/venv/bin/vllm, serve, MODEL]",
        )
    for place, word in enumerate(words.replaces_command):
        if word.startswith("-") or "\x00" in word:
            raise file.refusal(
                f"{at}/replaces_command/{place}",
                f"{word!r} is none of the words before the first option",
                remedy="options go under arguments: and remove:",
            )


def _dashed(name: str) -> str:
    return name.replace("_", "-")
