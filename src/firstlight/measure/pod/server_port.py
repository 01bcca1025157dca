"""
Where in a pod the engine's server listens, as the pod's own words tell.

The probes ask the server, so their port is it; else the port the container declares.
"""

from dataclasses import dataclass
from typing import Any

from firstlight.core.objects import Object
from firstlight.measure.pod.engine_container import containers

_PROBES = ("readinessProbe", "startupProbe", "livenessProbe")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPort:
    """A port of a pod."""

    number: int
    https: bool = False


def server_port(pod: Object, *, container: str | None, given: int | None) -> ServerPort | None:
    """
    Where to ask for a token; None where nothing tells.

    Args:
        pod: as the server sent it.
        container: the engine's; None where there is none.
        given: what the user says, which counts.
    """
    ours = [one for one in containers(pod) if one.get("name") == container]
    probes = [(one.get(kind) or {}).get("httpGet") for kind in _PROBES for one in ours]
    asked = [_asked(probe, ours) for probe in probes if probe]
    found = next((one for one in asked if one is not None), None)
    if given is not None:
        return ServerPort(number=given, https=found is not None and found.https)
    if found is not None:
        return found
    declared = [port for one in ours for port in one.get("ports") or []]
    http = [port for port in declared if "http" in str(port.get("name"))] or declared
    numbers = [port.get("containerPort") for port in http]
    return next((ServerPort(number=one) for one in numbers if isinstance(one, int)), None)


def _asked(probe: dict[str, Any], ours: list[dict[str, Any]]) -> ServerPort | None:
    https = str(probe.get("scheme", "")).upper() == "HTTPS"
    port = probe.get("port")
    if isinstance(port, int):
        return ServerPort(number=port, https=https)
    for one in ours:
        for declared in one.get("ports") or []:
            if declared.get("name") == port and isinstance(declared.get("containerPort"), int):
                return ServerPort(number=declared["containerPort"], https=https)
    return None
