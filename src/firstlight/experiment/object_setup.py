"""
How an engine is started at a step in a cluster: the objects, and which of them runs it.

A run replaces the pod of one Deployment again and again, so it must be one whose pod is the
only one: what has two replicas would serve from one while the other starts. Secrets are not
taken: the objects are kept in the run's folder and told in its report.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.core.workloads import parsed_target
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.manifests.workload import Workload, WorkloadUnclear, find_workload

_KIND = "Deployment"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSetup:
    """All objects of a step."""

    objects: ObjectSet
    target: Identity
    """The workload that runs the engine."""

    @property
    def workload(self) -> Workload:
        """The workload as it is at this step."""
        return find_workload(self.objects, self.target)

    @property
    def manifest(self) -> Manifest:
        """The object of the workload."""
        return self.workload.manifest

    @property
    def others(self) -> tuple[Manifest, ...]:
        """All objects but the workload, in their order."""
        return tuple(m for m in self.objects if m.identity != self.target)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of the engine's container that are written out."""
        entries = self.workload.container.get("env") or []
        return {str(e["name"]): str(e["value"]) for e in entries if e.get("value") is not None}

    @property
    def digested(self) -> dict[str, Any]:
        """What two runs of one plan have in common."""
        return {"objects": [m.value for m in self.objects], "workload": str(self.target)}


def object_setup(objects: ObjectSet, workload: str | None) -> ObjectSetup:
    """
    The base of a plan in a cluster.

    Args:
        objects: as they were given.
        workload: `deployment/NAME`; None where only one of them runs an engine.

    Raises:
        BadInput: there is no such workload, or none that a run can start again and again.
    """
    for manifest in objects:
        if kind_of(manifest.value) == "Secret":
            raise BadInput(
                f"{manifest.identity} is a secret ({manifest.place()}), and the objects of a plan "
                "are written into the run's folder",
                remedy="create it beforehand with kubectl, and leave it out here",
            )
    target = None
    if workload is not None:
        named = parsed_target(workload)
        target = Identity(kind=named.kind, name=named.name)
    try:
        found = find_workload(objects, target)
    except WorkloadUnclear as unclear:
        remedy = f"{unclear.says}: workload: {unclear.choice}"
        raise BadInput(unclear.message, remedy=remedy) from unclear
    _check(found)
    return ObjectSetup(objects=objects, target=found.manifest.identity)


def _check(found: Workload) -> None:
    manifest = found.manifest
    if manifest.identity.kind != _KIND:
        raise BadInput(
            f"{manifest.identity} ({manifest.place()}) is no Deployment, and only the pod of a "
            "Deployment is started anew for each round",
            remedy="run the engine by a Deployment for the experiment",
        )
    replicas = (manifest.value.get("spec") or {}).get("replicas", 1)
    if replicas not in (0, 1):
        raise BadInput(
            f"{manifest.identity} is to have {replicas} replicas "
            f"({manifest.place('/spec/replicas')}): one start beside engines that serve is not "
            "the start",
            remedy="give it 1 replica for the experiment",
        )
