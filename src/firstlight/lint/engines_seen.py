"""
Which engines were looked at, and what of them could not be seen.

Rules stay silent about what they do not know. Whoever reads "nothing found" has to know how
much was looked at: no engine at all, or one whose arguments are in a variable of somebody else.
"""

from dataclasses import dataclass

from firstlight.lint.engine import Engine
from firstlight.manifests.objects import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSeen:
    """One engine."""

    object: Identity
    container: str
    unknown: tuple[str, ...]
    """Where it may get arguments from that are not known; empty where all are."""


def engine_seen(engine: Engine) -> EngineSeen:
    """What could be seen of an engine."""
    if engine.workload.lone:
        unknown: tuple[str, ...] = ("the others are its ServingRuntime's",)
    elif engine.line is None:
        unknown = ("its command line cannot be told from the manifest",)
    else:
        unknown = tuple(f"{h.name}, {h.place}" for h in engine.hidden if h.known is None)
    return EngineSeen(
        object=engine.manifest.identity,
        container=str(engine.container.get("name") or ""),
        unknown=unknown,
    )
