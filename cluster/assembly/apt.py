"""
Debian's packages without installing any: an apt of our own, in a folder.

The machine's apt knows a mirror, its keys and perhaps a proxy; all three are
used as they are configured, and none is written down here. Lists and archives
go into a folder of ours, so the machine's own lists stay as they were.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recipe.children import Children
from recipe.failures import CannotPrepare

from assembly.debian import COMPONENT, RELEASE

FIELDS = ("REPO_URI", "CODENAME", "COMPONENT", "SIGNED_BY")


def mirror(*releases: str) -> str:
    """
    Give the machine's own mirror of a release, as the middle of a line of sources.list.

    Args:
        releases: of which one must be the machine's; none for the one that is built from.
    """
    wanted = releases or (RELEASE,)
    shape = json.dumps({field: f"$({field})" for field in FIELDS})
    apt = shutil.which("apt-get")
    if apt is None:
        raise CannotPrepare(
            "this machine has no apt, and Kubernetes is built from Debian's packages",
            remedy="use a Debian 12 machine, or a cluster you have (cluster/README.md)",
        )
    asked = subprocess.run(
        [apt, "indextargets", "--format", shape, "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )
    for line in asked.stdout.splitlines():
        said = json.loads(line)
        if said["CODENAME"] in wanted and said["COMPONENT"] == COMPONENT:
            key = said["SIGNED_BY"]
            # A variable that a target lacks comes back as it was asked for.
            signed = "" if not key or key.startswith("$(") else f"[signed-by={key}] "
            return f"{signed}{said['REPO_URI']}"
    raise CannotPrepare(
        f"this machine's apt has no source for Debian's {' or '.join(wanted)}",
        remedy="use a Debian 12 machine, or a cluster you have (cluster/README.md)",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Apt:
    """Downloads into one folder, from one mirror."""

    folder: Path
    children: Children
    release: str = RELEASE
    kinds: Sequence[str] = ("deb", "deb-src")
    """Binary packages, and sources."""

    def update(self, source: str) -> None:
        """Read the mirror's lists into the folder."""
        for needed in ("lists/partial", "cache/archives/partial", "debs", "source"):
            (self.folder / needed).mkdir(parents=True, exist_ok=True)
        (self.folder / "nothing-installed").write_bytes(b"")
        (self.folder / "sources.list").write_text(
            "".join(f"{kind} {source} {self.release} {COMPONENT}\n" for kind in self.kinds),
            encoding="utf-8",
        )
        self._apt("lists of packages", ["update"])

    def packages(self, names: Sequence[str]) -> list[Path]:
        """Fetch these packages and nothing they depend on."""
        debs = self.folder / "debs"
        self._apt("packages", ["download", *names], at=debs)
        return [self._one(debs, f"{name}_*.deb") for name in names]

    def closure(self, names: Sequence[str]) -> list[Path]:
        """Fetch these packages and all they depend on, as for an empty machine."""
        asked = ["install", "--download-only", "--yes", "--no-install-recommends", *names]
        self._apt("packages of the engine's image", asked)
        return sorted((self.folder / "cache/archives").glob("*.deb"))

    def source(self, name: str) -> Path:
        """Fetch a source package; gives its description, the files lie beside it."""
        folder = self.folder / "source"
        self._apt(f"source of {name}", ["source", "--download-only", name], at=folder)
        return self._one(folder, f"{name}_*.dsc")

    def _one(self, folder: Path, pattern: str) -> Path:
        found = sorted(folder.glob(pattern))
        if len(found) != 1:
            raise CannotPrepare(
                f"{folder} holds {len(found)} files {pattern} where one was to be fetched",
                remedy=f"read the end of {self.children.log}",
            )
        return found[0]

    def _apt(self, title: str, what: Sequence[str], at: Path | None = None) -> None:
        """
        Run apt-get; its options come on the command line because only those
        outrank the machine's own configuration.
        """
        options = {
            "Dir::Etc::SourceList": self.folder / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Preferences": "/dev/null",
            "Dir::Etc::PreferencesParts": "/dev/null",
            "Dir::State::Lists": self.folder / "lists",
            "Dir::State::status": self.folder / "nothing-installed",
            "Dir::Cache": self.folder / "cache",
            "Debug::NoLocking": "1",
            # The download would otherwise be given to a user who may not enter a private folder.
            "APT::Sandbox::User": "root" if os.geteuid() == 0 else "",
        }
        given = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
        command = ["env", "-C", str(at or self.folder), "apt-get", "-q", *given, *what]
        done = self.children.run(title, command)
        if done.exit_code != 0:
            errors = [line for line in done.output.splitlines() if line.startswith("E: ")]
            words = errors[0].removeprefix("E: ") if errors else "it printed no reason"
            raise CannotPrepare(
                f"apt-get {what[0]} failed: {words} (log: {self.children.log})",
                remedy="check that apt reaches its mirror (apt-get update), then run this again",
            )
