"""
A whole Kubernetes of one node, in namespaces of its own.

etcd, API server, controller manager, scheduler, registry, containerd and a
kubelet, all real. They see a network with no way out and mounts of their own,
so a node leaves the machine's interfaces, settings and folders as they are, and
two nodes side by side do not know of each other.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onenode import cgroups
from onenode.assets import CONTROL_PLANE, NODE, Assets
from onenode.clients import Client
from onenode.cluster import settled_default_account
from onenode.containerd import Containerd
from onenode.failures import ClusterFailed
from onenode.images import Image
from onenode.kubelet import Kubelet
from onenode.leftovers import sweep, take_down
from onenode.network import TOOLS, Network
from onenode.own_cluster import OwnCluster, entered
from onenode.patience import require
from onenode.register import Entry
from onenode.registry import Registry
from onenode.servers import Reach, Servers
from onenode.tools import require_tools

NAME = "node-1"
READY_S = 120.0


@dataclass(slots=True, kw_only=True)
class OneNode(OwnCluster):
    """A cluster with one real node; needs root."""

    network: Network
    registry: Registry
    containerd: Containerd
    kubelet: Kubelet
    name: str

    @classmethod
    def up(
        cls,
        state: Path,
        *,
        assets: Assets,
        name: str = NAME,
        labels: Mapping[str, str] | None = None,
        kubelet: bool = True,
        api_server_flags: Sequence[str] = (),
        etcd_flags: Sequence[str] = (),
        owned: bool = True,
    ) -> "OneNode":
        """
        Bring one up whose files lie in `state`, and wait until the node is Ready.

        Without `kubelet` there is no node until `start_kubelet`. An `owned`
        node is taken down by the next start when this process is killed.
        """
        if os.geteuid() != 0:
            raise ClusterFailed(
                "a node makes namespaces and mounts, and this user may not",
                remedy="run this as root, or use the control plane alone",
            )
        assets.require(*CONTROL_PLANE, *NODE)
        require_tools(TOOLS)
        sweep()
        state = _usable(state.absolute())
        entry = entered(state, kind="node", owned=owned)
        try:
            made = cls._assemble(entry, assets, name, api_server_flags, etcd_flags)
            made.servers.up()
            made.containerd.start()
            if kubelet:
                made.start_kubelet(labels=labels)
            else:
                settled_default_account(made.kubectl)
        except BaseException:
            take_down(entry)
            raise
        return made

    @classmethod
    def _assemble(
        cls,
        entry: Entry,
        assets: Assets,
        name: str,
        api_server_flags: Sequence[str],
        etcd_flags: Sequence[str],
    ) -> "OneNode":
        """Make the namespaces, and say what will run in them."""
        state, processes = entry.state, entry.processes
        cgroups.make(entry.id)
        network = Network.make(entry.id, state=state, processes=processes, visible=[assets.prefix])
        servers = Servers(
            state=state,
            assets=assets,
            reach=Reach(
                address=network.node_address, api_port=6443, etcd_port=2379, etcd_peer_port=2380
            ),
            processes=processes,
            enter=network.enter,
            api_server_flags=tuple(api_server_flags),
            etcd_flags=tuple(etcd_flags),
            controllers=True,
        )
        registry = Registry(address=network.node_address, folder=state / "registry")
        registry.start(assets=assets, processes=processes, enter=network.enter)
        containerd = Containerd(
            state=state, assets=assets, processes=processes, enter=network.enter
        )
        kubelet = Kubelet(
            state=state,
            assets=assets,
            pki=servers.pki,
            processes=processes,
            enter=network.enter,
            short_id=entry.id,
            server=servers.reach.server,
            address=network.node_address,
            runtime=containerd.socket,
        )
        return cls(
            kubeconfig=servers.kubeconfig,
            kubectl=Client(kubeconfig=servers.kubeconfig, binary=assets.bin / "kubectl"),
            users=state / "users",
            servers=servers,
            entry=entry,
            network=network,
            registry=registry,
            containerd=containerd,
            kubelet=kubelet,
            name=name,
        )

    @property
    def containerd_log(self) -> Path:
        """Where containerd says when each pull began and ended."""
        return self.entry.processes.log("containerd")

    @property
    def kubelet_log(self) -> Path:
        """What the kubelets of this node said, one after another."""
        return self.entry.processes.log("kubelet")

    def push(self, image: Image, reference: str) -> str:
        """Put an image into the registry, past the node; gives the reference."""
        self.registry.push(image, reference)
        return reference

    def push_prepared(self, name: str, reference: str | None = None) -> str:
        """Push `small` or `engine-base`; gives `localhost:5000/NAME:1` or what was asked for."""
        image = Image.load(self.servers.assets.images / name)
        return self.push(image, reference or f"localhost:5000/{name}:1")

    def forget_image(self, reference: str) -> None:
        """Make the next pull of this image a real one."""
        self.containerd.forget(reference)

    def start_kubelet(
        self,
        name: str | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        taints: Sequence[str] = (),
        wait: bool = True,
    ) -> None:
        """Let the node join, under another name if one is given; waits until it is Ready."""
        self.name = name or self.name
        self.kubelet.start(self.name, labels=labels or {}, taints=taints)
        if wait:
            self.wait_ready()

    def wait_ready(self, timeout_s: float = READY_S) -> None:
        """Wait until the node says Ready, and pods may be made."""
        log = self.kubelet_log
        require(self._is_ready, f"{self.name} was not Ready", timeout_s=timeout_s, log=log)
        settled_default_account(self.kubectl)

    def stop_kubelet(self, *, remove: bool = False) -> None:
        """End the kubelet; with `remove` the node object goes too, and its pods with it."""
        self.kubelet.stop()
        if remove:
            self.kubectl("delete", "node", self.name, "--ignore-not-found")

    def inside(self, *command: str | Path) -> list[str]:
        """Give the command line that runs a command in the node's network and mounts."""
        return [*self.network.enter, *map(str, command)]

    def _is_ready(self) -> bool:
        path = "jsonpath={.status.conditions[?(@.type=='Ready')].status}"
        return self.kubectl.run("get", "node", self.name, "-o", path).stdout == "True"


def _usable(state: Path) -> Path:
    for hidden in ("/var", "/run", "/sys", "/proc"):
        if state.is_relative_to(hidden):
            raise ClusterFailed(
                f"{state} lies below {hidden}, which a node has of its own",
                remedy="choose another folder, for example below /tmp",
            )
    return state
