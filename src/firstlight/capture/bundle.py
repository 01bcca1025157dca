"""
What lies where in a bundle.

    bundle.json              what was captured, when, what is missing and what was removed
    pods.json                raw objects, as `kubectl get -o json` prints lists
    events.json              of the API that counts (core/v1)
    events.v1.json           of the API with microseconds (events.k8s.io)
    nodes.json  nodeclaims.json  replicasets.json
    deployment.json          or statefulset.json
    logs/POD/CONTAINER.log   each line with the runtime's stamp in front
    logs/POD/CONTAINER.previous.log

A list that may not be read is not there; one that is empty is there and empty.
"""

from collections.abc import Iterable

from firstlight.core.objects import Object


def as_list(objects: Iterable[Object]) -> Object:
    """Objects as kubectl prints several."""
    return {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": list(objects)}


def default_name(target_name: str, captured_at: str) -> str:
    """`bundle-NAME-YYYYmmdd-HHMMSS`, in UTC, from an RFC 3339 stamp."""
    digits = "".join(character for character in captured_at if character.isdigit())
    return f"bundle-{target_name}-{digits[:8]}-{digits[8:14]}"
