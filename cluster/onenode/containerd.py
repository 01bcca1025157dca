"""
containerd of one node: its settings, its log, and forgetting an image for real.

Its log is the only place where a pull has times finer than a second that the
node itself took: `PullImage "REF"` when the kubelet asked, and `PullImage "REF"
returns image reference "sha256:..."` when the last layer was unpacked.

An image that loses its name is still on the disk: its content and its unpacked
layers stay until containerd's collector runs, and a pull meanwhile takes
milliseconds. So forgetting waits for the collector. What another image shares
with the forgotten one stays, as it would on any node.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onenode.assets import Assets
from onenode.failures import ClusterFailed
from onenode.images import Image
from onenode.patience import require, until
from onenode.processes import Processes

PAUSE = "localhost/pause:1"
NAMESPACE = "k8s.io"
POD_ADDRESSES = "10.88.0.0/16"
SETTINGS = """version = 2
root = "{root}"
state = "{volatile}"
[grpc]
  address = "{socket}"
[debug]
  level = "info"
[plugins."io.containerd.internal.v1.opt"]
  path = "{root}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  stream_server_address = "127.0.0.1"
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  # A root without CAP_SYS_RESOURCE may not make a process harder to kill than itself.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "{runc}"
      SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{plugins}"
    conf_dir = "{networks}"
"""
NETWORK = """{{
  "cniVersion": "0.4.0",
  "name": "pods",
  "plugins": [
    {{
      "type": "bridge",
      "bridge": "pods0",
      "isGateway": true,
      "ipMasq": false,
      "ipam": {{
        "type": "host-local",
        "dataDir": "{leases}",
        "ranges": [[{{"subnet": "{addresses}"}}]]
      }}
    }}
  ]
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Containerd:
    """The container runtime of one node."""

    state: Path
    assets: Assets
    processes: Processes
    enter: Sequence[str]

    @property
    def folder(self) -> Path:
        """Images, layers and the rest: what a node's disk holds."""
        return self.state / "containerd"

    @property
    def socket(self) -> Path:
        """Where the kubelet finds it; short, because such a path has 107 bytes at most."""
        return Path("/run/containerd.sock")

    def start(self) -> None:
        """Start it and give it the image that holds a pod's namespaces."""
        networks = self.folder / "networks"
        networks.mkdir(parents=True, exist_ok=True)
        network = NETWORK.format(leases=self.folder / "leases", addresses=POD_ADDRESSES)
        (networks / "10-pods.conflist").write_text(network, encoding="utf-8")
        settings = self.folder / "settings.toml"
        settings.write_text(
            SETTINGS.format(
                root=self.folder / "root",
                # Inside the node this is memory of its own; the names of sockets there are long.
                volatile="/run/containerd",
                socket=self.socket,
                pause=PAUSE,
                runc=self.assets.bin / "runc",
                plugins=self.assets.plugins,
                networks=networks,
            ),
            encoding="utf-8",
        )
        self.processes.start(
            "containerd",
            [*self.enter, self.assets.bin / "containerd", "--config", settings],
            {"PATH": self.assets.path()},
        )
        require(
            lambda: self._try("version").returncode == 0,
            "containerd did not answer",
            timeout_s=30,
            log=self.processes.log("containerd"),
        )
        self.import_image(Image.load(self.assets.images / "pause"), PAUSE)

    def import_image(self, image: Image, name: str) -> None:
        """Put an image on the node without a pull."""
        archive = image.archive(self.folder / "import.tar", name)
        self.ctr("images", "import", archive)
        archive.unlink()

    def forget(self, image: str) -> None:
        """Remove an image and all that only it needed, so that the next pull is a whole one."""
        targets = {line.split()[0]: line.split()[2] for line in self._listed()}
        digest = targets.get(image)
        if digest is None:
            return
        # The same image also has its digest for a name, and that of its configuration.
        names = [name for name, target in targets.items() if target == digest]
        # A pod that was just deleted still has its container, which holds on to the layers.
        if not until(lambda: self._released(names), timeout_s=60):
            raise ClusterFailed(
                f"{image} is used by a container", remedy="delete the pods that use it first"
            )
        self.ctr("images", "rm", "--sync", *names)

        def gone() -> bool:
            return digest not in self.ctr("content", "ls", "-q").split()

        if not until(gone, timeout_s=30):
            raise ClusterFailed(
                f"{image} is still on the node after its removal",
                remedy=f"read {self.processes.log('containerd')}",
            )

    def images(self) -> list[str]:
        """List the names of the images on the node."""
        return [line.split()[0] for line in self._listed()]

    def ctr(self, *arguments: str | Path) -> str:
        """Run containerd's own client inside the node."""
        done = self._try(*arguments)
        if done.returncode != 0:
            words = " ".join(str(part) for part in arguments)
            raise ClusterFailed(
                f"ctr {words}: {done.stderr.strip()[-300:]}",
                remedy=f"read {self.processes.log('containerd')}",
            )
        return done.stdout

    def _released(self, names: Sequence[str]) -> bool:
        """
        Whether no container holds on to the image; those that have ended are removed.

        A kubelet removes them too, once a minute, when a pod was deleted without grace.
        """
        rows = [line.split() for line in self.ctr("containers", "ls").splitlines()[1:]]
        holders = {row[0] for row in rows if len(row) > 1 and row[1] in names}
        running = set(self.ctr("tasks", "ls", "-q").split())
        for ended in holders - running:
            self._try("containers", "rm", ended)
        return not holders

    def _listed(self) -> list[str]:
        return self.ctr("images", "ls").splitlines()[1:]

    def _try(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        ctr = [self.assets.bin / "ctr", "--address", self.socket, "--namespace", NAMESPACE]
        return subprocess.run(
            [str(part) for part in (*self.enter, *ctr, *arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
