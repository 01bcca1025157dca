"""The recipe as it is, with a real download."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .bench import ENGINE


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture
def gigabytes(tmp_path: Path) -> Iterator[Path]:
    """A folder that is gone afterwards: pytest itself keeps those of its last runs."""
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_builds_from_nothing(gigabytes: Path) -> None:
    """
    An empty home becomes an engine whose vLLM imports, with a model that is the
    same to the byte when it is made again; a second call finds it.
    """
    environment = {**os.environ, "FIRSTLIGHT_ENGINE_HOME": str(gigabytes / "home")}
    command = [sys.executable, str(ENGINE / "prepare.py")]

    subprocess.run(command, env=environment, check=True)
    path = subprocess.run(
        [*command, "--print-path"], env=environment, check=True, capture_output=True, text=True
    )

    place = Path(path.stdout.strip())
    checked = json.loads((place / "ready.json").read_bytes())["checked"]
    assert (checked["vllm"], checked["platform"]) == ("0.32.0+cpu", "cpu")
    again = gigabytes / "again"
    subprocess.run([place / "venv/bin/python", "-I", ENGINE / "tiny_model.py", again], check=True)
    assert digests(place / "model") == digests(again)
