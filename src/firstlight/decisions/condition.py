"""
The condition to look again, in a language that a program can test.

A decision is right for as long as some facts are as they were. Prose says that so that
nobody looks; this says it so that a machine does:

    ebs_gbps > stream_gbps
    hit_rate * node_saved_s * penalty_per_s > retention_cost_per_start
    vllm_minor >= 33 and not (node_class == "bottlerocket")

Names are facts. There are numbers and texts in quotes, `+ - * /`, comparisons (also chained:
`0 < hit_rate < 1`), `and`, `or`, `not` and parentheses. The grammar is Python's, read by
Python's own parser; what is not on the list here is refused with its column, and nothing is
ever executed. What a condition is worth with given facts is worked out in `truth`.
"""

import ast
import math
import re
from dataclasses import dataclass, field
from enum import Enum, auto

from firstlight.core.errors import BadInput

TOKEN = re.compile(
    r"(?P<name>[a-z][a-z0-9_]*)|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)"
    r"|(?P<text>\"[ !#-\[\]-~]*\"|'[ -&(-\[\]-~]*')|(?P<sign>[<>=!]=|[-+*/()<>])|(?P<blank>\s+)"
)
WORDS = frozenset({"and", "or", "not"})
"""Names that are no facts."""
_LONGEST = 500
_DEEPEST = 40
_SHOWN = 100
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_EQUALITY = (ast.Eq, ast.NotEq)
_REMEDY = (
    "a condition is made of facts, numbers, + - * /, < <= > >= == !=, and, or, not and "
    "parentheses: ebs_gbps > stream_gbps"
)


class _Kind(Enum):
    """What a part of a condition is, as far as it can be told without facts."""

    NUMBER = auto()
    TEXT = auto()
    TRUTH = auto()
    FACT = auto()
    """A name: only its value tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition that can be judged."""

    text: str
    """In one line."""
    tree: ast.expr = field(repr=False, compare=False)
    """Checked: it holds nothing that `truth` does not know."""


def read_condition(text: str) -> Condition:
    """
    The condition of this text.

    Raises:
        BadInput: it says something that is not in the language; the sentence says which column.
    """
    line = " ".join(text.split())
    if not line:
        raise BadInput("the condition is empty", remedy=_REMEDY)
    if len(line) > _LONGEST:
        raise BadInput(
            f"the condition has {len(line)} characters, more than {_LONGEST}",
            remedy="a condition that nobody can read is no reason: compare two facts",
        )
    _check_tokens(line)
    try:
        tree = ast.parse(line, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        column = getattr(e, "offset", None) or len(line)
        raise _wrong(line, min(column, len(line) + 1) - 1, "it cannot be read") from e
    _Part(line=line, node=tree).must_be(_Kind.TRUTH, why="it compares nothing")
    return Condition(text=line, tree=tree)


def names(condition: Condition) -> tuple[str, ...]:
    """The facts that a condition asks for, in the order it names them."""
    found = (m["name"] for m in TOKEN.finditer(condition.text) if m["name"])
    return tuple(dict.fromkeys(name for name in found if name not in WORDS))


def _check_tokens(line: str) -> None:
    """That nothing is in it which Python knows and this language does not: `#`, `x[0]`, 0x1."""
    at, joins = 0, False
    while at < len(line):
        token = TOKEN.match(line, at)
        word = token is not None and token.lastgroup in {"name", "number", "text"}
        if token is None or (word and joins):
            raise _wrong(line, at, f"{line[at]} does not belong there")
        at, joins = token.end(), word


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A part of a condition while it is checked."""

    line: str
    node: ast.expr
    depth: int = 0

    def kind(self) -> _Kind:
        """What it is; every part of it belongs to the language."""
        if self.depth > _DEEPEST:
            raise self.wrong(f"it is nested more than {_DEEPEST} deep")
        match self.node:
            case ast.Name():
                return _Kind.FACT
            case ast.Constant(value=str()):
                return _Kind.TEXT
            case ast.Constant(value=int() | float() as number):
                if not _is_finite(number):
                    raise self.wrong("one cannot calculate with so large a number")
                return _Kind.NUMBER
            case ast.BoolOp(values=values):
                for value in values:
                    self.inner(value).must_be(_Kind.TRUTH, why="and, or join comparisons")
                return _Kind.TRUTH
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.inner(operand).must_be(_Kind.TRUTH, why="not stands before a comparison")
                return _Kind.TRUTH
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                self.inner(operand).must_be(_Kind.NUMBER, why="only a number has a sign")
                return _Kind.NUMBER
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()) as node:
                for side in (left, node.right):
                    self.inner(side).must_be(_Kind.NUMBER, why="only numbers are calculated with")
                return _Kind.NUMBER
            case ast.Compare(left=left, ops=ops, comparators=rights):
                return self._comparison([left, *rights], ops)
            case _:
                raise self.wrong("this is not in the language")

    def must_be(self, *kinds: _Kind, why: str) -> None:
        """Refuse a part that can be none of these; a fact can be any."""
        if self.kind() not in (*kinds, _Kind.FACT):
            raise self.wrong(why)

    def inner(self, node: ast.expr) -> "_Part":
        return _Part(line=self.line, node=node, depth=self.depth + 1)

    def wrong(self, why: str) -> BadInput:
        return _wrong(self.line, self.node.col_offset, why)

    def _comparison(self, sides: list[ast.expr], ops: list[ast.cmpop]) -> _Kind:
        for op, right in zip(ops, sides[1:], strict=True):
            if not isinstance(op, (*_ORDER, *_EQUALITY)):
                raise self.inner(right).wrong("this is not in the language")
        for number, side in enumerate(sides):
            part, beside = self.inner(side), ops[max(number - 1, 0) : number + 1]
            if any(isinstance(op, _ORDER) for op in beside):
                part.must_be(_Kind.NUMBER, why="only numbers are less or more, texts == or !=")
            else:
                part.must_be(_Kind.NUMBER, _Kind.TEXT, why="a comparison is not compared again")
        return _Kind.TRUTH


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _wrong(line: str, at: int, why: str) -> BadInput:
    shown = line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."
    return BadInput(f"the condition {shown!r} is wrong at column {at + 1}: {why}", remedy=_REMEDY)
