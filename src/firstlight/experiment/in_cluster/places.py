"""
Where an object of any kind lies on an API server, which the server itself says.
"""

from dataclasses import dataclass

from firstlight.core.errors import OutsideFailed
from firstlight.core.objects import Object, metadata, name
from firstlight.experiment.in_cluster.ports import Cluster

_ABSENT = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An object's list, and the object in it."""

    resource: str
    """As a right names it: `deployments.apps`."""
    namespace: str | None
    """None for what has none."""
    list: str
    """The path of its list."""
    path: str


class Places:
    """Asks once for each version of a group."""

    def __init__(self, cluster: Cluster, *, namespace: str) -> None:
        self._cluster = cluster
        self._namespace = namespace
        """Of what says none."""
        self._known: dict[str, dict[str, Object]] = {}

    def of(self, value: Object) -> Place:
        """
        Where an object lies.

        Raises:
            OutsideFailed: the cluster does not know such objects, or does not answer.
        """
        version, kind = str(value.get("apiVersion")), str(value.get("kind"))
        known = self._resources(version).get(kind)
        if known is None:
            raise OutsideFailed(
                f"the cluster knows no {kind} of {version}, which {kind}/{name(value)} is",
                remedy="install what brings it, or write the version that the cluster has "
                "(`kubectl api-resources`)",
            )
        group = version.partition("/")[0] if "/" in version else ""
        namespace = None
        root = f"/apis/{version}" if group else f"/api/{version}"
        if known.get("namespaced"):
            namespace = str(metadata(value).get("namespace") or self._namespace)
            root += f"/namespaces/{namespace}"
        plural = str(known["name"])
        return Place(
            resource=f"{plural}.{group}" if group else plural,
            namespace=namespace,
            list=f"{root}/{plural}",
            path=f"{root}/{plural}/{name(value)}",
        )

    def _resources(self, version: str) -> dict[str, Object]:
        if version not in self._known:
            root = f"/apis/{version}" if "/" in version else f"/api/{version}"
            answer = self._cluster.get(root)
            if isinstance(answer, dict):
                listed = answer.get("resources") or []
            elif answer.status == _ABSENT:
                listed = []
            else:
                raise OutsideFailed(
                    f"the cluster does not say what it has of {version}: {answer.words}",
                    remedy="`kubectl api-resources` must work with this context",
                )
            self._known[version] = {
                str(one.get("kind")): one for one in listed if "/" not in str(one.get("name"))
            }
        return self._known[version]
