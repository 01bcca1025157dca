"""
`set-probe`: what a probe of the engine's container asks.

The kubelet comes to the pod's own address, so a probe of an engine on loopback has to ask somebody
beside it. How long a start takes, and how much is put up with, whoever wrote the probe knew: only
what it asks is changed.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.manifests.draft import Draft
from firstlight.manifests.json_values import copied
from firstlight.readers.kube.fields import mapping
from firstlight.techniques.operations import SetProbe

_HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")


def set_probe(draft: Draft, operation: SetProbe) -> None:
    """Have the probe ask, unless there is none and none is to be made."""
    there = mapping(draft.container.get(operation.probe))
    if not there and operation.otherwise is None:
        return
    asks = asking(operation.path, operation.port)
    if is_asking(there, asks):
        return
    kept = {name: value for name, value in there.items() if name not in _HANDLERS}
    others = kept if there else copied(operation.otherwise)
    draft.container[operation.probe] = {"httpGet": asks, **others}


def asking(path: str, port: int | str) -> dict[str, Any]:
    """The field `httpGet` of a probe or a hook."""
    return {"path": path, "port": int(port)}


def is_asking(there: Mapping[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a probe or a hook asks just that; a server writes the scheme into it."""
    asked = mapping(there.get("httpGet"))
    return {"scheme": "HTTP", **asked} == {"scheme": "HTTP", **wanted}
