"""
Which ConfigMaps the engines of some objects read.

A variable or a file of arguments may stand in one. Whoever reads a cluster fetches these and no
others: a namespace has many.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.lint.engine import engines_of
from firstlight.manifests.objects import ObjectSet


def config_maps_of(objects: ObjectSet) -> tuple[tuple[str, str], ...]:
    """Namespace and name of each, once."""
    found = [
        (manifest.identity.namespace, name)
        for manifest in objects
        for engine in engines_of(manifest, objects)
        for name in (*_of_container(engine.container), *_of_pod(engine.pod))
    ]
    return tuple(dict.fromkeys(found))


def _of_container(container: dict[str, Any]) -> Iterator[str]:
    for source in container.get("envFrom") or []:
        yield from _named(source.get("configMapRef"))
    for entry in container.get("env") or []:
        yield from _named((entry.get("valueFrom") or {}).get("configMapKeyRef"))


def _of_pod(pod: dict[str, Any]) -> Iterator[str]:
    for volume in pod.get("volumes") or []:
        yield from _named(volume.get("configMap"))


def _named(reference: dict[str, Any] | None) -> Iterator[str]:
    if name := (reference or {}).get("name"):
        yield str(name)
