"""What makes pods: a Deployment, the ReplicaSet under it, and their kin."""

from collections.abc import Mapping
from typing import Any

from firstlight.readers.kube.metadata import created_of, name_of, namespace_of
from firstlight.readers.kube.model import Workload
from firstlight.readers.kube.stamps import Origin


def read_workload(obj: Mapping[str, Any], origin: Origin, kind: str) -> Workload:
    """That there is one, and since when."""
    return Workload(
        artefact=origin.artefact,
        kind=kind,
        name=name_of(obj),
        namespace=namespace_of(obj),
        created=created_of(obj, origin),
    )
