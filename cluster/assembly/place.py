"""
Where the pieces lie, and whether they are whole.

    HOME/KEY/bin/           kube-apiserver, etcd, kubectl, kubelet, containerd ...
    HOME/KEY/debian/        Debian's packages, unpacked
    HOME/KEY/images/        pause, small, engine-base
    HOME/KEY/ready.json     what was made, and how long it took
    HOME/KEY.building/      what is being made; renamed to KEY when it is whole
    HOME/KEY.lock           held while somebody builds
    HOME/KEY.log            what apt, Go and the others said
    HOME/compiled-KEY/      Kubernetes and `pause`, kept by themselves: they take
                            minutes, and seldom change when the rest does

`bin/` has the names that controller-runtime's tests know, so that
`KUBEBUILDER_ASSETS` may point at it.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assembly.debian import ENGINE_BASE, GO, NODE
from assembly.kubernetes import HERE, NIL_AFTER, NIL_FUNCTION, REPLACED

SCHEMA = "firstlight.cluster/1"
# These count up when the steps change in a way that changes the result.
COMPILE_VERSION = 1
RECIPE_VERSION = 1


def compiled_key() -> str:
    """Name the binaries that this recipe compiles on such a machine."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.go"))]
    repairs = (REPLACED, NIL_AFTER, NIL_FUNCTION)
    return _digest(COMPILE_VERSION, GO, sources, repairs, os.uname().machine)


def whole_key() -> str:
    """Name everything that this recipe makes on such a machine."""
    return _digest(RECIPE_VERSION, compiled_key(), NODE, ENGINE_BASE, os.uname().machine)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One folder that appears whole, by a rename, or not at all."""

    home: Path
    key: str

    @property
    def folder(self) -> Path:
        return self.home / self.key

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def images(self) -> Path:
        return self.folder / "images"

    @property
    def building(self) -> Path:
        return self.home / f"{self.key}.building"

    @property
    def lock(self) -> Path:
        return self.home / f"{self.key}.lock"

    @property
    def log(self) -> Path:
        return self.home / f"{self.key}.log"

    def ready(self) -> dict[str, Any] | None:
        """
        Give what the marker says; None means there is nothing usable.

        The marker lists files with their sizes, so that half a cache that
        somebody cleaned up is not taken for a whole one.
        """
        try:
            said: dict[str, Any] = json.loads((self.folder / "ready.json").read_bytes())
            whole = (said["schema"], said["key"]) == (SCHEMA, self.key) and all(
                (self.folder / name).stat().st_size == size for name, size in said["files"].items()
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return said if whole else None

    def begin(self) -> Path:
        """Give an empty folder to build in."""
        if self.building.exists():
            shutil.rmtree(self.building)
        self.building.mkdir(parents=True)
        return self.building

    def finish(self, said: Mapping[str, Any]) -> None:
        """Declare what was built whole, and let it appear."""
        files = {
            str(path.relative_to(self.building)): path.stat().st_size
            for path in sorted(self.building.rglob("*"))
            if path.is_file()
        }
        whole = {"schema": SCHEMA, "key": self.key, "files": files, **said}
        text = json.dumps(whole, indent=1, sort_keys=True)
        (self.building / "ready.json").write_text(f"{text}\n", encoding="utf-8")
        # A machine that loses power may keep a rename and lose the data it vouches for.
        os.sync()
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.building.rename(self.folder)

    def others(self) -> list[Path]:
        """List what other recipes made; each takes a gigabyte."""
        markers = self.home.glob("*/ready.json")
        apart = {self.folder, self.home / f"compiled-{compiled_key()}"}
        return sorted(m.parent for m in markers if m.parent not in apart)
