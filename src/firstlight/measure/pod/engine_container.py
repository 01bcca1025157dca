"""
The containers of a pod as the API gives it, and which of them is the engine's.
"""

from typing import Any

from firstlight.core.objects import Object, spec
from firstlight.readers.kube import engine_container as rule
from firstlight.readers.kube.pods import read_pod
from firstlight.readers.kube.stamps import Origin


def containers(pod: Object) -> list[dict[str, Any]]:
    """Those that run together; what runs before them is no engine."""
    return spec(pod).get("containers") or []


def engine_container(pod: Object) -> str | None:
    """The name of the container that the engine runs in; None where there is none at all."""
    found = rule.engine_container(read_pod(pod, Origin(artefact="the cluster", thing="Pod")))
    return found.name if found else None
