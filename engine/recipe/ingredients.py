"""
What an engine is made of, and the key that follows from it.

Two clones with the same ingredients share one engine, wherever they lie. A
change of any ingredient gives another key, and with it another folder: an
engine is never changed after it was finished.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

# Counts up when the steps in `build` change in a way that changes the result.
RECIPE_VERSION = 1

PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """The files of the recipe, read once."""

    lock_path: Path
    lock: bytes
    model_script_path: Path
    model_script: bytes
    recipe_version: int = RECIPE_VERSION

    @classmethod
    def beside(cls, folder: Path) -> "Ingredients":
        """Read the recipe that lies in `folder`."""
        lock = folder / "requirements.lock"
        model = folder / "tiny_model.py"
        return cls(
            lock_path=lock,
            lock=lock.read_bytes(),
            model_script_path=model,
            model_script=model.read_bytes(),
        )

    def key(self, *, python_minor: str, architecture: str) -> str:
        """Name the engine that these ingredients give on such a machine."""
        parts = {
            "lock": hashlib.sha256(self.lock).hexdigest(),
            "model": hashlib.sha256(self.model_script).hexdigest(),
            "recipe": self.recipe_version,
            "python": python_minor,
            "architecture": architecture,
        }
        canonical = json.dumps(parts, sort_keys=True).encode()
        return hashlib.sha256(canonical).hexdigest()[:16]

    @property
    def pins(self) -> dict[str, str]:
        """The lock's packages and their versions, by name."""
        found = (PIN.match(line) for line in self.lock.decode().splitlines())
        return {pin["name"]: pin["version"] for pin in found if pin}
