"""
What a shell's script makes of its variables and of its arguments, as far as its text shows.

`ARGS="--port 8000"` on a line of its own says what `$ARGS` is. `ARGS+=` in a branch, `read`,
a file that is sourced, a function with arguments of its own do not: what they make of it is
known only when the script runs. So a variable is known where it is assigned once, by a plain
`NAME=value` that nothing can pass over, before the command that is asked about; and what
Kubernetes handed over is known where the script cannot have changed it. A script is read so
that a mistake errs to "not known".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firstlight.readers.shell_words import pieces
from firstlight.readers.words import Word

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
_EXPORTED = re.compile(r"[A-Za-z_]\w*(?:=|$)")
_OTHERWISE = re.compile(r"([A-Za-z_]\w*)(?:\+=|\+\+|--|\[|$)")
"""`NAME+=`, `NAME[0]=`, or a name by itself, as `read` and `unset` are given it."""
_IN_EXPANSION = re.compile(
    r"\$\{([A-Za-z_]\w*+):?=|(?<!\w)([A-Za-z_]\w*+)\s*+(?:[-+*/%&|^]?=(?!=)|\+\+|--)"
)
_OPENS = frozenset({"if", "while", "until", "{"})
_LISTS = frozenset({"for", "select", "case"})
_CLOSES = {"fi": ("if",), "done": ("while", "until", "for", "select"), "esac": ("case",), "}": "{"}
_GOES_ON = frozenset({"then", "else", "elif", "do", "!", "time"})
_ASSIGNS = frozenset({"export", "readonly"})
_RUNS_ANYTHING = frozenset({".", "source", "eval"})
_PASSES_ON = frozenset({"command", "builtin"})
_ENDS = frozenset({";", "\n", ";;"})
_REACHED = ""
"""In place of an operator: the command that is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignments:
    """What a script has done when a command of it is reached."""

    values: Mapping[str, str | None] = field(default_factory=dict)
    """By name, each variable that it assigns; None where that is not known."""
    any_variable: bool = False
    """It may assign any variable: it runs what is not in its text."""
    own_arguments: bool = False
    """What `$@` is in it need not be what the shell was given."""
    splits_plainly: bool = True
    """A variable without quotes is cut at spaces, tabs and ends of lines."""

    def over(self, environment: Mapping[str, str | None]) -> Mapping[str, str | None]:
        """The variables that the command sees, where the container has these."""
        known = {**environment, **self.values}
        return dict.fromkeys(known) if self.any_variable else known


