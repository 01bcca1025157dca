"""
The kubelet of one node, which may come late and under another name.

A node object appears when a kubelet registers it. So a test that wants a node
to join a minute after its pod was made starts the kubelet a minute later, with
the name that a provisioner would have announced.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onenode.assets import Assets
from onenode.cgroups import name_of
from onenode.kubeconfigs import certified, write_kubeconfig
from onenode.pki import Pki
from onenode.processes import Processes

# A node is Ready when its kubelet looks again, so that it looks often.
STATUS_EVERY = "1s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubelet:
    """What any kubelet of this node is started with."""

    state: Path
    assets: Assets
    pki: Pki
    processes: Processes
    enter: Sequence[str]
    short_id: str
    server: str
    address: str
    runtime: Path

    @property
    def folder(self) -> Path:
        """Volumes and plugins of its pods."""
        return self.state / "kubelet"

    def start(self, name: str, *, labels: Mapping[str, str], taints: Sequence[str]) -> None:
        """Start one that registers a node of this name; it does not wait for the node."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = self.folder / "settings.json"
        settings.write_text(json.dumps(self._settings()), encoding="utf-8")
        kubeconfig = self.folder / f"{name}.kubeconfig"
        if not kubeconfig.exists():
            certificate = self.pki.client(
                f"kubelet-{name}", user=f"system:node:{name}", group="system:nodes"
            )
            write_kubeconfig(
                kubeconfig,
                server=self.server,
                authority=self.pki.authority.read_bytes(),
                user=certified(certificate),
            )
        flags = [
            f"--config={settings}",
            f"--kubeconfig={kubeconfig}",
            f"--hostname-override={name}",
            f"--node-ip={self.address}",
            f"--root-dir={self.folder}",
            f"--cert-dir={self.folder / 'pki'}",
            "--container-runtime=remote",
            f"--container-runtime-endpoint=unix://{self.runtime}",
        ]
        if labels:
            flags.append(f"--node-labels={','.join(f'{k}={v}' for k, v in labels.items())}")
        if taints:
            flags.append(f"--register-with-taints={','.join(taints)}")
        self.processes.start(
            "kubelet",
            [*self.enter, self.assets.bin / "kubelet", *flags],
            {"PATH": self.assets.path()},
        )

    def stop(self) -> None:
        """End it; its pods run on, as they do when a kubelet is restarted."""
        self.processes.end("kubelet", grace_s=5)

    def _settings(self) -> dict[str, Any]:
        # Nothing outside the node's own network reaches this kubelet.
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "authentication": {
                "anonymous": {"enabled": True},
                "webhook": {"enabled": False},
                "x509": {"clientCAFile": str(self.pki.authority)},
            },
            "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{name_of(self.short_id)}",
            "clusterDomain": "cluster.local",
            # Nobody answers there; without one, every pod gets a warning.
            "clusterDNS": ["10.96.0.10"],
            "failSwapOn": False,
            "hairpinMode": "none",
            "makeIPTablesUtilChains": False,
            "nodeStatusUpdateFrequency": STATUS_EVERY,
            "volumePluginDir": str(self.folder / "plugins"),
            # The machine's disk and memory are not the node's alone: evict late, never collect.
            "evictionHard": {
                "imagefs.available": "1%",
                "memory.available": "100Mi",
                "nodefs.available": "1%",
                "nodefs.inodesFree": "1%",
            },
            "imageGCHighThresholdPercent": 100,
        }
