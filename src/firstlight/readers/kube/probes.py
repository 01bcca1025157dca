"""
Startup, readiness and liveness probes.

A saved object of a live cluster has every field; a manifest has those that somebody
wrote, and the API server fills in the rest, also where a zero was written. The port
may be the name of a port of the container.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.readers.kube.fields import mapping, mappings, natural, text, whole
from firstlight.readers.kube.model import Probe


def read_probe(container: Mapping[str, Any], key: str) -> Probe | None:
    """The probe under this key of a container; None where there is none."""
    probe = mapping(container.get(key))
    if not probe:
        return None
    return Probe(
        what=_what(probe, container),
        initial_delay_s=natural(probe.get("initialDelaySeconds")) or 0,
        period_s=natural(probe.get("periodSeconds")) or 10,
        failure_threshold=natural(probe.get("failureThreshold")) or 3,
    )


def _what(probe: Mapping[str, Any], container: Mapping[str, Any]) -> str:
    if "httpGet" in probe:
        asked = mapping(probe["httpGet"])
        path = text(asked.get("path"))
        slash = "" if path.startswith("/") else "/"
        return f"GET :{_port(asked, container)}{slash}{path}"
    if "tcpSocket" in probe:
        return f"tcp :{_port(mapping(probe['tcpSocket']), container)}"
    if "grpc" in probe:
        return f"grpc :{_port(mapping(probe['grpc']), container)}"
    return "exec" if "exec" in probe else ""


def _port(asked: Mapping[str, Any], container: Mapping[str, Any]) -> str:
    """The port's number; as written where its name is not among the container's ports."""
    number, name = whole(asked.get("port")), text(asked.get("port"))
    if number is not None:
        return str(number)
    for port in mappings(container.get("ports")):
        number = whole(port.get("containerPort"))
        if name and text(port.get("name")) == name and number is not None:
            return str(number)
    return name
