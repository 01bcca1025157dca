"""
The engine's arguments in a container, and edits that change nothing but them.

They stand in `command` and `args`, as items of the lists or inside one script for a shell.
Reading them is the same either way, and so is saying what is to be changed: words are
replaced, taken out or put in. Only writing differs. In a list that is an item; in a script
it is a stretch of its text, and every other character stays.

What an argument means is known in `arguments`; arguments that are not written here, but in
a variable or a file, in `hidden_arguments`.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.arguments import Arguments, Option, arguments
from firstlight.manifests.pod_templates import command_items
from firstlight.manifests.variables import resolved
from firstlight.readers.engine_program import (
    SHELLS,
    EngineAt,
    Program,
    basename,
    engine_at,
    script_at,
)
from firstlight.readers.shell_assignments import Assignments, assignments
from firstlight.readers.shell_words import UnclosedQuote, commands
from firstlight.readers.words import Word

_NOTHING_ASSIGNED = Assignments()
Place = Callable[[str], str]
"""The place of a pointer into the container, for a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Words taken out, and words put in at their place."""

    at: int
    """Index among the engine's arguments; their number is the end."""
    removed: int = 0
    words: tuple[str, ...] = ()
    """As they have to be written; see `CommandLine.written`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """The engine's arguments, and where they are written."""

    program: Program
    arguments: Arguments
    first: int
    """Of a list: where the arguments begin, in command and args together. Of a script:
    where in its text the program's last word ends."""
    script: int | None = None
    """The item that is the shell's script; None where the arguments are items."""
    commands: tuple[tuple[Word, ...], ...] = ()
    """Every command of the script; empty where there is none."""
    assignments: Assignments = _NOTHING_ASSIGNED
    """What the script has made of its variables when it starts the engine."""

    def last(self, argument: str) -> Option | None:
        """The one that counts; None where it is not given here."""
        return self.arguments.last(argument)

    @property
    def model_option(self) -> Option | None:
        """The `--model` that counts; None where none is given.

        `vllm serve` takes the first and puts it in front of all words; the module of the API
        server takes the last, as with any argument.
        """
        named = self.arguments.all("--model")
        if not named:
            return None
        return named[-1] if self.program is Program.API_SERVER else named[0]

    @property
    def model(self) -> int | None:
        """The index of the word that names the model; None where none does."""
        if (named := self.model_option) is not None:
            return named.at + len(named.values)
        return self.arguments.positionals[0] if self.arguments.positionals else None

    def resolved(self, word: str, environment: Mapping[str, str | None]) -> str | None:
        """One of the words with its variables replaced; None where one is not known."""
        in_script = self.assignments.over(environment) if self.script is not None else None
        return resolved(word, environment, in_script)

    @property
    def end(self) -> int:
        """The index behind the last argument."""
        return len(self.arguments.words)

    def written(self, text: str) -> str:
        """A word as it has to be written where the arguments are."""
        return shlex.quote(text) if self.script is not None else text

    def pointer(self, container: dict[str, Any], at: int) -> str:
        """Where an argument is written, as a pointer into the container."""
        return item_pointer(container, self.first + at if self.script is None else self.script)


def command_line(container: dict[str, Any], place: Place) -> CommandLine:
    """
    The engine's arguments.

    Raises:
        BadInput: they are not in the manifest, or cannot be told from other words.
    """
    items = command_items(container)
    if not items:
        raise BadInput(
            f"the engine's arguments are not in {place('')}: it has neither command nor args, "
            "so they are in the image",
            remedy="write its args, as you would behind the image's entrypoint",
        )
    script = script_at(items)
    if script is not None:
        return _of_script(items[script], script, place(item_pointer(container, script)))
    for at, item in enumerate(items):
        if item.startswith("--") and any(c in item.partition("=")[0] for c in " \t\n"):
            raise BadInput(
                f"{place(item_pointer(container, at))} holds several words in one item, which "
                "the engine takes for one",
                remedy="write one item for each word, or give them to a shell",
            )
    found = engine_at(items)
    if found is None and not container.get("command") and basename(items[0]) not in SHELLS:
        serve = items[0] == "serve"
        program = Program.SERVE if serve else Program.IMAGE
        found = EngineAt(first=int(serve), program=program)
    if found is None:
        raise BadInput(
            f"the engine's arguments are not in {place('/command')}: it starts {items[0]}, "
            "which does with its words what it likes",
            remedy="start the engine by `vllm serve`, or change the arguments where they are",
        )
    words = [_item_word(item, at) for at, item in enumerate(items)][found.first :]
    return CommandLine(program=found.program, arguments=arguments(words), first=found.first)


