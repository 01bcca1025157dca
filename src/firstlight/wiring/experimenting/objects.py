"""
The objects of a plan for a cluster: read from beside the plan, and kept beside its run.

A run is told and gone on with from its folder alone, so what was read lies there as it was
understood, as one list that kubectl takes too.
"""

import json
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.plan import Plan
from firstlight.experiment.plan_file import placed
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.own_yaml import OwnYaml
from firstlight.wiring.given_objects import given_objects


def objects_beside(plan: Plan, file: OwnYaml, folder: Path) -> ObjectSet | None:
    """
    The objects that a plan's base names; None for a plan of a process.

    Args:
        plan: the plan.
        file: its text, to name a line.
        folder: that it lies in.

    Raises:
        BadInput: they cannot be read.
        OutsideFailed: kustomize failed.
    """
    if plan.base.kubernetes is None:
        return None
    path = folder.absolute() / plan.base.kubernetes.objects
    if not path.exists():
        raise file.refusal(
            "/base/kubernetes/objects",
            f"{path} does not exist",
            remedy="name a file or a folder of manifests, beside the plan",
        )
    try:
        return given_objects(str(path)).objects
    except BadInput as error:
        raise placed(file, "/base/kubernetes/objects", error) from error


def kept_objects(plan: Plan, run: RunFolder) -> ObjectSet | None:
    """
    The same from the folder of a run.

    Raises:
        BadInput: they cannot be read.
    """
    return None if plan.base.kubernetes is None else given_objects(str(run.objects)).objects


def as_kept(objects: ObjectSet | None) -> bytes | None:
    """Objects as they lie in the folder of a run; None for a plan of a process."""
    if objects is None:
        return None
    whole = {"apiVersion": "v1", "kind": "List", "items": [m.value for m in objects]}
    return (json.dumps(whole, indent=1) + "\n").encode()
