"""
Where resources lie on an API server.

Core resources and those of `apps` have had one version for years. Other groups come
and go with the cluster's age and its add-ons: which version of them is served is
asked once.
"""

from collections.abc import Mapping

CORE = frozenset({"pods", "nodes", "events", "namespaces"})
APPS = frozenset({"deployments", "replicasets", "statefulsets"})
VERSION_BY_DEFAULT = "v1"


def group_of(resource: str) -> str:
    """The group whose version has to be asked for; empty for those that are known."""
    plural, _, group = resource.partition(".")
    return "" if plural in CORE | APPS and not group else group


def path_of(
    resource: str,
    *,
    namespace: str | None = None,
    name: str | None = None,
    part: str | None = None,
    versions: Mapping[str, str] | None = None,
) -> str:
    """
    A path from the server's root on.

    Args:
        resource: `pods`, `deployments`, `nodeclaims.karpenter.sh`.
        namespace: None for what has none, or for all namespaces.
        name: None for the list.
        part: a subresource, such as `log`.
        versions: what is served of the groups that were asked for.
    """
    plural, _, group = resource.partition(".")
    if not group and plural in APPS:
        group = "apps"
    version = (versions or {}).get(group, VERSION_BY_DEFAULT)
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    parts = [root]
    if namespace is not None:
        parts.append(f"namespaces/{namespace}")
    parts.append(plural)
    parts.extend(p for p in (name, part) if p)
    return "/".join(parts)
