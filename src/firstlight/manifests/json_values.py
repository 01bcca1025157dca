"""
When two values are the same, and when one holds all of another.

Python thinks that 1, 1.0 and True are equal; Kubernetes does not. And an API server adds
defaults to whatever it is given, so an object from a cluster has what was wanted when it
has at least that.
"""

import json
from typing import Any


def canonical_text(value: Any) -> str:
    """The value as one text: equal values, whatever the order of their keys, give equal texts."""
    return json.dumps(value, sort_keys=True, default=str)


def copied(value: Any) -> Any:
    """
    A copy in which nothing is shared.

    What a YAML anchor stands for is one value in many places, and a deep copy keeps that: a
    change of one would be a change of all.
    """
    if isinstance(value, dict):
        return {name: copied(inner) for name, inner in value.items()}
    return [copied(inner) for inner in value] if isinstance(value, list) else value


def same(one: Any, other: Any) -> bool:
    """Whether two values are one and the same."""
    return canonical_text(one) == canonical_text(other)


def covers(actual: Any, wanted: Any) -> bool:
    """Whether a value has everything that is wanted of it; it may have more fields."""
    if isinstance(wanted, dict):
        return isinstance(actual, dict) and all(
            covers(actual.get(name), value) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(wanted)
            and all(covers(a, w) for a, w in zip(actual, wanted, strict=True))
        )
    return same(actual, wanted)
