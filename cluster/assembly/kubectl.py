"""
A `kubectl` that knows what people's kubectl knows, in a folder of its own.

The Kubernetes of the tests is 1.20, and its kubectl has no kustomize components. Debian's
next release ships a kubectl that needs nothing but the C library, and an older Debian's has
it. So that one package is fetched from the same mirror, by the same keys, and unpacked
apart from the cluster: nothing of that is built anew.

    HOME/kubectl/KEY/bin/kubectl
    HOME/kubectl/KEY/ready.json
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from onenode.home import home
from onenode.tools import require_tools
from recipe.children import Children
from recipe.failures import CannotPrepare

from assembly.apt import Apt, mirror
from assembly.debian import RELEASE
from assembly.place import Place

NEWER = "trixie"
PACKAGE = "kubectl"
MACHINES = (RELEASE, NEWER)
"""Releases whose C library it runs with, and whose mirrors have it."""
RECIPE_VERSION = 1


def kubectl_place(environment: Mapping[str, str]) -> Place:
    """Where it lies: below the clusters, so that neither takes the other for an old one."""
    named = f"{RECIPE_VERSION} {NEWER} {PACKAGE} {os.uname().machine}"
    key = hashlib.sha256(named.encode()).hexdigest()[:16]
    return Place(home=home(environment) / PACKAGE, key=key)


def binary_of(place: Place) -> Path:
    """The program, once it is built."""
    return place.bin / PACKAGE


def build_kubectl(place: Place, children: Children) -> None:
    """Make everything, or raise and leave nothing that counts; the lock is held."""
    source = mirror(*MACHINES)
    require_tools({"dpkg-deb": "dpkg"})
    folder = place.begin()
    work = folder / "work"
    apt = Apt(folder=work / "apt", children=children, release=NEWER, kinds=("deb",))
    apt.update(source)
    (package,) = apt.packages([PACKAGE])
    unpacked = work / "unpacked"
    done = children.run("unpack kubectl", ["dpkg-deb", "--extract", package, unpacked])
    if done.exit_code != 0:
        raise CannotPrepare(
            f"the package of kubectl could not be unpacked (log: {children.log})",
            remedy="read the end of the log",
        )
    (folder / "bin").mkdir()
    (unpacked / "usr/bin/kubectl").rename(folder / "bin" / PACKAGE)
    shutil.rmtree(work)
    version = _version(folder / "bin" / PACKAGE)
    place.finish({"kubectl": version, "package": package.name})


def _version(program: Path) -> str:
    """What it says of itself: one that does not run here is not taken for ready."""
    try:
        asked = subprocess.run(
            [program, "version", "--client"], capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotPrepare(
            f"Debian's kubectl does not run here: {error}",
            remedy="use a Debian 12 or 13 machine, or skip the tests that need it",
        ) from error
    return asked.stdout.splitlines()[0].removeprefix("Client Version: ")