@dataclass(slots=True)
class _Walk:
    """The script, command by command."""

    pieces: tuple[tuple[Word, ...] | str, ...]
    behind: tuple[str, ...]
    """For each piece, the operator that ends it or its chain, or that it ends where is asked."""
    reached: int
    """Where the command that is asked about begins, in the script's text."""
    inside: list[str] = field(default_factory=list)
    assigned: dict[str, list[str | None]] = field(default_factory=dict)
    otherwise: set[str] = field(default_factory=set)
    any_variable: bool = False
    own_arguments: bool = False

    def found(self) -> Assignments:
        for at, piece in enumerate(self.pieces):
            if isinstance(piece, str):
                self._operator(at, piece)
            else:
                self._command(at, piece)
        once = {n: v[0] if len(v) == 1 else None for n, v in self.assigned.items()}
        return Assignments(
            values=once | dict.fromkeys(self.otherwise),
            any_variable=self.any_variable or bool(self.inside),
            own_arguments=self.own_arguments or self.any_variable,
            splits_plainly="IFS" not in once.keys() | self.otherwise,
        )

    def _operator(self, at: int, operator: str) -> None:
        if operator == "(" and self.pieces[at + 1 : at + 2] == (")",):
            # A function: it has arguments of its own.
            self.own_arguments = True
        elif operator == "(" and self.inside[-1:] != ["case"]:
            self.inside.append("(")
        elif operator == ")" and self.inside[-1:] == ["("]:
            self.inside.pop()

    def _command(self, at: int, words: tuple[Word, ...]) -> None:
        rest = words[self._keywords(words) :]
        for word in words:
            for match in _IN_EXPANSION.finditer(word.source if _expands(word) else ""):
                self.otherwise.add(match[1] or match[2])
        if words[0].start == self.reached:
            # What stands in front of a command is for its process, and not for its words.
            return
        heads = [word.text for word in rest[:2]]
        if heads[:1] and heads[0] in _PASSES_ON:
            heads = heads[1:]
        if heads and heads[0] in _RUNS_ANYTHING:
            self.any_variable = True
        if heads and (heads[0] == "shift" or (heads[0] == "set" and _gives_arguments(rest[1:]))):
            self.own_arguments = True
        self._values(at, rest, exports=bool(heads) and heads[0] in _ASSIGNS)

    def _values(self, at: int, rest: tuple[Word, ...], *, exports: bool) -> None:
        values = rest[1:] if exports else rest
        form = _EXPORTED if exports else _ASSIGNMENT
        plain = all(form.match(word.source) for word in values)
        for number, word in enumerate(values):
            match = _ASSIGNMENT.match(word.source)
            array = number == len(values) - 1 and self.pieces[at + 1 : at + 2] == ("(",)
            if plain and match and not array and self._always(at):
                known = word.static and word.start < self.reached
                value = word.text[match.end() :] if known else None
                self.assigned.setdefault(match[1], []).append(value)
            elif match:
                # `IFS= read` cuts differently for that one command only.
                self.otherwise |= set() if not plain and match[1] == "IFS" else {match[1]}
            elif not plain and (other := _OTHERWISE.match(word.source)):
                self.otherwise.add(other[1])

    def _keywords(self, words: tuple[Word, ...]) -> int:
        """How many of the words are the shell's own; what they open and close is noted."""
        for at, word in enumerate(words):
            text = word.source
            if text in _OPENS:
                self.inside.append(text)
            elif text in _LISTS:
                self.inside.append(text)
                self.otherwise |= {w.text for w in words[at + 1 : at + 2]}
                return len(words)
            elif text in _CLOSES:
                if self.inside[-1:] and self.inside[-1] in _CLOSES[text]:
                    self.inside.pop()
                else:
                    self.any_variable = True
            elif text == "function":
                self.own_arguments = True
                return len(words)
            elif text not in _GOES_ON:
                return at
        return len(words)

    def _always(self, at: int) -> bool:
        """Whether the command at `at` has run, in this shell, once the other is reached."""
        if self.inside:
            return False
        before, then = self.pieces[at - 1] if at else "", self.behind[at]
        if then == _REACHED:
            # Each step on the way there is taken only after this one.
            return before not in {"||", "|", "|&"}
        return then in _ENDS and before not in {"||", "&&", "|", "|&"}


def _behind(pieces: Sequence[tuple[Word, ...] | str], reached: int) -> tuple[str, ...]:
    """
    What stands behind each piece first, other than the next command of an `&&` chain.

    From the end to the beginning: a script may have ten thousand assignments.
    """
    found, then = [], "\n"
    for piece in reversed(pieces):
        found.append(then)
        if not isinstance(piece, str):
            then = _REACHED if piece[0].start == reached else then
        elif piece != "&&":
            then = piece
    return tuple(reversed(found))


def assignments(script: str, *, before: int) -> Assignments:
    """
    What a script has assigned when a command of it is reached.

    Args:
        script: its text.
        before: where that command's first word begins in it.

    Raises:
        UnclosedQuote: the shell would refuse it too.
    """
    read = pieces(script)
    return _Walk(pieces=read, behind=_behind(read, before), reached=before).found()


def _gives_arguments(words: Sequence[Word]) -> bool:
    """Whether `set` is given more than options."""
    at = 0
    while at < len(words) and words[at].text[:1] in {"-", "+"} and words[at].text != "--":
        at += 2 if "o" in words[at].text else 1
    return at < len(words)


def _expands(word: Word) -> bool:
    return "${" in word.source or "((" in word.source
