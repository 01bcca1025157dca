"""A place to run the recipe in: a home for engines, and the interpreter that installs nothing."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENGINE = HERE.parent.parent / "engine"


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Runs of the recipe that share a home."""

    folder: Path
    engine: Path = ENGINE

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        """Start the recipe in a process group of its own, so that a test may kill it whole."""
        return subprocess.Popen(
            [sys.executable, "-I", str(HERE / "driver.py"), str(self.engine), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={
                "PATH": os.environ["PATH"],
                "FIRSTLIGHT_ENGINE_HOME": str(self.home),
                "FAKE_PYTHON": str(HERE / "fake_python.sh"),
                "FAKE_CALLS": str(self.folder / "calls"),
                **environment,
            },
        )

    def run(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run the recipe to its end."""
        process = self.start(*arguments, **environment)
        out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def calls(self) -> list[str]:
        """List the steps the interpreter was asked for, with their arguments."""
        log = self.folder / "calls"
        return log.read_text().splitlines() if log.exists() else []

    def steps(self) -> list[str]:
        return [call.split()[0] for call in self.calls()]

    def is_ready(self) -> bool:
        """Ask as a script would."""
        asked = self.run("--print-path")
        assert asked.returncode in (0, 1), asked.stderr
        return asked.returncode == 0

    def place(self) -> Path:
        """Give the folder of the engine, which must be ready."""
        asked = self.run("--print-path")
        assert asked.returncode == 0, asked.stderr
        return Path(asked.stdout.strip())

    def marker(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads((self.place() / "ready.json").read_bytes())
        return said


def files(folder: Path) -> set[str]:
    """List a tree of files."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
