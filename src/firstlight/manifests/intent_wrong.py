"""What is wrong with an intent, and where in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Something that cannot be rendered, or that could never run."""

    field: str
    why: str
    remedy: str
    within: str | None = None
    """The key or the number of an element of the field; None for the whole of it."""
