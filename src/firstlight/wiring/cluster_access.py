"""
Which cluster a command speaks to, in the words that kubectl has for it.
"""

from dataclasses import dataclass

from firstlight.edges.kube.api import KubeApi


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """kubectl's options; None for what kubectl would take."""

    kubeconfig: str | None = None
    context: str | None = None
    namespace: str | None = None

    def open(self) -> KubeApi:
        """
        A client of that cluster; nothing is asked of it yet.

        Raises:
            BadInput: no such context, an unreadable kubeconfig, or the extra is missing.
            OutsideFailed: nothing says where a cluster is.
        """
        return KubeApi.open(
            kubeconfig=self.kubeconfig, context=self.context, namespace=self.namespace
        )
