"""
The interpreters that the probe is tried with.

The running one always; others where this machine has them, on PATH or as pyenv
keeps them. A version that is not here is not tried, which `-ra` shows.
"""

import os
import shutil
import sys
from pathlib import Path

SUPPORTED = ("3.10", "3.11", "3.12", "3.13")
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"


def interpreter(version: str) -> str | None:
    """An interpreter of the version; None where this machine has none."""
    if version == RUNNING:
        return sys.executable
    found = sorted(_kept().glob(f"{version}.*/bin/python{version}"))
    return str(found[-1]) if found else shutil.which(f"python{version}", path="/usr/bin")


def old_interpreters() -> list[str]:
    """A few interpreters that the probe is not meant for, the oldest first."""
    found = {
        tuple(map(int, path.name.split(".")[:2])): str(path / "bin" / "python")
        for path in _kept().glob("[0-9]*.[0-9]*")
    }
    return [found[version] for version in sorted(found) if version < (3, 10)][:3]


def _kept() -> Path:
    return Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
