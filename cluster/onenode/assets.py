"""
Where the binaries come from.

`KUBEBUILDER_ASSETS` is what controller-runtime's tests use: a folder with
`kube-apiserver`, `etcd` and `kubectl` of some version. `prepare.py` makes a
folder of that shape, and beside it all that a node needs.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from onenode.failures import ClusterFailed

PREPARE = Path(__file__).resolve().parent.parent / "prepare.py"
VARIABLE = "KUBEBUILDER_ASSETS"
CONTROL_PLANE = ("etcd", "kube-apiserver", "kubectl")
CONTROLLERS = ("kube-controller-manager", "kube-scheduler")
NODE = (*CONTROLLERS, "containerd", "ctr", "docker-registry", "kubelet", "runc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assets:
    """One folder of binaries, and what lies beside it."""

    bin: Path

    @property
    def prefix(self) -> Path:
        """The folder that `prepare.py` made, when it was that."""
        return self.bin.parent

    @property
    def images(self) -> Path:
        """The images that were made with it."""
        return self.prefix / "images"

    @property
    def plugins(self) -> Path:
        """The network plugins that give pods an address."""
        return self.prefix / "debian/usr/lib/cni"

    @property
    def runs_a_node(self) -> bool:
        """Whether there is more here than a control plane."""
        return not self.lacking(*CONTROL_PLANE, *NODE) and self.images.is_dir()

    def lacking(self, *names: str) -> list[str]:
        """List what is not here."""
        return [name for name in names if not os.access(self.bin / name, os.X_OK)]

    def require(self, *names: str) -> None:
        """Refuse a folder that holds less."""
        lacking = self.lacking(*names)
        if lacking:
            raise ClusterFailed(
                f"{self.bin} has no {', '.join(lacking)}",
                remedy=f"run make cluster, or point {VARIABLE} at a folder that has them",
            )

    def path(self) -> str:
        """Give the search path for processes that call others by name."""
        return f"{self.bin}:{os.environ.get('PATH', '')}"

    @classmethod
    def built(cls) -> "Assets | None":
        """Give what `prepare.py` made; None when it has not run."""
        asked = subprocess.run(
            [sys.executable, PREPARE, "--print-path"], capture_output=True, text=True, check=False
        )
        return None if asked.returncode else cls(bin=Path(asked.stdout.strip()) / "bin")

    @classmethod
    def given(cls, environment: Mapping[str, str] = os.environ) -> "Assets | None":
        """Give what the environment names; None when it names nothing."""
        folder = environment.get(VARIABLE)
        return cls(bin=Path(folder).absolute()) if folder else None
