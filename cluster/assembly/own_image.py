"""
The image of the repository's `Containerfile`, put together without a hub.

What that file asks a hub for is Debian with a few packages, and Debian's mirror has the same ones:
they are unpacked here as they are for `engine-base`. So the interpreter, the libraries and the
certificates are those of the built image, and what is missing there is missing here. The packages
change seldom and become a layer that is kept; the wheel of this tree and what it needs change with
every line and become a layer anew.

    HOME/own-image/KEY/base.tar     Debian: what it calls required, and PACKAGES
    INTO/base.tar, INTO/own.tar     the image's two layers, for `Image.load`
"""

import compileall
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onenode.home import home
from onenode.images import Image, Layer
from onenode.tools import require_tools
from recipe.children import Children
from recipe.failures import CannotPrepare

from assembly.apt import Apt, mirror
from assembly.build import MERGED, UNREAD
from assembly.debian import RELEASE
from assembly.place import Place

PACKAGES = ("ca-certificates", "python3")
"""As the last stage of the Containerfile installs them; a test holds one against the other."""
DEBIAN = ("~prequired", "usr-is-merged")
"""What any small image of it has; without the second, a tool that brings Perl does its part."""
EXTRA = "caches,gateway"
PYTHON = (3, 11)
"""Debian 12's."""
PREFIX = "opt/firstlight"
PATH = f"/{PREFIX}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CONFIGURATION: Mapping[str, object] = {
    "Entrypoint": ["firstlight"],
    "Env": [f"PATH={PATH}", "PYTHONDONTWRITEBYTECODE=1"],
}
ENTRY = "import sys\nfrom firstlight.cli.main import run\nsys.exit(run())\n"
CERTIFICATES = "usr/share/ca-certificates"
BUNDLE = "etc/ssl/certs/ca-certificates.crt"
RECIPE_VERSION = 1


def base_place(environment: Mapping[str, str]) -> Place:
    """Where the layer of Debian lies, once it is built."""
    told = json.dumps([RECIPE_VERSION, RELEASE, DEBIAN, PACKAGES, os.uname().machine])
    key = hashlib.sha256(told.encode()).hexdigest()[:16]
    return Place(home=home(environment) / "own-image", key=key)


def build_base(place: Place, children: Children) -> None:
    """Make that layer, or raise and leave nothing that counts; the lock is held."""
    if os.geteuid() != 0:
        raise CannotPrepare(
            "the image is made for a node, and both need root", remedy="run this as root"
        )
    source = mirror()
    require_tools({"dpkg-deb": "dpkg", "chroot": "coreutils"})
    folder = place.begin()
    work, root = folder / "work", folder / "work/root"
    apt = Apt(folder=work / "apt", children=children, kinds=("deb",))
    apt.update(source)
    for name in MERGED:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    each = 'into=$1; shift; for deb; do dpkg-deb --extract "$deb" "$into" || exit 1; done'
    debs = apt.closure((*DEBIAN, *PACKAGES))
    _done(children, "unpack Debian", ["sh", "-c", each, "unpack", root, *debs])
    _as_installed(root, children)
    (root / "tmp").chmod(0o1777)
    layer = Layer.of_tree(folder / "base.tar", root)
    shutil.rmtree(work)
    told = {"digest": layer.digest, "size_bytes": layer.size_bytes}
    place.finish({"layer": told, "packages": [deb.name.rsplit("_", 1)[0] for deb in debs]})


def _as_installed(root: Path, children: Children) -> None:
    """What an installation does beside unpacking, as far as anything of ours would miss it."""
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / f"etc/{name}")
    for name in UNREAD:
        shutil.rmtree(root / name, ignore_errors=True)
    trusted = sorted((root / CERTIFICATES).rglob("*.crt"))
    (root / BUNDLE).parent.mkdir(parents=True, exist_ok=True)
    (root / BUNDLE).write_bytes(b"".join(one.read_bytes() for one in trusted))
    # Without it each start compiles what it imports of the standard library, half a second of it.
    library = f"/usr/lib/python{PYTHON[0]}.{PYTHON[1]}"
    python = f"/usr/bin/python{PYTHON[0]}.{PYTHON[1]}"
    compiled: list[str | Path] = ["chroot", root, python, "-m", "compileall", "-q", library]
    _done(children, "compile Python's library", compiled)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnImage:
    """The image of one tree, in a folder of somebody's."""

    tree: Path
    into: Path
    children: Children

    def assemble(self, base: Place) -> Image:
        """Put it together; the base is ready."""
        said = (base.ready() or {})["layer"]
        layers = (
            Layer(path=self._linked(base), digest=said["digest"], size_bytes=said["size_bytes"]),
            self._own(),
        )
        image = Image(layers=layers, configuration=CONFIGURATION)
        image.save(self.into)
        return image

    def _linked(self, base: Place) -> Path:
        """The layer under a name beside the other one: neither is ever changed."""
        path = self.into / "base.tar"
        path.unlink(missing_ok=True)
        path.symlink_to(base.folder / "base.tar")
        return path

    def _own(self) -> Layer:
        """The wheel of the tree and what it needs, as a virtual environment of Debian's Python."""
        root = self.into / "root"
        shutil.rmtree(root, ignore_errors=True)
        prefix = root / PREFIX
        version = ".".join(map(str, PYTHON))
        packages = prefix / f"lib/python{version}/site-packages"
        pip = [sys.executable, "-m", "pip", "--quiet"]
        wheels = self.into / "wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        _done(
            self.children,
            "build the wheel",
            [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, self.tree],
        )
        (wheel,) = wheels.glob("firstlight-*.whl")
        only = ["--only-binary", ":all:", "--python-version", version]
        _done(
            self.children,
            "fetch what it needs",
            [*pip, "install", *only, "--no-compile", "--target", packages, f"{wheel}[{EXTRA}]"],
        )
        shutil.rmtree(packages / "bin", ignore_errors=True)
        if sys.version_info[:2] == PYTHON:
            compileall.compile_dir(
                packages, quiet=2, stripdir=str(root), prependdir="/", workers=os.cpu_count() or 1
            )
        programs = prefix / "bin"
        programs.mkdir()
        for name in ("python", "python3"):
            (programs / name).symlink_to(f"/usr/bin/python{version}")
        entry = programs / "firstlight"
        entry.write_text(f"#!/{PREFIX}/bin/python3\n{ENTRY}", encoding="utf-8")
        entry.chmod(0o755)
        (prefix / "pyvenv.cfg").write_text(
            f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n",
            encoding="utf-8",
        )
        layer = Layer.of_tree(self.into / "own.tar", root)
        shutil.rmtree(root)
        return layer


def _done(children: Children, title: str, command: Sequence[str | Path]) -> None:
    if children.run(title, command).exit_code != 0:
        raise CannotPrepare(
            f"could not {title} (log: {children.log})", remedy="read the end of the log"
        )
