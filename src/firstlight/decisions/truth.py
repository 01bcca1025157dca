"""
What a condition is worth, with the facts that are there.

True, false, or not known, after Kleene: `a and b` is false as soon as one of them is, whatever
the other may be, and `a or b` is true as soon as one is. So a fact that is missing keeps a
condition from being judged only where it matters, and a fact that is added never changes an
answer that was there already.

A calculation without a result (a division by zero, a text in a sum) is not known either, and
says why.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.decisions.condition import Condition

Value = float | int | bool | str
"""Of a fact: a number, yes or no, or a text."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The answer to a condition."""

    is_so: bool | None
    """None where it cannot be judged."""
    missing: tuple[str, ...] = ()
    """The facts it would need for that; empty where it was judged."""
    troubles: tuple[str, ...] = ()
    """What cannot be calculated, in words; empty where it was judged."""


def truth(condition: Condition, facts: Mapping[str, Value]) -> Truth:
    """What a condition is worth with these facts."""
    answer = _truth_of(condition.tree, facts)
    if isinstance(answer, bool):
        return Truth(is_so=answer)
    return Truth(
        is_so=None,
        missing=tuple(dict.fromkeys(answer.missing)),
        troubles=tuple(dict.fromkeys(answer.troubles)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _NotKnown:
    """What stands for a value that is not there, with everything that keeps it away."""

    missing: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()


def _joined(*parts: object) -> _NotKnown:
    unknown = [part for part in parts if isinstance(part, _NotKnown)]
    return _NotKnown(
        missing=tuple(name for part in unknown for name in part.missing),
        troubles=tuple(why for part in unknown for why in part.troubles),
    )


def _truth_of(node: ast.expr, facts: Mapping[str, Value]) -> bool | _NotKnown:
    match node:
        case ast.BoolOp(op=op, values=values):
            deciding = isinstance(op, ast.Or)
            answers = [_truth_of(value, facts) for value in values]
            if deciding in answers:
                return deciding
            unknown = [a for a in answers if isinstance(a, _NotKnown)]
            return _joined(*unknown) if unknown else not deciding
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            answer = _truth_of(operand, facts)
            return answer if isinstance(answer, _NotKnown) else not answer
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _chained([_value_of(side, facts) for side in (left, *rights)], ops)
        case _:
            value = _value_of(node, facts)
            if isinstance(value, bool | _NotKnown):
                return value
            said = f"{ast.unparse(node)} is {value!r}, which is neither true nor false"
            return _NotKnown(troubles=(said,))


def _chained(sides: list[Value | _NotKnown], ops: list[ast.cmpop]) -> bool | _NotKnown:
    """`a < b < c` is `a < b and b < c`."""
    answers = [
        _compared(op, left, right) for op, left, right in zip(ops, sides, sides[1:], strict=False)
    ]
    if False in answers:
        return False
    unknown = [a for a in answers if isinstance(a, _NotKnown)]
    return _joined(*unknown) if unknown else True


def _compared(op: ast.cmpop, left: Value | _NotKnown, right: Value | _NotKnown) -> bool | _NotKnown:
    if isinstance(left, _NotKnown) or isinstance(right, _NotKnown):
        return _joined(left, right)
    both_texts = isinstance(left, str) and isinstance(right, str)
    if (both_texts and isinstance(op, ast.Eq | ast.NotEq)) or (_number(left) and _number(right)):
        return _COMPARISONS[type(op)](left, right)
    return _NotKnown(troubles=(f"{left!r} and {right!r} cannot be compared",))


def _value_of(node: ast.expr, facts: Mapping[str, Value]) -> Value | _NotKnown:
    match node:
        case ast.Name(id=name):
            return facts[name] if name in facts else _NotKnown(missing=(name,))
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(operand=operand):
            return _calculated(node, operator.neg, _value_of(operand, facts))
        case ast.BinOp(left=left, op=op, right=right):
            sides = (_value_of(left, facts), _value_of(right, facts))
            return _calculated(node, _ARITHMETIC[type(op)], *sides)
        case _:
            raise TypeError(f"a condition was let in that holds {ast.unparse(node)}")


def _calculated(
    node: ast.expr, function: Callable[..., Any], *sides: Value | _NotKnown
) -> Value | _NotKnown:
    if any(isinstance(side, _NotKnown) for side in sides):
        return _joined(*sides)
    if not all(_number(side) for side in sides):
        return _NotKnown(troubles=(f"{ast.unparse(node)} is no calculation with numbers",))
    try:
        result: float = function(*sides)
        finite = math.isfinite(result)
    except ZeroDivisionError:
        return _NotKnown(troubles=(f"{ast.unparse(node)} divides by zero",))
    except OverflowError:
        finite = False
    if not finite:
        return _NotKnown(troubles=(f"{ast.unparse(node)} is too large a number",))
    return result


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
