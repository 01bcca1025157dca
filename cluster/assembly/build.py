"""
The steps from nothing to a folder that a node starts from.

What is downloaded is unpacked and thrown away; what is compiled is kept in a
folder of its own; what containers run in becomes three images. Only the rename
at the end makes any of it count.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from onenode.home import HOME
from onenode.images import Image, Layer
from onenode.network import TOOLS as NODE_TOOLS
from onenode.tools import require_tools
from recipe.children import Children
from recipe.failures import CannotPrepare
from recipe.machine import free_bytes
from recipe.place import folder_bytes
from recipe.progress import Progress, size

from assembly.apt import Apt, mirror
from assembly.debian import ENGINE_BASE, GO, NODE, SOURCE, UPSTREAM
from assembly.kubernetes import COMPONENTS, Kubernetes
from assembly.place import Place, compiled_key

# Measured on x86_64.
DOWNLOAD_BYTES = 300_000_000
COMPILE_BYTES = 3_500_000_000
NEEDED_BYTES = 3_000_000_000
FINISHED_BYTES = 1_000_000_000

BINARIES = {
    **dict.fromkeys(COMPONENTS, "kubernetes"),
    **{
        name: f"../debian/usr/bin/{name}"
        for name in ("kubectl", "etcd", "etcdctl", "containerd", "ctr", "docker-registry")
    },
    "containerd-shim-runc-v2": "../debian/usr/bin/containerd-shim-runc-v2",
    "runc": "../debian/usr/sbin/runc",
}
# On a merged Debian these are links, and no package brings them: an installer makes them.
MERGED = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
UNREAD = ("usr/share/doc", "usr/share/info", "usr/share/locale", "usr/share/man")
# The second kind is asked for here, so that everything is asked for at once.
TOOLS = {"dpkg-deb": "dpkg", "patch": "patch", **NODE_TOOLS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One try; the lock is held."""

    place: Place
    children: Children
    progress: Progress

    def run(self) -> None:
        """Make everything, or raise and leave nothing that counts."""
        began_ns = time.monotonic_ns()
        source = mirror()
        require_tools(TOOLS)
        compiled = Place(home=self.place.home, key=f"compiled-{compiled_key()}")
        compiling = compiled.ready() is None
        needed = NEEDED_BYTES + (COMPILE_BYTES if compiling else 0)
        self._announce(compiling=compiling)
        self._require_space(needed)
        folder = self.place.begin()
        work = folder / "work"
        work.mkdir()
        apt = Apt(folder=work / "apt", children=self.children)
        apt.update(source)
        self._node(apt, folder)
        self._engine_base(apt, work, folder / "images/engine-base")
        if compiling:
            self._compile(apt, work, compiled)
        self._binaries(compiled, folder)
        self._small_images(folder)
        self.progress.begin("write to the disk")
        shutil.rmtree(work)
        self.place.finish(
            {
                "kubernetes": UPSTREAM,
                "bytes": folder_bytes(folder),
                "packages": self._versions(folder),
                "build_ns": time.monotonic_ns() - began_ns,
            }
        )
        self.progress.end()

    def _announce(self, *, compiling: bool) -> None:
        say = self.progress.say
        say(f"preparing Kubernetes {UPSTREAM} in {self.place.folder}")
        what = "compiled from source, minutes of all processors" if compiling else "compiled before"
        say(
            f"  {what}; about {size(DOWNLOAD_BYTES)} to download, "
            f"{size(FINISHED_BYTES)} on the disk afterwards"
        )
        say(f"  log: {self.place.log}")

    def _require_space(self, needed: int) -> None:
        free = free_bytes(self.place.home)
        if free < needed:
            raise CannotPrepare(
                f"{self.place.home}: Kubernetes needs about {size(needed)} while it is built, "
                f"and {size(free)} are free",
                remedy=f"free some space, or set {HOME} to a folder on a larger disk",
            )

    def _node(self, apt: Apt, folder: Path) -> None:
        debs = apt.packages(NODE)
        self._unpack("unpack the node's packages", debs, folder / "debian")
        versions = sorted(deb.name.rsplit("_", 1)[0] for deb in debs)
        (folder / "packages.txt").write_text("\n".join(versions) + "\n", encoding="utf-8")

    def _engine_base(self, apt: Apt, work: Path, into: Path) -> None:
        root = work / "root"
        for name in MERGED:
            (root / "usr" / name).mkdir(parents=True)
            (root / name).symlink_to(f"usr/{name}")
        self._unpack("unpack the engine's image", apt.closure(ENGINE_BASE), root)
        for name in ("passwd", "group"):
            shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / f"etc/{name}")
        for name in UNREAD:
            shutil.rmtree(root / name, ignore_errors=True)
        self.progress.begin("pack the engine's image")
        into.mkdir(parents=True)
        layer = Layer.of_tree(into / "layer.tar", root)
        Image(layers=(layer,), configuration=_configuration("/usr/bin/python3")).save(into)
        self.progress.end(size(layer.size_bytes))

    def _compile(self, apt: Apt, work: Path, compiled: Place) -> None:
        source = apt.source(SOURCE)
        go = work / "goroot"
        self._unpack("unpack Go", apt.packages(GO), go)
        building = compiled.begin()
        Kubernetes(work=work / "kubernetes", go=go, children=self.children).build(source, building)
        compiled.finish({"kubernetes": UPSTREAM})

    def _binaries(self, compiled: Place, folder: Path) -> None:
        (folder / "bin").mkdir()
        for name in ("kubernetes", "pause"):
            # Shared with the folder it was compiled into: neither is ever changed.
            os.link(compiled.folder / name, folder / "bin" / name)
        for name, target in BINARIES.items():
            (folder / "bin" / name).symlink_to(target)
        for name in ("kubectl", "etcd", "containerd", "runc", "docker-registry", "ctr"):
            self._require_libraries(folder / "bin" / name)

    def _require_libraries(self, binary: Path) -> None:
        said = subprocess.run(
            ["/usr/bin/ldd", binary], capture_output=True, text=True, check=False
        ).stdout
        lacking = [line.split()[0] for line in said.splitlines() if "not found" in line]
        if lacking:
            raise CannotPrepare(
                f"{binary.name} does not start here: {', '.join(lacking)} is missing",
                remedy="as root: apt-get install --no-install-recommends libseccomp2",
            )

    def _small_images(self, folder: Path) -> None:
        busybox = folder / "debian/bin/busybox"
        asked = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
        small = folder / "images/small"
        small.mkdir()
        applets = [name for name in asked.stdout.split() if name != "busybox"]
        layer = Layer.of_files(
            small / "layer.tar",
            {"bin/busybox": busybox.read_bytes(), "etc/passwd": b"root:x:0:0:root:/:/bin/sh\n"},
            links={f"bin/{name}": "busybox" for name in applets},
            folders=("tmp",),
        )
        Image(layers=(layer,), configuration=_configuration("/bin/sh")).save(small)
        pause = folder / "images/pause"
        pause.mkdir()
        binary = (folder / "bin/pause").read_bytes()
        layer = Layer.of_files(pause / "layer.tar", {"pause": binary})
        Image(layers=(layer,), configuration={"Entrypoint": ["/pause"]}).save(pause)

    def _unpack(self, title: str, debs: list[Path], into: Path) -> None:
        into.mkdir(parents=True, exist_ok=True)
        each = 'into=$1; shift; for deb; do dpkg-deb --extract "$deb" "$into" || exit 1; done'
        done = self.children.run(title, ["sh", "-c", each, "unpack", into, *debs])
        if done.exit_code != 0:
            raise CannotPrepare(
                f"a package could not be unpacked (log: {self.children.log})",
                remedy="read the end of the log",
            )

    def _versions(self, folder: Path) -> Mapping[str, str]:
        lines = (folder / "packages.txt").read_text(encoding="utf-8").splitlines()
        return dict(line.split("_", 1) for line in lines)


def _configuration(command: str) -> dict[str, object]:
    path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {"Cmd": [command], "Env": [path]}
