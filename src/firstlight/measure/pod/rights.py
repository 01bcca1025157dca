"""
Asking beforehand whether what will be done may be done.

Nodes that are closed for a deletion that is then forbidden would have been closed for
nothing. The cluster answers this question for anybody; one that does not is taken to allow
it, and the act itself will tell.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.core.errors import OutsideFailed
from firstlight.measure.pod.ports import Cluster

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """A verb on a resource."""

    verb: str
    resource: str
    """`pods`, or with a part of it: `pods/exec`; with its group: `deployments.apps`."""
    namespace: str | None = None
    """None for what has no namespace."""

    def __str__(self) -> str:
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.verb} {self.resource}{where}"


def require(cluster: Cluster, rights: Iterable[Right]) -> None:
    """
    Raises:
        OutsideFailed: one of them is not given.
    """
    missing = [right for right in rights if _is_denied(cluster, right)]
    if missing:
        raise OutsideFailed(
            f"you may not {' nor '.join(map(str, missing))}, so nothing was changed",
            remedy="grant it; the roles in docs/rbac have all that measuring needs",
        )


def _is_denied(cluster: Cluster, right: Right) -> bool:
    whole, _, part = right.resource.partition("/")
    resource, _, group = whole.partition(".")
    attributes = {"verb": right.verb, "group": group, "resource": resource}
    if part:
        attributes["subresource"] = part
    if right.namespace:
        attributes["namespace"] = right.namespace
    answer = cluster.create(
        _REVIEWS,
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        },
    )
    return isinstance(answer, dict) and (answer.get("status") or {}).get("allowed") is False
