"""
What stands in the way of a technique, where the objects show it.

A card says what a technique requires, for people. Some of it can be seen in the objects: a
pull policy, an argument, a setting of the node class. That is looked up before anything is
drawn, and refused, or only said where it may still work.
"""

from typing import Any

import msgspec


class Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that must not be there."""

    says: str
    """What is in the way, as the rest of "it cannot be rendered: ..."; no full stop."""
    remedy: str
    refuses: bool = True
    """No: it is said to whoever applies the change, who knows whether it matters."""
    argument: str | None = None
    """The engine is given this argument."""
    of: str | None = None
    """A field of `engine`, the container, of `pod`, or of the workload's object of a kind:
    `NodePool`, `EC2NodeClass`, `Namespace`."""
    path: str = ""
    """The field, as a JSON pointer."""
    values: tuple[Any, ...] = ()
    """Those that are in the way; empty for any that is there."""
    parameters: tuple[str, ...] = ()
    """These parameters have one and the same value."""
