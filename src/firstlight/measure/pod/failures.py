"""
What to say when no pod became Ready: what was waited for last, and what helps.
"""

from firstlight.core.errors import EngineFailed, OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.measure.pod.fields import restarts, troubles, unscheduled_words, why_over
from firstlight.measure.pod.following import Followed
from firstlight.measure.pod.order import PodOrder, Scenario

_MORE = "allow more with --timeout"


def never_ready(order: PodOrder, one: Followed | None, *, waited_ns: int) -> OutsideFailed:
    """
    A start that did not come to its end.

    Args:
        order: what was asked for.
        one: the pod that was followed last; None where none was seen.
        waited_ns: how long.
    """
    within = f"within {waited_ns / NS_PER_S:.0f} s"
    target = order.target
    if one is None:
        return _no_pod(order, within)
    if one.has_failed:
        return EngineFailed(
            f"{one.name} ended and was not replaced: {why_over(one.pod)}",
            remedy=f"see `kubectl describe pod {one.name} -n {target.namespace}`, and the "
            "explanation of what there is of the start",
        )
    if one.over_ns is not None:
        return OutsideFailed(
            f"{one.name} was deleted {within}, and no other pod of {target} became Ready",
            remedy=f"see `kubectl describe {target} -n {target.namespace}`",
        )
    if one.node is None:
        return _no_node(order, one, within)
    said = "; ".join(troubles(one.pod)) or "it says nothing of a trouble"
    again = f", after {restarts(one.pod)} restarts" if restarts(one.pod) else ""
    return EngineFailed(
        f"{one.name} on {one.node} was not Ready {within}{again}: {said}",
        remedy=f"read what its start came to below, or {_MORE}",
    )


def _no_pod(order: PodOrder, within: str) -> OutsideFailed:
    target = order.target
    if order.scenario is None:
        return OutsideFailed(
            f"no start of {target} was seen {within}",
            remedy=f"{_MORE}, or cause one with --scenario warm or --scenario cold",
        )
    return OutsideFailed(
        f"{target} made no new pod {within}",
        remedy=f"see `kubectl describe {target} -n {target.namespace}`: a paused or failing "
        "rollout and a quota are the usual reasons",
    )


def _no_node(order: PodOrder, one: Followed, within: str) -> OutsideFailed:
    why = unscheduled_words(one.pod) or "the scheduler said nothing"
    if order.scenario is Scenario.COLD:
        return OutsideFailed(
            f"{one.name} got no node {within}, pending because: {why}",
            remedy="a cold start needs an autoscaler that adds a node (Karpenter, Cluster "
            f"Autoscaler), or another node that can take the pod; {_MORE} where one is slow",
        )
    return OutsideFailed(
        f"{one.name} got no node {within}, pending because: {why}",
        remedy=f"see what its words name; {_MORE} where the old pod is slow to end",
    )
