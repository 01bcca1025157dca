"""
What steps say of their own changes, looked at before anything is made of it.

The form is the plan's; here it is seen to that what is said can be done: nothing is set and
taken away at once, a command has a program, and what is said to move is something that a
fingerprint has.
"""

import difflib

from firstlight.core.fingerprints import KINDS, NAMES
from firstlight.experiment.plan import Plan, ProcessWords
from firstlight.readers.own_yaml import OwnYaml


def check_own_changes(plan: Plan, file: OwnYaml) -> None:
    """
    See that every step says what can be.

    Raises:
        BadInput: one does not; the sentence says the line.
    """
    for number, step in enumerate(plan.steps):
        at = f"/steps/{number}"
        for place, name in enumerate(step.changes):
            if name not in NAMES and not name.startswith(KINDS):
                near = difflib.get_close_matches(name, NAMES, n=1)
                raise file.refusal(
                    f"{at}/changes/{place}",
                    f"no part of a fingerprint is called {name}",
                    remedy=f"did you mean {near[0]}?" if near else f"say one of {', '.join(NAMES)}",
                )
        if step.process is not None:
            _check_process(file, step.process, f"{at}/process")


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
