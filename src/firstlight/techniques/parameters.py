"""
`${name}` in a card, and what stands for it in the end.

Cards are data and hold no logic, so this is no template language: a whole value of another
type, such as a number, is put in as it is, and a name that nobody gave is refused by name.
"""

import re
from collections.abc import Mapping
from typing import Any

from firstlight.core.errors import BadInput

REFERENCE = re.compile(r"\$\{([a-z][a-z0-9_]*)\}")
"""One of them, with its name."""


class ParameterWanted(BadInput):
    """A parameter that is not given, or is given a value that it cannot have."""

    def __init__(self, message: str, *, remedy: str, name: str) -> None:
        super().__init__(message, remedy=remedy)
        self.name = name
        """The parameter's."""


def references(value: object) -> frozenset[str]:
    """The names that a value refers to, however deep."""
    match value:
        case str():
            return frozenset(REFERENCE.findall(value))
        case Mapping():
            return references([*value.keys(), *value.values()])
        case list() | tuple():
            return frozenset().union(*(references(v) for v in value))
        case _:
            return frozenset()


def filled(value: Any, values: Mapping[str, Any], *, technique: str) -> Any:
    """
    A value with every reference replaced.

    Args:
        value: texts, maps and lists, however deep.
        values: by name. A text that is one whole reference becomes the value itself, of
            whatever type; inside a longer text it becomes its text.
        technique: whose value it is, for the error.

    Raises:
        ParameterWanted: a name has no value.
    """
    match value:
        case str():
            if whole := REFERENCE.fullmatch(value):
                return _value(whole[1], values, technique)
            return REFERENCE.sub(lambda m: str(_value(m[1], values, technique)), value)
        case Mapping():
            return {
                filled(k, values, technique=technique): filled(v, values, technique=technique)
                for k, v in value.items()
            }
        case list() | tuple():
            return [filled(v, values, technique=technique) for v in value]
        case _:
            return value


def _value(name: str, values: Mapping[str, Any], technique: str) -> Any:
    if name not in values:
        raise ParameterWanted(
            f"{technique} needs {name}, which nothing here tells",
            remedy=f"give it: --set {name}=VALUE",
            name=name,
        )
    return values[name]
