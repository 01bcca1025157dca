"""
etcd and a real API server alone: on loopback, without root, in seconds.

A test can then write what a scheduler and a kubelet would write, and read it
back through the API server's own semantics: versions that expire, watches that
break, a server that goes away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from onenode.assets import CONTROL_PLANE, CONTROLLERS, Assets
from onenode.clients import Client
from onenode.cluster import Cluster, wipe
from onenode.failures import ClusterFailed
from onenode.leftovers import sweep, take_down
from onenode.register import Entry
from onenode.servers import Reach, Servers


@dataclass(slots=True, kw_only=True)
class ControlPlane(Cluster):
    """etcd and an API server on loopback; no node, no root."""

    servers: Servers
    entry: Entry

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
        if Entry.of(state) is not None:
            raise ClusterFailed(f"a cluster in {state} is up already", remedy="take it down first")
        wipe(state)
        entry = Entry.make(state, kind="control-plane", owned=owned)
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
        except BaseException:
            made.down()
            raise
        return made

    def restart_api_server(self, *flags: str, kill: bool = False) -> None:
        """End the API server and start it again; flags given here come after the earlier ones."""
        self.servers.restart(*flags, kill=kill)

    def stop_api_server(self, *, kill: bool = False) -> None:
        """End the API server and leave it down."""
        self.servers.stop_api_server(kill=kill)

    def start_api_server(self) -> None:
        """Start the API server that was stopped."""
        self.servers.start_api_server()

    def down(self) -> None:
        """End everything; the logs stay."""
        take_down(self.entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()
