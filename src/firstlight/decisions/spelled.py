"""
A condition with its numbers in it: what a person reads to see why.

`ebs_gbps > stream_gbps` becomes `ebs_gbps 20 > stream_gbps 13.6`: the names stay, because a
number alone says nothing, and the form stays, because that is what was agreed on.
"""

import re
from collections.abc import Mapping

from firstlight.decisions.condition import TOKEN, WORDS, Condition
from firstlight.decisions.truth import Value

NOT_KNOWN = "(not known)"
_WHOLE = 1e6
"""From here on the digits behind the point say nothing."""


def explained(condition: Condition, values: Mapping[str, str]) -> str:
    """The condition, each fact followed by what is said of it here."""

    def told(found: re.Match[str]) -> str:
        name = found["name"]
        if name is None or name in WORDS:
            return found[0]
        return f"{name} {values.get(name, NOT_KNOWN)}"

    return TOKEN.sub(told, condition.text)


def spelled(value: Value) -> str:
    """A value as people write it: 13.6, 8900000000, true, "bottlerocket"."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case int():
            return str(value)
        case _:
            return f"{value:.0f}" if abs(value) >= _WHOLE else f"{value:.6g}"
