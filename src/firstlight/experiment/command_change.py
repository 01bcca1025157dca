"""
What one technique, or a change of one's own, does to the words around a command.

It is names with values, so it can be put in, taken out again by the card that replaces it, and
be held against what really differs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandChange:
    """What one technique, or a change of one's own, does to the words of a command."""

    arguments: Mapping[str, str | None] = field(default_factory=dict)
    """None for a flag."""
    environment: Mapping[str, str] = field(default_factory=dict)
    wrapper: tuple[str, ...] = ()
    without_arguments: tuple[str, ...] = ()
    without_environment: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    """Instead of the command's words up to its first option; empty to keep them."""

    @property
    def is_nothing(self) -> bool:
        return self == CommandChange()
