"""What makes pods: a Deployment, the ReplicaSet under it, and their kin."""

from collections.abc import Mapping
from typing import Any

from firstlight.readers.kube.fields import natural, text, within
from firstlight.readers.kube.metadata import created_of, name_of, namespace_of, owner_of
from firstlight.readers.kube.model import Workload
from firstlight.readers.kube.stamps import Origin


def read_workload(obj: Mapping[str, Any], origin: Origin, kind: str) -> Workload:
    """How many pods it wants, and how it replaces them."""
    strategy = within(obj, "spec", "strategy", "type")
    return Workload(
        artefact=origin.artefact,
        kind=kind,
        name=name_of(obj),
        namespace=namespace_of(obj),
        created=created_of(obj, origin),
        replicas=natural(within(obj, "spec", "replicas")),
        strategy=text(strategy) or text(within(obj, "spec", "updateStrategy", "type")),
        owner=owner_of(obj),
    )
