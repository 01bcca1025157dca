"""
A container's environment, as its pod's spec gives it.

A value that comes from somewhere else (a Secret, a ConfigMap, the pod itself) is not in the
spec: then where it comes from stands for it, which is as good for telling two starts apart.
The last of two entries of one name counts.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.core.secrets import redacted_values
from firstlight.readers.kube.fields import mapping, mappings, text

_SAYS_WHICH = ("name", "key", "fieldPath", "resource")


def read_environment(container: Mapping[str, Any]) -> dict[str, str]:
    """Name and value of each, secrets blacked out."""
    found: dict[str, str] = {}
    for source in mappings(container.get("envFrom")):
        for kind, which in source.items():
            if name := text(mapping(which).get("name")):
                found[f"{text(source.get('prefix'))}*"] = f"({kind} {name})"
    written: dict[str, str] = {}
    for entry in mappings(container.get("env")):
        name = text(entry.get("name"))
        if not name:
            continue
        reference = mapping(entry.get("valueFrom"))
        if not reference:
            written[name] = text(entry.get("value"))
            found.pop(name, None)
            continue
        written.pop(name, None)
        for kind, which in reference.items():
            said = [text(mapping(which).get(key)) for key in _SAYS_WHICH]
            found[name] = f"({' '.join(filter(None, [kind, *said]))})"
    return dict(sorted((found | redacted_values(written)).items()))
