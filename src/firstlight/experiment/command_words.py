"""
The words of a command, so that two of them can be compared and one argument be replaced.

`--port=8000` and `--port 8000` say the same, of an argument given twice the last one counts,
underscores are dashes, and `vllm serve MODEL` has its model behind `serve`, whatever the program
is called, where others say `--model`. What is no option is kept in its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MODEL = "--model"
_SERVE = "serve"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a command says, however it is spelled."""

    words: tuple[str, ...]
    """The program, and whatever is no option."""
    options: Mapping[str, str | None] = field(default_factory=dict)
    """By name; None for a flag. The model is one of them, wherever it stands."""


def read_command(command: Sequence[str]) -> Arguments:
    """What a command says."""
    words: list[str] = []
    options: dict[str, str | None] = {}
    model_at = _model_at(command)
    at = 0
    while at < len(command):
        word = command[at]
        at += 1
        if not _is_option(word):
            if at - 1 == model_at:
                options[MODEL] = word
            else:
                words.append(word)
            continue
        name, equals, value = word.partition("=")
        if not equals and at < len(command) and not _is_option(command[at]):
            value, equals = command[at], "="
            at += 1
        options[_name(name)] = value if equals else None
    return Arguments(words=tuple(words), options=options)


def with_argument(command: Sequence[str], name: str, value: str | None) -> tuple[str, ...]:
    """
    The command with an argument set.

    Args:
        command: the words.
        name: as `--port`.
        value: None for a flag.
    """
    name = _name(name)
    if name == MODEL and value is not None and (at := _model_at(command)) is not None:
        there = at < len(command) and not _is_option(command[at])
        return (*command[:at], value, *without_argument(command[at + there :], name))
    given = (name,) if value is None else (name, value)
    return (*without_argument(command, name), *given)


def with_head(command: Sequence[str], head: Sequence[str]) -> tuple[str, ...]:
    """The command with other words up to its first option."""
    at = next((n for n, word in enumerate(command) if _is_option(word)), len(command))
    return (*head, *command[at:])


def without_argument(command: Sequence[str], name: str) -> tuple[str, ...]:
    """The command without an option and its value."""
    kept: list[str] = []
    at = 0
    while at < len(command):
        word = command[at]
        at += 1
        if not _is_option(word) or _name(word.partition("=")[0]) != _name(name):
            kept.append(word)
        elif "=" not in word and at < len(command) and not _is_option(command[at]):
            at += 1
    return tuple(kept)


def _model_at(command: Sequence[str]) -> int | None:
    """Where a command has its model behind `serve`; None where it has no such word."""
    is_value = False
    for at, word in enumerate(command):
        if word == _SERVE and at and not is_value:
            return at + 1
        is_value = _is_option(word) and "=" not in word
    return None


def _is_option(word: str) -> bool:
    return word.startswith("-") and not word[1:2].isdigit() and word != "-"


def _name(option: str) -> str:
    return option.replace("_", "-") if option.startswith("--") else option
