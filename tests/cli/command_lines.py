"""Command lines of firstlight as people read them, taken apart by the commands themselves."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import click

from firstlight.cli.main import firstlight

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def parsed(command: str) -> dict[str, Any]:
    """The command line, taken apart by our own commands and not carried out."""
    program, name, *words = shlex.split(command, comments=True)
    assert "firstlight" == program
    return taken_apart(name, words)


def taken_apart(name: str, words: list[str]) -> dict[str, Any]:
    """The command of a name with its words; a usage error where it does not take them."""
    group = click.Context(firstlight)
    found = firstlight.get_command(group, name)
    assert found is not None, f"there is no command {name}"
    return {"command": name, **found.make_context(name, words, parent=group).params}


def shown(page: str) -> Iterator[tuple[str, ...]]:
    """The command lines of ours in a page's blocks of shell, without the program's name."""
    for block in _BLOCK.findall(page):
        yield from ours(block)


def ours(script: str) -> Iterator[tuple[str, ...]]:
    """The command lines of ours in a script, also behind a pipe and as a plugin of kubectl."""
    whole = re.sub(r"\\\n|(?<=\|)\n", " ", script)
    for line in whole.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&")
        lexer.whitespace_split = True
        piece: list[str] = []
        for word in [*lexer, "|"]:
            if word not in {"|", "||", "&&", ";"}:
                piece.append(word)
                continue
            if piece[:2] == ["kubectl", "firstlight"]:
                piece = piece[1:]
            if piece[:1] == ["firstlight"]:
                yield tuple(takewhile(lambda word: word != ">", piece[1:]))
            piece = []
