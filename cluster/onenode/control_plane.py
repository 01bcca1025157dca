"""
etcd and a real API server alone: on loopback, without root, in seconds.

A test can then write what a scheduler and a kubelet would write, and read it
back through the API server's own semantics: versions that expire, watches that
break, a server that goes away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onenode.assets import CONTROL_PLANE, CONTROLLERS, Assets
from onenode.clients import Client
from onenode.cluster import settled_default_account
from onenode.leftovers import sweep
from onenode.own_cluster import OwnCluster, entered
from onenode.servers import Reach, Servers


@dataclass(slots=True, kw_only=True)
class ControlPlane(OwnCluster):
    """etcd and an API server on loopback; no node, no root."""

    @classmethod
    def up(
        cls,
        state: Path,
        *,
        assets: Assets,
        api_server_flags: Sequence[str] = (),
        etcd_flags: Sequence[str] = (),
        controllers: bool = False,
        owned: bool = True,
    ) -> "ControlPlane":
        """Start one whose files lie in `state`, an empty folder or one to be made."""
        assets.require(*CONTROL_PLANE, *(CONTROLLERS if controllers else ()))
        sweep()
        state = state.absolute()
        entry = entered(state, kind="control-plane", owned=owned)
        servers = Servers(
            state=state,
            assets=assets,
            reach=Reach.on_loopback(),
            processes=entry.processes,
            api_server_flags=tuple(api_server_flags),
            etcd_flags=tuple(etcd_flags),
            controllers=controllers,
        )
        made = cls(
            kubeconfig=servers.kubeconfig,
            kubectl=Client(kubeconfig=servers.kubeconfig, binary=assets.bin / "kubectl"),
            users=state / "users",
            has_controllers=controllers,
            servers=servers,
            entry=entry,
        )
        try:
            servers.up()
            if controllers:
                settled_default_account(made.kubectl)
        except BaseException:
            made.down()
            raise
        return made
