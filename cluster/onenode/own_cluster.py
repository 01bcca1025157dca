"""
A cluster of our own: entered in the register before it starts, taken down with its block.

Whoever brought it up may end its API server and start it again; nobody else's cluster is
treated like that.
"""

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from onenode.cluster import Cluster, wipe
from onenode.failures import ClusterFailed
from onenode.leftovers import take_down
from onenode.register import Entry
from onenode.servers import Servers


@dataclass(slots=True, kw_only=True)
class OwnCluster(Cluster):
    """What a control plane alone and a whole node have in common."""

    servers: Servers
    entry: Entry

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
        """End everything and leave nothing but the logs."""
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


def entered(state: Path, *, kind: str, owned: bool) -> Entry:
    """Enter a cluster whose files will lie in `state`, and make room for them."""
    if Entry.of(state) is not None:
        raise ClusterFailed(f"a cluster in {state} is up already", remedy="take it down first")
    wipe(state)
    return Entry.make(state, kind=kind, owned=owned)
