"""
Everything that is looked at, and refused, before anything is changed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firstlight.core.errors import BadInput
from firstlight.core.objects import Object, uid
from firstlight.measure.pod.fields import is_leaving, is_over, is_ready, lost_readiness
from firstlight.measure.pod.intervention import Intervention, decided
from firstlight.measure.pod.order import PodOrder, Scenario
from firstlight.measure.pod.ports import Cluster
from firstlight.measure.pod.refusals import not_allowed
from firstlight.measure.pod.rights import Right, require
from firstlight.measure.pod.workload import Listing, Workload, only_pod


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What was found, and what will be done about it."""

    workload: Workload
    listing: Listing
    intervention: Intervention | None
    """None where a start is only waited for."""
    starting: tuple[Object, ...] = ()
    """Pods whose start is under way already."""

    @property
    def known(self) -> Iterable[str]:
        """Pods that were there before the start, by uid."""
        under_way = set(map(uid, self.starting))
        return [uid(pod) for pod in self.listing.pods if uid(pod) not in under_way]


def prepared(order: PodOrder, cluster: Cluster, say: Callable[[str], None]) -> Prepared:
    """
    Look, decide, and say what will be done.

    Raises:
        BadInput: it cannot be measured, or nobody said yes to it.
        OutsideFailed: something that it takes is not there, or not allowed.
    """
    workload = Workload(cluster, order.target)
    if order.scenario is None:
        listing = workload.pods()
        say(f"waits for the next start of {order.target}; changes nothing")
        return Prepared(
            workload=workload,
            listing=listing,
            intervention=None,
            starting=tuple(pod for pod in listing.pods if _is_starting(workload, pod)),
        )
    if order.begin is None:
        workload.refuse_unless_single()
    listing = workload.pods()
    pod = workload.next_pod(order.node) if order.begin else only_pod(workload, listing)
    nodes = _nodes(cluster) if order.scenario is Scenario.COLD else ()
    intervention = decided(
        order.scenario,
        pod=pod,
        namespace=order.target.namespace,
        nodes=nodes,
        deletes=order.begin is None,
    )
    if not order.confirmed:
        raise BadInput(
            f"a {order.scenario} start of {order.target} is going to {intervention}",
            remedy="say yes to that with --yes; the engine answers nobody meanwhile",
        )
    require(cluster, (*intervention.rights, *_rights_after(order)))
    if order.begin is None:
        # Whoever begins it otherwise says what is done, once for many starts.
        say(f"going to {intervention}")
    return Prepared(workload=workload, listing=listing, intervention=intervention)


def _rights_after(order: PodOrder) -> tuple[Right, ...]:
    """What one must be allowed once the pod is Ready: too late to learn that one is not."""
    if order.probe_from is None:
        return ()
    return (Right(verb="create", resource="pods/exec", namespace=order.target.namespace),)


def _nodes(cluster: Cluster) -> tuple[Object, ...]:
    answer = cluster.items(cluster.path("nodes"))
    if not isinstance(answer, dict):
        raise not_allowed(answer)
    return tuple(answer.get("items") or ())


def _is_starting(workload: Workload, pod: Object) -> bool:
    started = is_ready(pod) or lost_readiness(pod)
    return not (started or is_leaving(pod) or is_over(pod)) and workload.owns(pod)
