"""
What a target's name means in a cluster, and its pods, with as few rights as possible.

A Deployment owns ReplicaSets and these own pods; ownership is a uid, and a label selector
may match strangers. Where the ReplicaSets may not be read, the selector has to do.
"""

from dataclasses import dataclass, field
from difflib import get_close_matches

from firstlight.capture.ports import Cluster, Refusal
from firstlight.capture.rights import FORBIDDEN, NOT_FOUND, NotAllowed, not_allowed
from firstlight.core.errors import BadInput, NothingFound, OutsideFailed
from firstlight.core.objects import Object, metadata, name, owner_uids, owners, spec, uid
from firstlight.core.workloads import Target, selector_text

_NEAR = 3


@dataclass(slots=True, kw_only=True)
class Workload:
    """A target, what owns it or is owned by it, and its pods."""

    pods: list[Object] = field(default_factory=list)
    replica_sets: list[Object] = field(default_factory=list)
    top: Object | None = None
    """The Deployment or StatefulSet; None where there is none, or it may not be read."""
    refused: list[NotAllowed] = field(default_factory=list)


def found(cluster: Cluster, target: Target) -> Workload:
    """
    The target with its pods.

    Raises:
        BadInput: there is no such object, or no such namespace; near ones are named.
        OutsideFailed: it may not be read.
        NothingFound: it has no pod.
    """
    path = cluster.path(target.resource, namespace=cluster.namespace, name=target.name)
    answer = cluster.get(path)
    if not isinstance(answer, dict):
        raise _no_target(cluster, target, answer)
    whole = Workload()
    match target.kind:
        case "pod":
            whole.pods = [answer]
            _add_owners(cluster, whole, answer)
        case "replicaset":
            whole.replica_sets = [answer]
            _add_owners(cluster, whole, answer)
            whole.pods = _pods(cluster, answer, {uid(answer)})
        case "statefulset":
            whole.top = answer
            whole.pods = _pods(cluster, answer, {uid(answer)})
        case _:
            whole.top = answer
            whole.replica_sets = _replica_sets(cluster, whole, answer)
            whole.pods = _pods(cluster, answer, {uid(one) for one in whole.replica_sets} or None)
    if not whole.pods:
        raise NothingFound(
            f"{target} in namespace {cluster.namespace} has no pod",
            remedy=_why_no_pod(target, answer),
        )
    return whole


def _pods(cluster: Cluster, owner: Object, uids: set[str] | None) -> list[Object]:
    """The pods of these owners; those of the selector where the owners are unknown."""
    selector = selector_text(spec(owner).get("selector") or {})
    answer = cluster.items(
        cluster.path("pods", namespace=cluster.namespace), {"labelSelector": selector}
    )
    if not isinstance(answer, dict):
        raise OutsideFailed(
            f"the pods of namespace {cluster.namespace} may not be read: {answer.words}",
            remedy=f"ask for {not_allowed(answer).allow}",
        )
    items: list[Object] = answer["items"]
    return [pod for pod in items if uids is None or uids & owner_uids(pod)]


def _replica_sets(cluster: Cluster, whole: Workload, deployment: Object) -> list[Object]:
    selector = selector_text(spec(deployment).get("selector") or {})
    answer = cluster.items(
        cluster.path("replicasets", namespace=cluster.namespace), {"labelSelector": selector}
    )
    if not isinstance(answer, dict):
        whole.refused.append(not_allowed(answer))
        return []
    return [one for one in answer["items"] if uid(deployment) in owner_uids(one)]


def _add_owners(cluster: Cluster, whole: Workload, object_: Object) -> None:
    """Who owns a pod or a ReplicaSet, up to the top."""
    for owner in owners(object_):
        resource = f"{str(owner.get('kind', '')).lower()}s"
        if resource not in {"replicasets", "deployments", "statefulsets"}:
            continue
        path = cluster.path(resource, namespace=cluster.namespace, name=owner.get("name"))
        answer = cluster.get(path)
        if not isinstance(answer, dict):
            if answer.status == FORBIDDEN:
                whole.refused.append(not_allowed(answer))
        elif resource == "replicasets":
            whole.replica_sets.append(answer)
            _add_owners(cluster, whole, answer)
        else:
            whole.top = answer


def _no_target(cluster: Cluster, target: Target, refusal: Refusal) -> BadInput | OutsideFailed:
    where = f"in namespace {cluster.namespace} (context {cluster.context})"
    if refusal.status == FORBIDDEN:
        return OutsideFailed(
            f"{target} {where} may not be read: {refusal.words}",
            remedy=f"ask for {not_allowed(refusal).allow}, "
            "or give another --namespace or --context",
        )
    if refusal.status != NOT_FOUND:
        return OutsideFailed(
            f"{target} {where} cannot be read: {refusal.words}",
            remedy="see whether `kubectl get` can",
        )
    missing = _missing_namespace(cluster)
    if missing is not None:
        return missing
    here = _names(cluster, target, namespace=cluster.namespace)
    elsewhere = _namespaces_with(cluster, target)
    if elsewhere:
        hint = f"it is in namespace {', '.join(elsewhere[:_NEAR])}: give that as --namespace"
    elif near := get_close_matches(target.name, here, n=_NEAR, cutoff=0.5):
        hint = f"did you mean {', '.join(f'{target.kind}/{one}' for one in near)}?"
    elif here:
        hint = f"there are {', '.join(sorted(here)[:_NEAR])}"
    else:
        hint = f"there is no {target.kind} at all; check --namespace and --context"
    return BadInput(f"there is no {target} {where}", remedy=hint)


def _missing_namespace(cluster: Cluster) -> BadInput | None:
    answer = cluster.get(cluster.path("namespaces", name=cluster.namespace))
    if isinstance(answer, dict) or answer.status != NOT_FOUND:
        return None
    all_ = cluster.items(cluster.path("namespaces"))
    names = [name(one) for one in all_["items"]] if isinstance(all_, dict) else []
    near = get_close_matches(cluster.namespace, names, n=_NEAR, cutoff=0.5)
    return BadInput(
        f"there is no namespace {cluster.namespace} (context {cluster.context})",
        remedy=f"did you mean {', '.join(near)}?" if near else "check --namespace and --context",
    )


def _names(cluster: Cluster, target: Target, *, namespace: str) -> list[str]:
    answer = cluster.items(cluster.path(target.resource, namespace=namespace))
    return [name(one) for one in answer["items"]] if isinstance(answer, dict) else []


def _namespaces_with(cluster: Cluster, target: Target) -> list[str]:
    answer = cluster.items(
        cluster.path(target.resource), {"fieldSelector": f"metadata.name={target.name}"}
    )
    if not isinstance(answer, dict):
        return []
    return sorted(str(metadata(one).get("namespace", "")) for one in answer["items"])


def _why_no_pod(target: Target, object_: Object) -> str:
    replicas = spec(object_).get("replicas")
    if replicas == 0:
        return f"it is scaled to 0: `kubectl scale {target} --replicas 1`, then capture"
    return f"see why with `kubectl describe {target}`, or capture once there is one"
