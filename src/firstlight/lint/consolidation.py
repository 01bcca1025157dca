"""
Whether Karpenter moves the pods of a NodePool to a cheaper node, and how soon.

A pool says for which nodes (`consolidationPolicy`), how long nothing must have changed on
them (`consolidateAfter`), and in `budgets` how many may go at a time. A budget of nothing
forbids it, for the reasons that it names or for all, and for ever or by a schedule: outside of
its schedule it does not hold.
"""

import re
from collections.abc import Mapping
from typing import Any

from firstlight.lint.pools import Pool
from firstlight.readers.kube.fields import counted, mappings, natural, text, words

_MOVES = frozenset({"", "WhenEmptyOrUnderutilized", "WhenUnderutilized"})
_REASON = "Underutilized"
"""Of the move of a node on which pods run; an empty one has no engine to lose."""
_SHORT_S = 300
_UNITS = {"h": 3600, "m": 60, "s": 1}
_DURATION = re.compile(r"(?:[0-9]+[hms])+")
_EVERY_S = {"@hourly": 3600, "@daily": 86_400, "@midnight": 86_400, "@weekly": 604_800}
_CRON_S = (
    (re.compile(r"\* \* \* \* \*"), 60),
    (re.compile(r"\d{1,2} \* \* \* \*"), 3600),
    (re.compile(r"\d{1,2} \d{1,2} \* \* \*"), 86_400),
    (re.compile(r"\d{1,2} \d{1,2} \* \* [0-7]"), 604_800),
)
"""Schedules that come at equal distances, and how far apart."""


def consolidates_soon(pool: Pool) -> bool:
    """Whether a node with pods is known to go within minutes when a cheaper one would do."""
    disruption = pool.disruption
    if text(disruption.get("consolidationPolicy")) not in _MOVES:
        return False
    if any(_may_forbid(one) for one in mappings(disruption.get("budgets"))):
        return False
    after = disruption.get("consolidateAfter")
    length_s = 0 if after is None else _seconds(text(after))
    return length_s is not None and length_s < _SHORT_S


def _may_forbid(budget: Mapping[str, Any]) -> bool:
    """Whether a budget may let no node with pods go, at no time."""
    nodes = budget.get("nodes")
    number = natural(nodes)
    if number is None:
        # A share of the nodes is rounded up. What cannot be read may be nothing.
        number = counted(text(nodes).removesuffix("%")) or 0
    reasons = words(budget.get("reasons"))
    return number == 0 and (not reasons or _REASON in reasons) and _may_always_hold(budget)


def _may_always_hold(budget: Mapping[str, Any]) -> bool:
    """Whether the next time of its schedule may come before the last one has ended."""
    schedule = " ".join(text(budget.get("schedule")).split())
    if not schedule or "$" in schedule:
        return True
    shaped = (every for shape, every in _CRON_S if shape.fullmatch(schedule))
    every_s = _EVERY_S.get(schedule, next(shaped, None))
    length_s = _seconds(text(budget.get("duration")))
    return every_s is not None and length_s is not None and length_s >= every_s


def _seconds(length: str) -> int | None:
    """None for `Never`, and for what is no length."""
    if not _DURATION.fullmatch(length):
        return None
    return sum(int(n) * _UNITS[u] for n, u in re.findall(r"([0-9]+)([hms])", length))
