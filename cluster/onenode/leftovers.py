"""
Taking a cluster down, in order, also when whoever started it is gone.

Pods first, because a kubelet would start them again; the API server before
etcd, because without etcd it waits; the process that holds the namespaces last,
because mounts, links and addresses go with it. Cgroups are the one thing that
the kernel does not take away by itself.
"""

import os
import shutil
import time
from contextlib import suppress

from onenode import cgroups
from onenode.failures import ClusterFailed
from onenode.patience import until
from onenode.register import Entry, entries

# Kubelets and their containers first, what they talk to afterwards.
ORDER = (
    "kubelet",
    "kube-scheduler",
    "kube-controller-manager",
    "kube-apiserver",
    "etcd",
    "registry",
    "containerd",
)
HOLDER = "holder"
# Gigabytes that nobody reads afterwards; logs and kubeconfigs stay.
HEAVY = ("containerd", "etcd", "kubelet", "registry", "var")


def take_down(entry: Entry) -> None:
    """End every process of a cluster and remove what it left on the machine."""
    processes = entry.processes
    processes.end("kubelet", grace_s=3)
    if entry.kind == "node":
        cgroups.kill(entry.id)
    for name in ORDER:
        processes.end(name, grace_s=3)
    holder = processes.find(HOLDER)
    for process in list(processes.marked()):
        if process != holder and process.pid != os.getpid():
            process.end(grace_s=1)
    processes.kill(HOLDER)
    if entry.kind == "node":
        if not until(lambda: cgroups.remove(entry.id), timeout_s=20):
            raise ClusterFailed(
                f"processes are left in the control group {cgroups.name_of(entry.id)}",
                remedy="run cluster/node.py down, which tries again",
            )
        _await_network(entry.id)
    for name in HEAVY:
        shutil.rmtree(entry.state / name, ignore_errors=True)
    entry.remove()


def sweep() -> list[str]:
    """Take down every cluster whose owner is gone; gives their ids."""
    abandoned = [entry for entry in entries() if entry.abandoned]
    done = []
    for entry in abandoned:
        # One that resists stays entered, and is no reason not to start another.
        with suppress(ClusterFailed):
            take_down(entry)
            done.append(entry.id)
    return done


def _await_network(short_id: str) -> None:
    """Give the kernel the moment it takes to remove a link whose other end is gone."""
    end_s = time.monotonic() + 10
    while os.path.exists(f"/sys/class/net/fl{short_id}") and time.monotonic() < end_s:  # noqa: PTH110
        time.sleep(0.05)
