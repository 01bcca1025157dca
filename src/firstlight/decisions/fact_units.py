"""
Which values a fact can have, by its unit in the table of facts.

A fact that is nonsense is worse than one that is missing: `hit_rate 60` makes a decision flip
that 60 per cent would have left standing. So whatever is given is held against the unit of the
fact that it is given for. A fact that only a register knows has no unit, and any value that a
condition can calculate with will do.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firstlight.decisions.truth import Value

NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as people type it."""
Units = Mapping[str, str]
"""The unit of each fact that has one, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range:
    """The numbers that a unit allows."""

    holds: Callable[[float], bool]
    says: str


_SHARE = _Range(
    holds=lambda v: 0 <= v <= 1, says="a share from 0 to 1; per cent are divided by 100"
)
_YES_OR_NO = _Range(holds=lambda v: v in {0, 1}, says="0 for no or 1 for yes")
_COUNT = _Range(holds=lambda v: v >= 0 and float(v).is_integer(), says="a whole number from 0 on")
_AMOUNT = _Range(holds=lambda v: v >= 0, says="a number from 0 on, without its unit")
_DIFFERENCE = _Range(holds=lambda _: True, says="a number, without its unit")
_RANGES = {
    "0 to 1": _SHARE,
    "0 or 1": _YES_OR_NO,
    "sequences": _COUNT,
    "26 for 0.26.0": _COUNT,
    "s, also negative": _DIFFERENCE,
}
"""Units that are no amounts; all others are."""


def nonsense(name: str, value: Value, units: Units) -> str | None:
    """What is wrong with a value, in words; None where it may be so.

    Args:
        name: of the fact.
        value: what somebody says it is.
        units: of the facts that have one.
    """
    if _is_number(value) and not _is_finite(value):
        return "it is no number that one can calculate with"
    if isinstance(value, str) and NUMBER.fullmatch(value):
        # In quotes, or with more digits than YAML takes for a number.
        return "it is a text, and no number that one can calculate with"
    if name not in units:
        return None
    allowed = _RANGES.get(units[name], _AMOUNT)
    if _is_number(value) and allowed.holds(float(value)):
        return None
    return f"it is {allowed.says}" + (f" ({units[name]})" if allowed is _AMOUNT else "")


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_finite(value: Value) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
