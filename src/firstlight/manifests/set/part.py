"""A part of the set: objects, and what was taken for granted in making them."""

from dataclasses import dataclass

from firstlight.manifests.objects import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one file of this folder makes of an intent."""

    objects: tuple[Value, ...]
    assumptions: tuple[str, ...] = ()
    """One sentence for every default, and for what an object does that its name does not say."""


def labels(name: str) -> dict[str, str]:
    """What the pods are found by, the same in all steps."""
    return {"app.kubernetes.io/name": name}
