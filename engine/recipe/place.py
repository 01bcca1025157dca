"""
Where one engine lies, and whether it is finished.

    HOME/KEY/venv/          Python, torch, vLLM
    HOME/KEY/model/         the tiny model
    HOME/KEY/ready.json     written last: what was installed
    HOME/KEY.lock           held while somebody builds
    HOME/KEY.log            what pip and the others said
    HOME/KEY.downloads/     pip's cache, for the next try of a build that did not finish

A virtual environment holds its own path in many files, so it is built where it
stays. What tells a finished one from an interrupted one is `ready.json` alone:
it appears by a rename after everything else has reached the disk.
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = "firstlight.engine/1"
WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The paths of one engine."""

    home: Path
    key: str

    @property
    def folder(self) -> Path:
        """All that belongs to the finished engine."""
        return self.home / self.key

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.folder / "venv"

    @property
    def python(self) -> Path:
        """The engine's own interpreter."""
        return self.venv / "bin" / "python"

    @property
    def vllm(self) -> Path:
        """The command that serves."""
        return self.venv / "bin" / "vllm"

    @property
    def model(self) -> Path:
        """The model to serve."""
        return self.folder / "model"

    @property
    def scratch(self) -> Path:
        """Temporary files of the build: they go with an interrupted one."""
        return self.folder / "tmp"

    @property
    def marker(self) -> Path:
        """The proof that the engine is finished."""
        return self.folder / "ready.json"

    @property
    def log(self) -> Path:
        """Outside the folder, so that it outlives a failed build."""
        return self.home / f"{self.key}.log"

    @property
    def lock(self) -> Path:
        """Outside the folder, so that wiping does not take it away from a waiting builder."""
        return self.home / f"{self.key}.lock"

    @property
    def downloads(self) -> Path:
        """Outside the folder, so that a second try has the wheels its index lets pip keep."""
        return self.home / f"{self.key}.downloads"

    def site_packages(self, python_minor: str) -> Path:
        """Where pip puts packages."""
        return self.venv / "lib" / f"python{python_minor}" / "site-packages"

    def ready(self) -> dict[str, Any] | None:
        """
        Give what the marker says; None means there is no usable engine.

        The files looked at stand for damage that happens: somebody removed the
        interpreter the environment was made with, or cleaned up half a cache.
        """
        try:
            said = json.loads(self.marker.read_bytes())
            if said["schema"] != SCHEMA or said["key"] != self.key:
                return None
            whole = (
                self.python.is_file()
                and self.vllm.is_file()
                and (self.model / "config.json").is_file()
                and (self.model / WEIGHTS).stat().st_size == said["weights_bytes"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return said if whole else None

    def wipe(self) -> None:
        """Remove the engine, the marker first: half an engine is not taken for a whole one."""
        self.marker.unlink(missing_ok=True)
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def mark_ready(self, said: dict[str, Any]) -> None:
        """Write the marker, after everything it vouches for is on the disk."""
        # A machine that loses power may keep the small new file and lose the large older ones.
        os.sync()
        unfinished = self.marker.with_suffix(".tmp")
        whole = {"schema": SCHEMA, "key": self.key, **said}
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(whole, file, indent=1, sort_keys=True)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self.marker)
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def others(self) -> list[Path]:
        """List finished engines of other recipes; each takes gigabytes."""
        markers = self.home.glob(f"*/{self.marker.name}")
        return sorted(marker.parent for marker in markers if marker.parent != self.folder)


def folder_bytes(folder: Path) -> int:
    """Add up the files below a folder, links counted as links."""
    total = 0
    for parent, _, names in os.walk(folder):
        total += sum(os.lstat(Path(parent, name)).st_size for name in names)
    return total
