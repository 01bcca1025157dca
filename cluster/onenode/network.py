"""
A network and a mount namespace of one's own, and the wire into it.

One process holds both namespaces: while it lives they exist, and when it ends
the kernel takes the mounts, the addresses and the wire away. The wire is a pair
of virtual interfaces with an address each. Inside there is no route but to the
other end of it, so nothing that runs in there reaches anything else.
"""

import ipaddress
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onenode.failures import ClusterFailed
from onenode.leftovers import HOLDER
from onenode.patience import require
from onenode.processes import Process, Processes

SCRIPT = Path(__file__).with_name("holder.sh")
# Wires are made here, four addresses each; 10.211 is left alone.
WIRES = ipaddress.IPv4Network("10.212.0.0/14")
WIRE_BITS = 30
TOOLS = {"ip": "iproute2", "nsenter": "util-linux", "unshare": "util-linux", "openssl": "openssl"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """One pair of namespaces, and the wire between it and the machine."""

    short_id: str
    holder: Process
    machine_address: str
    node_address: str

    @property
    def enter(self) -> tuple[str, ...]:
        """Run a command in both namespaces: put this before it."""
        folder = f"/proc/{self.holder.pid}/ns"
        return ("nsenter", f"--net={folder}/net", f"--mount={folder}/mnt", "--")

    @classmethod
    def make(
        cls, short_id: str, *, state: Path, processes: Processes, visible: Sequence[Path]
    ) -> "Network":
        """Make the namespaces; `visible` folders are seen inside although they lie below /var."""
        own = state / "own"
        own.mkdir(parents=True, exist_ok=True)
        ready = own / "ready"
        holder = processes.start(
            HOLDER,
            ["unshare", "--net", "--mount", "--propagation", "private", "--", "sh", SCRIPT],
            {"STATE": str(state), "VISIBLE": "\n".join(map(str, visible)), "READY": str(ready)},
        )
        log = processes.log(HOLDER)
        require(ready.exists, "the node's namespaces were not made", timeout_s=20, log=log)
        machine, node = free_wire(short_id, _taken())
        network = cls(short_id=short_id, holder=holder, machine_address=machine, node_address=node)
        outer, inner = f"fl{short_id}", f"fl{short_id}n"
        _ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", str(holder.pid))
        _ip("addr", "add", f"{machine}/{WIRE_BITS}", "dev", outer)
        _ip("link", "set", outer, "up")
        inside = network.enter
        _ip("link", "set", "lo", "up", enter=inside)
        _ip("addr", "add", f"{node}/{WIRE_BITS}", "dev", inner, enter=inside)
        _ip("link", "set", inner, "up", enter=inside)
        return network


def free_wire(short_id: str, taken: Sequence[ipaddress.IPv4Network]) -> tuple[str, str]:
    """Choose two addresses, the machine's and the node's, that are near none of those taken."""
    count = 2 ** (WIRE_BITS - WIRES.prefixlen)
    first = int(short_id, 16) % count
    for step in range(count):
        offset = ((first + step) % count) * 2 ** (32 - WIRE_BITS)
        wire = ipaddress.IPv4Network((int(WIRES.network_address) + offset, WIRE_BITS))
        if not any(wire.overlaps(other) for other in taken):
            machine, node = wire.hosts()
            return str(machine), str(node)
    raise ClusterFailed(
        f"every address in {WIRES} is taken", remedy="take clusters down: cluster/node.py status"
    )


def _taken() -> list[ipaddress.IPv4Network]:
    """List the networks of the machine's interfaces."""
    return [
        ipaddress.IPv4Network(f"{address['local']}/{address['prefixlen']}", strict=False)
        for link in json.loads(_ip("-json", "-4", "addr", "show"))
        for address in link["addr_info"]
    ]


def _ip(*arguments: str, enter: Sequence[str] = ()) -> str:
    done = subprocess.run([*enter, "ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ClusterFailed(
            f"ip {' '.join(arguments)}: {done.stderr.strip()}",
            remedy="a node needs root and a kernel with virtual links",
        )
    return done.stdout
