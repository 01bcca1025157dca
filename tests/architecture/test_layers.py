"""The import contract holds, and each of its rules can be broken."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = Path(sys.executable).with_name("lint-imports")

# The graph of the whole package is built in a process of its own.
pytestmark = pytest.mark.timeout(30)


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Hold the package under a root against the contract there."""
    return subprocess.run(
        [LINT, "--no-cache", "--config", root / ".importlinter"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its contract, to be spoilt."""
    shutil.copytree(
        ROOT / "src" / "firstlight",
        tmp_path / "src" / "firstlight",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_the_contract_is_kept() -> None:
    """Arrows go down only."""
    done = lint(ROOT)

    assert 0 == done.returncode, done.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("core/units.py", "import firstlight.readers.stamps", "The command line over"),
        ("core/units.py", "import time", "Core, readers, techniques"),
        ("readers/stamps.py", "import random", "Core, readers, techniques"),
        ("readers/stamps.py", "import firstlight.explain.axis", "The command line over"),
        ("explain/axis.py", "import logging", "Core, readers, techniques"),
        ("explain/axis.py", "import firstlight.edges.clock", "The command line over"),
        ("explain/axis.py", "import firstlight.report.escape", "The command line over"),
        ("measure/ports.py", "import subprocess", "Capabilities reach the world"),
        ("measure/ports.py", "import firstlight.explain.axis", "The command line over"),
        ("measure/ports.py", "import firstlight.edges.clock", "The command line over"),
        ("report/escape.py", "import shutil", "Capabilities reach the world"),
        ("experiment/schedule.py", "import time", "Core, readers, techniques"),
        ("experiment/ports.py", "import firstlight.edges.clock", "The command line over"),
        ("experiment/running.py", "import firstlight.measure.ports", "The command line over"),
        ("gateway/policy.py", "import asyncio", "Core, readers, techniques"),
        ("wiring/explaining.py", "import aiohttp", "What speaks to clusters"),
        ("measure/ports.py", "import rich", "click is the command line's"),
        ("edges/clock.py", "import click", "click is the command line's"),
        ("edges/clock.py", "import firstlight.edges.input_files", "Edges do not know each other"),
        ("edges/clock.py", "import firstlight.wiring.explaining", "The command line over"),
        ("probe/environment.py", "import firstlight.edges.clock", "The command line over"),
        ("wiring/explaining.py", "import firstlight.cli.main", "The command line over"),
        ("core/evidence.py", "import firstlight.core.findings", "No import cycles"),
        ("utilities.py", "import firstlight.core.units", "firstlight.utilities"),
    ],
)
def test_a_broken_rule_is_found(copy: Path, module: str, line: str, contract: str) -> None:
    """One planted import, and the contract that forbids it says so."""
    path = copy / "src" / "firstlight" / module
    text = path.read_text() if path.exists() else ""
    path.write_text(f"{line}\n{text}")

    done = lint(copy)

    assert 0 != done.returncode
    words = " ".join(done.stdout.split())
    assert contract in (words.partition("Broken contracts")[2] or words)
