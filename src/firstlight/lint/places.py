"""
Where a path of the engine lies, and so how long it lives.

In the container's own layer it goes with the container, in an emptyDir with the pod, on a
volume it stays. Whether another container fills it first cannot be seen, so an emptyDir that
somebody else mounts too is a kind of its own.
"""

import posixpath
from dataclasses import dataclass
from enum import Enum
from typing import Any

from firstlight.lint.engine import Engine, Known
from firstlight.manifests.mounts import mounting, outlives_pods, volume_named
from firstlight.manifests.variables import resolved

_BROUGHT = ("configMap", "secret", "projected", "downwardAPI", "image")
"""Volumes whose content comes from elsewhere, the same for each pod."""
_ROOT_HOME = "/root"


class Lies(Enum):
    """How long something at a path lives."""

    LASTING = "on a volume that outlives the pod"
    POD = "on a volume that goes with the pod"
    FILLED = "on a volume that goes with the pod, and that something else may fill"
    CONTAINER = "in the container's own layer"
    UNKNOWN = "nobody can tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path, and what it lies on."""

    path: str
    """Absolute and plain; as it was written where that is not known."""
    lies: Lies
    mount: dict[str, Any] | None = None
    """None where it lies in no mount."""
    volume: dict[str, Any] | None = None
    """None where it lies in no mount, or the volume is not in the pod's list."""

    @property
    def goes_with_the_pod(self) -> bool:
        """Whether the next pod finds nothing there, for certain."""
        return self.lies in (Lies.CONTAINER, Lies.POD)


def place(engine: Engine, path: str | None) -> Place:
    """
    Where a path lies.

    Args:
        engine: whose.
        path: absolute, or from the home folder on (`~/...`); None where it is not known.
    """
    whole = _absolute(engine, path)
    if whole is None:
        return Place(path=path or "", lies=Lies.UNKNOWN)
    mount = engine.mount_of(whole)
    if mount is None:
        return Place(path=whole, lies=Lies.CONTAINER)
    volume = volume_named(engine.pod, mount.get("name"))
    return Place(path=whole, lies=_lies(engine, mount, volume), mount=mount, volume=volume)


def folder(engine: Engine, *named: tuple[str, str], otherwise: str) -> str | None:
    """
    The folder that the first variable which is set names.

    Args:
        engine: whose.
        named: variables, each with what is appended to its value.
        otherwise: the folder where none is set.

    Returns:
        None where a variable's value is not known.
    """
    for name, suffix in named:
        found = engine.variable(name)
        if found.known is Known.UNKNOWN:
            return None
        if found.value:
            return found.value.rstrip("/") + suffix
    return otherwise


def mount_pointer(engine: Engine, mount: dict[str, Any]) -> str:
    """Where a mount is written, in the object."""
    mounts = engine.container.get("volumeMounts") or []
    return engine.pointer(f"/volumeMounts/{mounts.index(mount)}")


def _absolute(engine: Engine, path: str | None) -> str | None:
    if path is None or "$" in path:
        return None
    if path.startswith("~/"):
        home = _home(engine)
        path = f"{home}{path[1:]}" if home else ""
    return posixpath.normpath(path) if path.startswith("/") else None


def _home(engine: Engine) -> str | None:
    """The home folder of the engine's user; None where it may be another than root's."""
    found = engine.variable("HOME")
    if found.known is not Known.ABSENT:
        return (found.value or "").rstrip("/") or None
    contexts = [engine.pod.get("securityContext"), engine.container.get("securityContext")]
    users = [(c or {}).get("runAsUser") for c in contexts]
    if any(users) or any((c or {}).get("runAsNonRoot") for c in contexts):
        return None
    mounts = [str(m.get("mountPath")) for m in engine.container.get("volumeMounts") or []]
    another = [m for m in mounts if m.startswith("/home/") or "/.cache" in m or "/.triton" in m]
    return _ROOT_HOME if all(m.startswith(f"{_ROOT_HOME}/") for m in another) else None


def _lies(engine: Engine, mount: dict[str, Any], volume: dict[str, Any] | None) -> Lies:
    if volume is None:
        templates = (engine.manifest.value.get("spec") or {}).get("volumeClaimTemplates") or []
        names = [(t.get("metadata") or {}).get("name") for t in templates]
        return Lies.LASTING if mount.get("name") in names else Lies.UNKNOWN
    if outlives_pods(volume, _own_folder(engine, mount)) or any(k in volume for k in _BROUGHT):
        return Lies.LASTING
    if "emptyDir" in volume or "ephemeral" in volume:
        return Lies.FILLED if _filled(engine, volume) else Lies.POD
    return Lies.UNKNOWN


def _own_folder(engine: Engine, mount: dict[str, Any]) -> dict[str, Any] | None:
    """The mount, where its folder may be one of this pod; None where it is the same for all."""
    expression = mount.get("subPathExpr")
    known = expression is None or resolved(str(expression), engine.environment) is not None
    return None if known else mount


def _filled(engine: Engine, volume: dict[str, Any]) -> bool:
    others = set(mounting(engine.pod, volume.get("name"))) - {engine.container.get("name")}
    template = ((volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}).get("spec") or {}
    return bool(others or template.get("dataSource") or template.get("dataSourceRef"))
