"""
A live workload and what it leans on, as a set of objects.

Read once and not changed. Rights end where they end: the workload itself must be readable;
a volume or a NodePool that may not be read is said in a note, and what would change in it is
then refused by whoever needs it.
"""

from dataclasses import dataclass, field

from firstlight.core.errors import BadInput, NothingFound, OutsideFailed
from firstlight.core.workloads import Target, parsed_target
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.manifests.karpenter_references import class_of
from firstlight.manifests.live import as_written
from firstlight.manifests.live_references import claims_of, node_pools_of, volume_of
from firstlight.manifests.objects import Manifest, ObjectSet, Value
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.given import Given

_RESOURCES = {
    "deployment": "deployments",
    "statefulset": "statefulsets",
    "daemonset": "daemonsets.apps",
    "job": "jobs.batch",
    "cronjob": "cronjobs.batch",
}
_MADE_ANEW = "the pods of a Job cannot be changed: delete it, then apply the objects"


def live_objects(target: str, *, access: ClusterAccess) -> Given:
    """
    The objects of a workload, as somebody could have written them.

    Raises:
        BadInput: the target is no workload that can be changed.
        NothingFound: there is none of that name.
        OutsideFailed: the cluster cannot be reached, or the workload not be read.
    """
    wanted = parsed_target(target)
    if wanted.kind not in _RESOURCES:
        raise BadInput(
            f"{wanted} cannot be changed: it is made from something else",
            remedy="name what makes it, such as deployment/NAME",
        )
    with access.open() as api:
        return _Reading(api=api).read(wanted)


@dataclass(slots=True, kw_only=True)
class _Reading:
    api: KubeApi
    found: list[Value] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, wanted: Target) -> Given:
        workload = self._workload(wanted)
        self.found.append(workload)
        if wanted.kind == "job":
            self.notes.append(_MADE_ANEW)
        for name in claims_of(workload):
            claim = self._optional("persistentvolumeclaims", name, namespaced=True)
            if claim is not None and (volume := volume_of(claim)):
                self._optional("persistentvolumes", volume)
        for name in node_pools_of(workload):
            pool = self._optional("nodepools.karpenter.sh", name)
            if pool is not None and (node_class := class_of(pool)):
                self._optional("ec2nodeclasses.karpenter.k8s.aws", node_class)
        manifests = tuple(Manifest(value=as_written(value)) for value in self.found)
        return Given(objects=ObjectSet(manifests=manifests), notes=tuple(self.notes))

    def _workload(self, wanted: Target) -> Value:
        namespace = self.api.namespace
        path = self.api.path(_RESOURCES[wanted.kind], namespace=namespace, name=wanted.name)
        answer = self.api.get(path)
        if not isinstance(answer, Refused):
            return answer
        if answer.absent:
            raise NothingFound(
                f"there is no {wanted} in namespace {namespace}",
                remedy="check the name, and say the namespace with -n",
            )
        raise OutsideFailed(
            f"{wanted} may not be read: {answer.words}",
            remedy=f"allow {answer.asked}, or give the manifests as a file",
        )

    def _optional(self, resource: str, name: str, *, namespaced: bool = False) -> Value | None:
        """An object that the workload names; None, with a note, where it cannot be had."""
        namespace = self.api.namespace if namespaced else None
        answer = self.api.get(self.api.path(resource, namespace=namespace, name=name))
        if not isinstance(answer, Refused):
            self.found.append(answer)
            return answer
        why = "is not there" if answer.absent else f"could not be read ({answer.words})"
        self.notes.append(f"{resource} {name} {why}, so it is not among the objects")
        return None
