"""
The workload that is named, and its one pod.

A start is measured of one pod that something makes again: a deployment's, through its
ReplicaSets, or a statefulset's. Owners are known by uid, because a name says nothing about
who made a thing; a ReplicaSet that appears in the middle is looked up when its pod does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.objects import Object, controller, metadata, name, spec, uid
from firstlight.core.workloads import Target, selector_text
from firstlight.measure.pod.fields import is_leaving, is_over, is_ready, troubles, unscheduled_words
from firstlight.measure.pod.ports import Cluster
from firstlight.measure.pod.refusals import not_allowed

_ABSENT = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The pods of a workload at one version of the list, so that a watch can go on from it."""

    path: str
    params: dict[str, str]
    version: str
    pods: tuple[Object, ...]
    """All that the selector matches, also those of somebody else."""


class Workload:
    """What makes the pods; or one pod by name, which nothing is known to make again."""

    def __init__(self, cluster: Cluster, target: Target) -> None:
        self.target = target
        self._cluster = cluster
        self._object = self._found() if target.kind != "pod" else None
        self._owners: dict[str, bool] = {uid(self._object): True} if self._object else {}

    def next_pod(self, node: str | None) -> Object:
        """A pod as the workload's template has it, on a node or on none."""
        template = spec(self._object or {}).get("template") or {}
        placed = {"nodeName": node} if node is not None else {}
        return {"metadata": metadata(template), "spec": {**spec(template), **placed}}

    def pods(self) -> Listing:
        """
        Raises:
            OutsideFailed: one may not list pods.
        """
        path = self._cluster.path("pods", namespace=self.target.namespace)
        params = self._params()
        answer = self._cluster.items(path, params)
        if not isinstance(answer, dict):
            raise not_allowed(answer)
        return Listing(
            path=path,
            params=params,
            version=str(metadata(answer).get("resourceVersion")),
            pods=tuple(answer.get("items") or ()),
        )

    def owns(self, pod: Object) -> bool:
        """
        Whether a pod is of this workload.

        Raises:
            OutsideFailed: its ReplicaSet cannot be asked.
        """
        if self._object is None:
            return name(pod) == self.target.name
        owner = controller(pod)
        if owner is None:
            return False
        key = str(owner.get("uid"))
        if key not in self._owners:
            self._owners[key] = self._is_between(owner)
        return self._owners[key]

    def living(self, pods: Sequence[Object]) -> list[Object]:
        """Those of the workload that neither ended nor were told to."""
        return [one for one in pods if self.owns(one) and not is_over(one) and not is_leaving(one)]

    def refuse_unless_single(self) -> None:
        """
        Raises:
            BadInput: it is to have none, or several: then one start is not the start.
        """
        wanted = spec(self._object or {}).get("replicas", 1)
        if wanted == 1:
            return
        if wanted == 0:
            raise BadInput(
                f"{self.target} is scaled to 0, so there is no pod to start again",
                remedy=f"scale it up (`kubectl scale {self.target} --replicas=1`), or wait for "
                f"somebody to: `firstlight measure {self.target} --follow`",
            )
        raise BadInput(
            f"{self.target} has {wanted} replicas: deleting one would measure a start beside "
            "engines that serve",
            remedy="scale it to 1 for the measurement, or wait for a start with --follow",
        )

    def _found(self) -> Object:
        target = self.target
        where = self._cluster.path(target.resource, namespace=target.namespace, name=target.name)
        answer = self._cluster.get(where)
        if isinstance(answer, dict):
            return answer
        if answer.status != _ABSENT:
            raise not_allowed(answer)
        raise BadInput(
            f"there is no {target} in namespace {target.namespace}",
            remedy=f"see `kubectl get {target.resource} --all-namespaces`, and give the namespace "
            "with -n",
        )

    def _params(self) -> dict[str, str]:
        if self._object is None:
            return {"fieldSelector": f"metadata.name={self.target.name}"}
        return {"labelSelector": selector_text(spec(self._object).get("selector") or {})}

    def _is_between(self, owner: dict[str, Any]) -> bool:
        """Whether an owner of pods is a ReplicaSet of the deployment."""
        if self.target.kind != "deployment" or owner.get("kind") != "ReplicaSet":
            return False
        where = self._cluster.path(
            "replicasets", namespace=self.target.namespace, name=str(owner.get("name"))
        )
        answer = self._cluster.get(where)
        if isinstance(answer, dict):
            above = controller(answer)
            return (
                uid(answer) == owner.get("uid")
                and above is not None
                and (above.get("uid") == uid(self._object or {}))
            )
        if answer.status == _ABSENT:
            return False
        raise not_allowed(answer)


def only_pod(workload: Workload, listing: Listing) -> Object:
    """
    The pod that will be deleted.

    Raises:
        OutsideFailed: there is none, there are several, or it is not Ready.
    """
    target = workload.target
    living = workload.living(listing.pods)
    if not living:
        leaving = [name(one) for one in listing.pods if workload.owns(one)]
        told = f" ({', '.join(leaving)} is on its way out)" if leaving else ""
        raise OutsideFailed(
            f"{target} has no pod now{told}",
            remedy=f"see `kubectl describe {target}`; to measure the start that is coming, "
            f"use `firstlight measure {target} --follow`",
        )
    if len(living) > 1:
        names = ", ".join(sorted(name(one) for one in living))
        raise OutsideFailed(
            f"{target} has {len(living)} pods now ({names}): a rollout is under way",
            remedy=f"wait for it (`kubectl rollout status {target}`) and measure again",
        )
    (pod,) = living
    if not is_ready(pod):
        why = "; ".join(troubles(pod)) or unscheduled_words(pod) or "its start is under way"
        raise OutsideFailed(
            f"{name(pod)} of {target} is not Ready yet: {why}",
            remedy="wait until it is and measure again, or measure this start as far as it can "
            f"still be seen with `firstlight measure {target} --follow`",
        )
    return pod
