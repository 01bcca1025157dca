"""
Where in a pod the engine's server listens, as the pod's own words tell.

The probes ask the server, so their port is it; else the port the container declares. Pods
have sidecars: the engine's container is the only one, or the one that is called so.
"""

from dataclasses import dataclass
from typing import Any

from firstlight.measure.pod.fields import spec
from firstlight.measure.pod.ports import Object

_PROBES = ("readinessProbe", "startupProbe", "livenessProbe")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPort:
    """A port of a pod."""

    number: int
    https: bool = False


def engine_container(pod: Object) -> str | None:
    """The name of the container that the engine runs in; None where that is not clear."""
    containers = _containers(pod)
    if len(containers) > 1:
        named = [one for one in containers if "vllm" in _text(one)]
        containers = named or [one for one in containers if one.get("readinessProbe")]
    return str(containers[0].get("name")) if len(containers) == 1 else None


def server_port(pod: Object, *, container: str | None, given: int | None) -> ServerPort | None:
    """
    Where to ask for a token; None where nothing tells.

    Args:
        pod: as the server sent it.
        container: the engine's; None for any.
        given: what the user says, which counts.
    """
    containers = [one for one in _containers(pod) if container in {None, one.get("name")}]
    probes = [one.get(kind, {}).get("httpGet") for kind in _PROBES for one in containers]
    asked = [_asked(probe, containers) for probe in probes if probe]
    found = next((one for one in asked if one is not None), None)
    if given is not None:
        return ServerPort(number=given, https=found is not None and found.https)
    if found is not None:
        return found
    declared = [port for one in containers for port in one.get("ports") or []]
    http = [port for port in declared if "http" in str(port.get("name"))] or declared
    numbers = [port.get("containerPort") for port in http]
    return next((ServerPort(number=one) for one in numbers if isinstance(one, int)), None)


def _asked(probe: dict[str, Any], containers: list[dict[str, Any]]) -> ServerPort | None:
    https = str(probe.get("scheme", "")).upper() == "HTTPS"
    port = probe.get("port")
    if isinstance(port, int):
        return ServerPort(number=port, https=https)
    for one in containers:
        for declared in one.get("ports") or []:
            if declared.get("name") == port and isinstance(declared.get("containerPort"), int):
                return ServerPort(number=declared["containerPort"], https=https)
    return None


def _containers(pod: Object) -> list[dict[str, Any]]:
    return spec(pod).get("containers") or []


def _text(container: dict[str, Any]) -> str:
    words = [container.get("name"), container.get("image")]
    words += (container.get("command") or []) + (container.get("args") or [])
    return " ".join(str(word) for word in words).lower()
