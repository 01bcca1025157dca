"""
What the recipe takes from the machine it runs on, as one value.

The interpreter, its minor version and the processor's architecture decide
which wheels fit, so they are part of the engine's key. Tests hand in another
`Machine`: an interpreter that installs nothing, a disk that is full.
"""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from recipe.failures import CannotPrepare

TORCH_INDEX = "FIRSTLIGHT_TORCH_INDEX"
HOME = "FIRSTLIGHT_ENGINE_HOME"


def free_bytes(folder: Path) -> int:
    """Give the space left to this user where `folder` is, or will be."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One interpreter on one machine, with its environment and its disk."""

    python: Path
    python_minor: str
    architecture: str
    environment: Mapping[str, str]
    free_bytes: Callable[[Path], int] = free_bytes

    @classmethod
    def here(cls) -> "Machine":
        """Describe the interpreter that is running now."""
        if sys.platform != "linux":
            raise CannotPrepare(
                f"vLLM for CPU is published for Linux only, and this is {sys.platform}",
                remedy="run this on a Linux machine or in a Linux container",
            )
        return cls(
            python=Path(sys.executable),
            python_minor=f"{sys.version_info.major}.{sys.version_info.minor}",
            architecture=platform.machine(),
            environment=os.environ,
        )

    @property
    def home(self) -> Path:
        """The folder of all engines; never inside a clone, so that clones share it."""
        given = self.environment.get(HOME)
        cache = self.environment.get("XDG_CACHE_HOME") or "~/.cache"
        try:
            if given:
                return Path(given).expanduser().absolute()
            return Path(cache).expanduser().absolute() / "firstlight" / "engine"
        except RuntimeError as error:
            raise CannotPrepare(
                "this user has no home folder to keep the engine in",
                remedy=f"set {HOME} to a folder on a disk with room",
            ) from error

    @property
    def torch_index(self) -> str | None:
        """A wheel index that the user names for torch; None leaves it to pip's configuration."""
        return self.environment.get(TORCH_INDEX) or None
