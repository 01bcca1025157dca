"""
What the words of a command tell of the start: what starts the engine, its model, its arguments.

The same words mean the same wherever they stand: in a pod's `command` and `args`, in a shell's
script, behind `measure --`. Ports and addresses change no second and are left out, as is what a
command sets in its environment, which is told with that. Where no engine is seen in the words (a
script of somebody's), they are cut at their options all the same.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT, Fingerprint
from firstlight.core.secrets import redacted_command
from firstlight.manifests.arguments import Arguments, Option, arguments
from firstlight.manifests.command_line import CommandLine, command_line
from firstlight.readers.engine_program import SHELLS, basename
from firstlight.readers.words import Word

UNTIMED = frozenset({"--host", "--port", "--uds"})
"""Where it listens."""
_MODEL = "--model"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


def given_words(
    command: Sequence[str],
    args: Sequence[str] = (),
    *,
    environment: Mapping[str, str | None] | None = None,
) -> Fingerprint:
    """
    What is known by these words.

    Args:
        command: the program and what follows; empty for an image's entrypoint.
        args: what is put behind it.
        environment: the variables that may stand in them; None for one whose value is not known.
    """
    # Of the words together it is told which are secret.
    words = redacted_command([*command, *args])
    container: dict[str, Any] = {
        "command": list(words[: len(command)]),
        "args": list(words[len(command) :]),
    }
    try:
        line = command_line(container, lambda pointer: pointer)
    except BadInput:
        return _of_unknown(words)
    resolved = _Resolved(line, environment or {})
    values = _with_command(_before(words, line))
    if line.model is not None:
        named = line.model_option
        at = line.arguments.words[line.model].text
        values["model"] = resolved.text(named.joined if named and named.joined else at)
    return _whole(values, line.arguments, resolved)


class _Resolved:
    """Words with their variables put in, where those are known."""

    def __init__(self, line: CommandLine | None, environment: Mapping[str, str | None]) -> None:
        self._line = line
        self._environment = environment

    def text(self, word: str) -> str:
        if self._line is None:
            return word
        found = self._line.resolved(word, self._environment)
        return word if found is None else found

    def value(self, option: Option) -> str:
        if option.negated:
            return "false"
        if option.joined is not None:
            return _canonical(self.text(option.joined))
        given = option.values or ((option.behind,) if option.behind else ())
        return _canonical(" ".join(self.text(word.text) for word in given))


def _whole(values: dict[str, str], found: Arguments, resolved: _Resolved) -> Fingerprint:
    for option in found.options:
        if option.name not in UNTIMED and option.name != _MODEL:
            name, value = f"{ARGUMENT}{option.name}", resolved.value(option)
            # `--x.list+ a` appends, and of all others the last counts.
            appended = option.name.endswith("+") and name in values
            values[name] = f"{values[name]},{value}" if appended else value
    # A variable that may be any arguments is itself all that is known of them.
    for at in found.open:
        values[f"{ARGUMENT}{found.words[at].text}"] = ""
    return Fingerprint(values=values, whole=frozenset({ARGUMENT}))


def _of_unknown(words: Sequence[str]) -> Fingerprint:
    """Words in which no engine is seen: the program is what is no option."""
    first = next((at for at, w in enumerate(words) if w.startswith("--")), len(words))
    if not words or basename(words[0]) in SHELLS:
        first = len(words)
    cut = arguments([Word(text=w, source=w) for w in words[first:]])
    loose = [cut.words[at].text for at in cut.positionals]
    values = _with_command([*_without_environment(words[:first]), *loose])
    named = cut.last(_MODEL)
    if named is not None and named.value:
        values["model"] = named.value
    if not cut.options:
        # What a script gives the engine is not known by the script's own words.
        return Fingerprint(values=values)
    return _whole(values, cut, _Resolved(None, {}))


def _with_command(words: Sequence[str]) -> dict[str, str]:
    return {"command": " ".join(words)} if words else {}


def _before(words: Sequence[str], line: CommandLine) -> list[str]:
    """What starts the engine, whatever folder it lies in; of a script what is beside it, too."""
    if line.script is None:
        return [_program(word) for word in _without_environment(words[: line.first])]
    script = words[line.script]
    behind = line.arguments.words[-1].end if line.arguments.words else line.first
    return [*words[: line.script], " ".join(f"{script[: line.first]} {script[behind:]}".split())]


def _program(word: str) -> str:
    return basename(word) if word.startswith("/") else word


def _without_environment(words: Sequence[str]) -> list[str]:
    """The words behind a leading `env NAME=VALUE ...`."""
    if not words or basename(words[0]) != "env":
        return list(words)
    at = 1
    while at < len(words) and (_ASSIGNMENT.fullmatch(words[at]) or words[at].startswith("-")):
        at += 2 if words[at] in {"-u", "--unset"} else 1
    return list(words[at:])


def _canonical(value: str) -> str:
    """JSON in one form; anything else as it is."""
    if not value.startswith("{"):
        return value
    try:
        return json.dumps(json.loads(value), sort_keys=True)
    except (ValueError, RecursionError):
        return value
