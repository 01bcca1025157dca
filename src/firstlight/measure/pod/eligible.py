"""
Which nodes could take a pod, judged from what both say.

A cold start wants a node that has never run this pod. Every node that the scheduler could
choose instead has to be closed, and no other: closing a node stops everybody's pods from
landing there. Where it cannot be told cheaply (how full a node is, what other pods repel),
the node counts as one that could. Taints that Kubernetes itself sets for a passing
condition may be gone in a minute, so they do not rule a node out.
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any

from firstlight.core.objects import Object, name, spec, status
from firstlight.measure.pod.fields import labels
from firstlight.readers.kube.label_selectors import fits
from firstlight.readers.kube.quantities import quantity
from firstlight.readers.kube.tolerations import KEEPS_AWAY, covers

_PASSING = "node.kubernetes.io/"


def could_take(node: Object, pod: Object) -> bool:
    """Whether the scheduler could bind this pod to this node, were there room."""
    return _selected(node, pod) and _tolerated(node, pod) and _large_enough(node, pod)


def is_closed(node: Object) -> bool:
    """Whether a node is cordoned."""
    return bool(spec(node).get("unschedulable"))


def _selected(node: Object, pod: Object) -> bool:
    wanted = spec(pod).get("nodeSelector") or {}
    if any(labels(node).get(key) != value for key, value in wanted.items()):
        return False
    affinity = (spec(pod).get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = required.get("nodeSelectorTerms")
    return not terms or any(_fits_term(node, term) for term in terms)


def _fits_term(node: Object, term: dict[str, Any]) -> bool:
    has = labels(node)
    by_label = [fits(e, has.get(str(e.get("key")))) for e in term.get("matchExpressions") or []]
    by_name = [fits(e, name(node)) for e in term.get("matchFields") or []]
    return False not in by_label + by_name


def _tolerated(node: Object, pod: Object) -> bool:
    tolerations = spec(pod).get("tolerations") or []
    return all(
        any(covers(one, taint) for one in tolerations)
        for taint in spec(node).get("taints") or []
        if taint.get("effect") in KEEPS_AWAY and not str(taint.get("key")).startswith(_PASSING)
    )


def _large_enough(node: Object, pod: Object) -> bool:
    has = status(node).get("allocatable")
    if not has:
        return True
    for resource, wanted in _requested(pod).items():
        there = quantity(has.get(resource, "0"))
        if there is not None and there < wanted:
            return False
    return True


def _requested(pod: Object) -> dict[str, Fraction]:
    """What the containers ask for together; a limit alone is a request too."""
    asked: defaultdict[str, Fraction] = defaultdict(Fraction)
    for container in spec(pod).get("containers") or []:
        resources = container.get("resources") or {}
        for key, text in {
            **(resources.get("limits") or {}),
            **(resources.get("requests") or {}),
        }.items():
            asked[key] += quantity(text) or 0
    return asked
