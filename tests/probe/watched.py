"""A script, run in an interpreter that carries the probe, and what came of it."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from firstlight.probe.environment import SITE, with_probe


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One run: what it printed, and the records of each process."""

    exit_code: int
    out: str
    err: str
    files: Mapping[str, str]
    """Text of each probe file, by name."""

    def records(self, **wanted: Any) -> list[dict[str, Any]]:
        """All whole records, of all processes, whose fields are as wanted."""
        every = [json.loads(line) for text in self.files.values() for line in text.splitlines()]
        return [r for r in every if all(r.get(key) == value for key, value in wanted.items())]

    def of_process(self, pid: int) -> list[dict[str, Any]]:
        """The records of one process."""
        return [
            json.loads(line)
            for name, text in self.files.items()
            if name.startswith(f"{pid}-")
            for line in text.splitlines()
        ]


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A folder with modules of its own, and an interpreter to run scripts with."""

    python: str
    folder: Path
    bytecode: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def probe_folder(self) -> Path:
        return self.folder / "probe"

    @property
    def modules(self) -> Path:
        return self.folder / "modules"

    def module(self, name: str, text: str) -> None:
        """Write a module, and empty packages around it where there are none yet."""
        *packages, last = name.split(".")
        folder = self.modules
        folder.mkdir(exist_ok=True)
        for package in packages:
            folder = folder / package
            folder.mkdir(exist_ok=True)
            (folder / "__init__.py").touch()
        (folder / f"{last}.py").write_text(dedent(text))

    def package(self, name: str, text: str) -> None:
        """Write a package's own code."""
        self.module(f"{name}.__init__", text)

    def run(self, script: str, *options: str, watched: bool = True) -> Outcome:
        """Run a script file with this bench's modules on its path."""
        self.probe_folder.mkdir(exist_ok=True)
        self.modules.mkdir(exist_ok=True)
        path = self.folder / "script.py"
        path.write_text(dedent(script))
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(self.modules),
            "PYTHONPYCACHEPREFIX": str(self.bytecode),
            **self.variables,
        }
        if watched:
            environment = with_probe(environment, folder=self.probe_folder) | self.variables
        done = subprocess.run(
            [self.python, *options, str(path)],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return Outcome(
            exit_code=done.returncode,
            out=done.stdout,
            err=done.stderr,
            files={p.name: p.read_text() for p in sorted(self.probe_folder.glob("*.jsonl"))},
        )


__all__ = ["SITE", "Bench", "Outcome"]
