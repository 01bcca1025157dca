"""
What an expression over labels holds of.

Selectors of policies and budgets, a pod's affinity to nodes, and the requirements of a pool
are one grammar: a key, an operator, values. A value of None is a label that is not there; an
operator that is not known here says nothing, and whoever asks decides what that means.

Of an object that is there, the labels are known. Of a node that is still to be made only the
expressions are: then the question is whether any value could satisfy all of them at once.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firstlight.readers.kube.fields import mapping, mappings

Expression = Mapping[str, Any]
_INTEGER = re.compile(r"-?[0-9]{1,18}")


def fits(expression: Expression, value: str | None) -> bool | None:
    """
    Whether an expression holds of a label's value.

    Args:
        expression: with `operator` and `values`; its key is the caller's business.
        value: of the label; None where the object has no such label.

    Returns:
        None for an operator that is not known.
    """
    match expression.get("operator"):
        case "In":
            return value is not None and value in values_of(expression)
        case "NotIn":
            return value is None or value not in values_of(expression)
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" as operator:
            have, limit = _number(value), _limit(expression)
            if have is None or limit is None:
                return False
            return have > limit if operator == "Gt" else have < limit
        case _:
            return None


def selects(selector: object, labels: Mapping[str, str]) -> bool:
    """
    Whether a label selector chooses an object.

    Args:
        selector: `matchLabels` and `matchExpressions`; an empty one chooses everything, and
            one that is not there chooses nothing.
        labels: of the object.
    """
    if not isinstance(selector, dict):
        return False
    wanted = mapping(selector.get("matchLabels"))
    return all(labels.get(str(k)) == str(v) for k, v in wanted.items()) and all(
        fits(one, labels.get(str(one.get("key")))) is True
        for one in mappings(selector.get("matchExpressions"))
    )


def fit_together(expressions: Sequence[Expression]) -> bool:
    """Whether some value of one label, or its absence, may satisfy all expressions about it."""
    return any(
        all(fits(e, v) is not False for e in expressions) for v in _worth_trying(expressions)
    )


def values_of(expression: Expression) -> tuple[str, ...]:
    """The values that it lists."""
    listed = expression.get("values")
    return tuple(str(one) for one in listed) if isinstance(listed, list) else ()


def _worth_trying(expressions: Sequence[Expression]) -> Iterator[str | None]:
    """Values of which one satisfies all expressions, if any value does."""
    for one in expressions:
        if one.get("operator") == "In":
            yield from values_of(one)
            return
    yield None
    named = [value for one in expressions for value in values_of(one)]
    # Longer than any that is named, so it is none of them.
    yield "x".join(["", *named, ""])
    for one in expressions:
        limit = _limit(one)
        if limit is not None and one.get("operator") in {"Gt", "Lt"}:
            step = 1 if one.get("operator") == "Gt" else -1
            yield from (str(limit + step * n) for n in range(1, len(named) + 2))


def _limit(expression: Expression) -> int | None:
    return _number(next(iter(values_of(expression)), None))


def _number(written: str | None) -> int | None:
    """A number as the API writes one; None for what is none."""
    return int(written) if written and _INTEGER.fullmatch(written) else None