def edited(container: dict[str, Any], line: CommandLine, edits: Sequence[Edit]) -> None:
    """Carry out edits in the container, in place; they must not touch each other."""
    for edit in sorted(edits, key=lambda e: (e.at, bool(e.removed)), reverse=True):
        if line.script is None:
            _edit_items(container, line.first + edit.at, edit)
        else:
            field, index = _field(container, line.script)
            container[field][index] = _edit_script(str(container[field][index]), line, edit)


def item_pointer(container: dict[str, Any], item: int) -> str:
    """The pointer of an item of command and args together."""
    field, index = _field(container, item)
    return f"/{field}/{index}"


def _of_script(script: str, item: int, where: str) -> CommandLine:
    if "\r" in script:
        raise BadInput(
            f"the script in {where} has Windows line ends, which a shell takes for a part of its "
            "words",
            remedy="write it with plain line ends",
        )
    try:
        found = commands(script)
    except UnclosedQuote as e:
        raise BadInput(
            f"the script in {where} ends inside a quote or a bracket, or nests too many of them",
            remedy="close it: a shell would not run it either",
        ) from e
    texts = [[word.text for word in words] for words in found]
    starts = [(words, at) for words, t in zip(found, texts, strict=True) if (at := engine_at(t))]
    if len(starts) != 1:
        raise BadInput(
            f"the script in {where} starts the engine {len(starts)} times"
            if starts
            else f"the script in {where} does not start the engine where it can be seen",
            remedy="let it have one `vllm serve`, outside of quotes and other scripts",
        )
    words, at = starts[0]
    return CommandLine(
        program=at.program,
        arguments=arguments(words[at.first :]),
        first=words[at.first - 1].end,
        script=item,
        commands=found,
        assignments=assignments(script, before=words[0].start),
    )


def _item_word(item: str, at: int) -> Word:
    variable = item.startswith("$(") and item.endswith(")")
    return Word(
        text=item, source=item, start=at, end=at + 1, static="$(" not in item, open=variable
    )


def _field(container: dict[str, Any], item: int) -> tuple[str, int]:
    """The list that an item is in, and where; behind the end: where one more would go."""
    command = len(container.get("command") or [])
    args = container.get("args") or []
    if item < command or not (args or not command):
        return "command", item
    return "args", item - command


def _edit_items(container: dict[str, Any], at: int, edit: Edit) -> None:
    for _ in range(edit.removed - len(edit.words)):
        field, index = _field(container, at + len(edit.words))
        del container[field][index]
    for k, word in enumerate(edit.words):
        field, index = _field(container, at + k)
        if k < edit.removed:
            container[field][index] = word
        else:
            container.setdefault(field, []).insert(index, word)


def _edit_script(script: str, line: CommandLine, edit: Edit) -> str:
    words = line.arguments.words
    before = words[edit.at - 1].end if edit.at else line.first
    if not edit.words:
        return script[:before] + script[words[edit.at + edit.removed - 1].end :]
    if not edit.removed:
        return f"{script[:before]}{_separator(script, line)}{' '.join(edit.words)}{script[before:]}"
    for word, new in reversed(
        list(zip(words[edit.at : edit.at + edit.removed], edit.words, strict=True))
    ):
        script = script[: word.start] + new + script[word.end :]
    return script


def _separator(script: str, line: CommandLine) -> str:
    """What stands in front of the last option: where each has a line, so has one more."""
    if not line.arguments.options:
        return " "
    at = line.arguments.options[-1].at
    before = line.arguments.words[at - 1].end if at else line.first
    between = script[before : line.arguments.words[at].start]
    return between if between.strip("\\\n \t") == "" and "\n" in between else " "
