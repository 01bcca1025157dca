"""
A rule: something that a set of objects must not have, and why.

Linters of single fields are plenty. What costs an evening with vLLM is pairs: sleep mode and
a high memory share, a cache and the volume it lies on, a probe and the start that it has to
wait for. A rule sees the whole scene and reports places in it; it says nothing where it does
not know, because a false alarm costs more trust than a missed one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.techniques.sources import Source


class Severity(StrEnum):
    """How bad it is, by what happens."""

    ERROR = "error"
    """The start fails, serves wrongly, or is open to anybody."""
    WARNING = "warning"
    """Seconds or money are lost, or what was configured has no effect."""
    NOTE = "note"
    """Worth knowing; may be meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place where a rule is broken."""

    manifest: Manifest
    pointer: str
    """A JSON pointer into the object; empty for the object as a whole."""
    what: str
    """A sentence about this place, with the values that are there."""
    remedy: str = ""
    """What to do here; empty where the rule's own remedy says it."""
    severity: Severity | None = None
    """How bad it is here; None: as bad as the rule says."""
    line: int | None = None
    """Where it stands, for what has no pointer, such as a comment; None for the pointer's line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule."""

    code: str
    """Stable, kebab-case, the name of its file with dashes."""
    severity: Severity
    title: str
    """A sentence: what must be so."""
    why: str
    """Two or three sentences: what happens otherwise, and why nobody notices."""
    remedy: str
    sources: tuple[Source, ...]
    check: Callable[[Scene], Iterable[Hit]]
    live: bool = False
    """It asks something that only a cluster tells."""
    techniques: tuple[str, ...] = ()
    """Techniques that it guards; their cards name it under `lint`."""
