"""
The objects of a plan for a cluster: read from beside the plan, and kept beside its run.

A run is told and gone on with from its folder alone, so what was read lies there as it was
understood, as one list that kubectl takes too.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.edges.run_folder import RunFolder
from firstlight.edges.run_store import RoundFolder
from firstlight.experiment.plan import Plan, placed
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.own_yaml import OwnYaml
from firstlight.wiring.given_objects import given_objects

OBJECTS_FILE = "objects.json"
_UNFINISHED = f".{OBJECTS_FILE}.unfinished"


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
    try:
        return given_objects(str(folder / plan.base.kubernetes.objects)).objects
    except BadInput as error:
        raise placed(file, "/base/kubernetes/objects", error) from error


def kept_objects(plan: Plan, run: Path) -> ObjectSet | None:
    """
    The same from the folder of a run.

    Raises:
        BadInput: they cannot be read.
    """
    return None if plan.base.kubernetes is None else given_objects(str(run / OBJECTS_FILE)).objects


def keep_objects(run: RunFolder, objects: ObjectSet | None) -> None:
    """
    Put the objects beside what will come of them.

    Raises:
        OutsideFailed: they cannot be written.
    """
    if objects is not None:
        RoundFolder(run.path, index=0).write(OBJECTS_FILE, _as_list(objects))


def forget_objects(run: RunFolder, objects: ObjectSet | None) -> None:
    """Take away what a run that ended before its first line kept: these objects, or half of it."""
    if objects is None:
        return
    (run.path / _UNFINISHED).unlink(missing_ok=True)
    with suppress(OSError, ValueError):
        if json.loads((run.path / OBJECTS_FILE).read_bytes()) == _as_list(objects):
            (run.path / OBJECTS_FILE).unlink()


def _as_list(objects: ObjectSet) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": [m.value for m in objects]}
