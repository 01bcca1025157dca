"""
The control groups that one node's pods live in.

Below a folder of our own, in every hierarchy of the machine: version 1 has one
for each controller, and `cpuset` there begins without processors. Version 2 has
one for all. Each process in there is a pod's.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

from onenode.patience import until
from onenode.processes import Process

MOUNTS = Path("/proc/self/mounts")
V2_CONTROLLERS = "+cpu +cpuset +memory +pids +io +hugetlb"


def name_of(short_id: str) -> str:
    """Name a node's group."""
    return f"fl-{short_id}"


def hierarchies() -> Iterator[tuple[str, Path]]:
    """Give the kind and the folder of each hierarchy that is mounted."""
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, folder, kind, *_ = line.split(" ")
        if kind in ("cgroup", "cgroup2") and folder.startswith("/sys/fs/cgroup"):
            yield kind, Path(folder)


def make(short_id: str) -> None:
    """Make the node's group in every hierarchy."""
    found = list(hierarchies())
    if all(kind == "cgroup2" for kind, _ in found):
        for _, root in found:
            for controller in V2_CONTROLLERS.split():
                _allow(root, controller)
    for _, root in found:
        group = root / name_of(short_id)
        group.mkdir(exist_ok=True)
        for file in ("cpuset.cpus", "cpuset.mems"):
            source = root / file
            if source.exists():
                (group / file).write_text(source.read_text(encoding="ascii"), encoding="ascii")


def _allow(root: Path, controller: str) -> None:
    try:
        (root / "cgroup.subtree_control").write_text(controller, encoding="ascii")
    except OSError:
        return  # A controller that this kernel lacks is one that no pod is limited by.


def groups(short_id: str) -> list[Path]:
    """List the node's groups, the deepest first."""
    found: list[Path] = []
    for _, root in hierarchies():
        top = root / name_of(short_id)
        found += [Path(folder) for folder, _, _ in os.walk(top, topdown=False)]
    return found


def processes(short_id: str) -> set[Process]:
    """Give the processes of the node's pods."""
    found: set[Process] = set()
    for group in groups(short_id):
        try:
            listed = (group / "cgroup.procs").read_text(encoding="ascii").split()
        except OSError:
            continue
        found |= {process for pid in listed if (process := Process.of(int(pid)))}
    return found


def kill(short_id: str) -> None:
    """End all pods at once."""

    def gone() -> bool:
        left = processes(short_id)
        for process in left:
            process.signal(signal.SIGKILL)
        return not left

    until(gone, timeout_s=20)


def remove(short_id: str) -> bool:
    """Remove the node's groups; False while one is still in use."""
    for group in groups(short_id):
        try:
            group.rmdir()
        except OSError:
            return False
    return True
