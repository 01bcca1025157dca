"""
How much memory a container may use before it is killed.
"""

from firstlight.lint.engine import Engine
from firstlight.readers.kube.quantities import quantity

_GIB = 2**30
_GB = 10**9


def memory_limit(engine: Engine) -> tuple[int, str] | None:
    """The limit in bytes, and where it is written; None where there is none, or no number."""
    limits = (engine.container.get("resources") or {}).get("limits") or {}
    found = quantity(limits.get("memory"))
    return (int(found), engine.pointer("/resources/limits/memory")) if found else None


def gib(size: int) -> str:
    """Bytes for a sentence about memory."""
    return f"{size / _GIB:.1f} GiB"


def gb(size: int) -> str:
    """Bytes for a sentence about what is stored or sent."""
    return f"{size / _GB:.1f} GB"
