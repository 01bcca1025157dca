"""
The words of a shell script, and where each of them stands in its text.

People start an engine with `sh -c` and a script of one or forty lines. To change one
argument in it, and no other character, one has to know where the engine's command begins
and ends as the shell sees it: quotes, continued lines, comments, pipes, redirections, here
documents. That is what is read here, and nothing is carried out: what a variable or a
command substitution gives is not known, and such a word is marked.

Not read: functions, arithmetic and `case` as what they are. Their words come out as words
of commands, which is enough to find the engine among them. What a script does to its
variables is made of these pieces in `shell_assignments`.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from firstlight.readers.words import Word

_OPERATORS = re.compile(r"&&|\|\||;;|\|&|&(?!>)|[;|()\n]")
_REDIRECTION = re.compile(r"&>>?|<<<|<<-?|<>|[<>]&[\d-]*|>[>|]?|<")
_BARE = re.compile(r"[^ \t\r\n\\'\"$`;|&()<>]+")
"""A no-break space, a form feed and other white space are letters of a word to the shell."""
_PLAIN = re.compile(r"[^\\\"$`]+")
"""Between double quotes, what stands for itself."""
_EXPANSION = re.compile(r"\$(?:[A-Za-z_]\w*|[@*#?$!0-9-])")
_ANY_NUMBER = re.compile(r"\$@|\$\*|\$\{[A-Za-z_]\w*\[[@*]\]\}|\$\{@\}|\$\{\*\}")


_DEEPEST = 100
"""Substitutions inside of each other; nobody writes that many."""


class UnclosedQuote(ValueError):
    """The script ends inside a quote, a substitution or parentheses, or nests too deep to tell."""


@dataclass(slots=True)
class _Reader:
    """A place in the script, moving on."""

    script: str
    at: int = 0
    pieces: list[list[Word] | str] = field(default_factory=lambda: [[]])
    here_documents: list[str] = field(default_factory=list)
    skips: str = ""
    """The redirection whose target comes next; empty for none."""

    def rest(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.script, self.at)
        return found[0] if found else ""


def commands(script: str) -> tuple[tuple[Word, ...], ...]:
    """
    The commands of a script, each as its words; redirections are left out.

    Raises:
        UnclosedQuote: the shell would refuse it too.
    """
    return tuple(piece for piece in pieces(script) if not isinstance(piece, str))


# Who is the engine, its arguments and its variables are questions about one script.
@lru_cache(maxsize=8)
def pieces(script: str) -> tuple[tuple[Word, ...] | str, ...]:
    """
    The commands of a script, and the operators between them as their texts.

    Raises:
        UnclosedQuote: the shell would refuse it too.
    """
    reader = _Reader(script)
    while reader.at < len(script):
        _step(reader)
    return tuple(p if isinstance(p, str) else tuple(p) for p in reader.pieces if p)


def _step(reader: _Reader) -> None:
    script, at = reader.script, reader.at
    if script[at] in " \t\r":
        reader.at += 1
    elif script.startswith("\\\n", at):
        reader.at += 2
    elif script[at] == "#":
        end = script.find("\n", at)
        reader.at = len(script) if end < 0 else end
    elif script[at] in "<>" and script.startswith("(", at + 1):
        reader.at = _closing(script, at + 1, 0)
        reader.skips = ""
    elif operator := reader.rest(_REDIRECTION):
        reader.at += len(operator)
        reader.skips = "" if operator[-1] in "0123456789-" and operator != "<<-" else operator
    elif operator := reader.rest(_OPERATORS):
        reader.at += len(operator)
        reader.pieces += [operator, []]
        if operator == "\n":
            _skip_here_documents(reader)
    else:
        _take(reader, _word(reader))


def _take(reader: _Reader, word: Word) -> None:
    if reader.skips:
        if reader.skips in {"<<", "<<-"}:
            reader.here_documents.append(word.text)
        reader.skips = ""
    elif not (word.text.isdigit() and reader.rest(_REDIRECTION)):
        # `2>` is the number of what is redirected, and no word.
        command = reader.pieces[-1]
        assert isinstance(command, list)  # noqa: S101 - behind an operator stands its command
        command.append(word)


def _skip_here_documents(reader: _Reader) -> None:
    for delimiter in reader.here_documents:
        while reader.at < len(reader.script):
            end = reader.script.find("\n", reader.at)
            end = len(reader.script) if end < 0 else end
            line = reader.script[reader.at : end]
            reader.at = min(end + 1, len(reader.script))
            if line.strip("\t") == delimiter:
                break
    reader.here_documents.clear()


def _word(reader: _Reader) -> Word:
    """One word, from where the reader stands."""
    script, start = reader.script, reader.at
    parts: list[str] = []
    bare_expansion, static, fixed = False, True, False
    while reader.at < len(script):
        at = reader.at
        if bare := reader.rest(_BARE):
            parts.append(bare)
            reader.at, fixed = at + len(bare), True
        elif script[at] == "'":
            end = _find(script, "'", at + 1)
            # Kubernetes replaces `$(NAME)` before the shell sees any quote.
            inner = script[at + 1 : end]
            parts.append(inner)
            reader.at, fixed, static = end + 1, True, static and "$" not in inner
        elif script[at] == '"':
            inner, expands, reader.at = _double_quoted(script, at, 0)
            parts.append(inner)
            fixed, static = True, static and not expands
        elif script[at] == "\\":
            parts.append(script[at + 1 : at + 2].replace("\n", ""))
            reader.at, fixed = min(at + 2, len(script)), True
        elif script[at] in "$`":
            end = _expansion_end(script, at, 0)
            parts.append(script[at:end])
            bare_expansion = bare_expansion or not fixed
            reader.at, static = end, False
        else:
            break
    raw = script[start : reader.at]
    return Word(
        text="".join(parts),
        source=raw,
        start=start,
        end=reader.at,
        static=static,
        open=(bare_expansion and not fixed) or bool(_ANY_NUMBER.search(raw)),
    )


def _double_quoted(script: str, at: int, depth: int) -> tuple[str, bool, int]:
    """The text between quotes, whether something in it is expanded, and where it ends."""
    parts: list[str] = []
    expands, at = False, at + 1
    while at < len(script) and script[at] != '"':
        if script[at] == "\\" and script[at + 1 : at + 2] in set('"\\$`\n'):
            parts.append(script[at + 1].replace("\n", ""))
            at += 2
        elif script[at] in "$`":
            end = _expansion_end(script, at, depth)
            parts.append(script[at:end])
            expands, at = True, end
        else:
            plain = _PLAIN.match(script, at)
            parts.append(plain[0] if plain else script[at])
            at += len(parts[-1])
    if at >= len(script):
        raise UnclosedQuote
    return "".join(parts), expands, at + 1


def _expansion_end(script: str, at: int, depth: int) -> int:
    if script[at] == "`":
        return _find(script, "`", at + 1) + 1
    if script.startswith(("$(", "${"), at):
        return _closing(script, at + 1, depth + 1)
    found = _EXPANSION.match(script, at)
    return found.end() if found else at + 1


def _closing(script: str, at: int, depth: int) -> int:
    """Behind the bracket that closes the one at `at`; quotes in between are passed over."""
    if depth > _DEEPEST:
        raise UnclosedQuote
    closes, opened, opens = {"(": ")", "{": "}"}[script[at]], 0, script[at]
    while at < len(script):
        if script[at] == "\\":
            at += 1
        elif script[at] == "'":
            at = _find(script, "'", at + 1)
        elif script[at] == '"':
            at = _double_quoted(script, at, depth)[2] - 1
        elif script[at] == opens:
            opened += 1
        elif script[at] == closes:
            opened -= 1
            if opened == 0:
                return at + 1
        at += 1
    raise UnclosedQuote


def _find(script: str, what: str, start: int) -> int:
    end = script.find(what, start)
    if end < 0:
        raise UnclosedQuote
    return end
