"""What every test shares."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The timeout of a test is its deadline: a single example may wait for a busy machine.
settings.register_profile("firstlight", deadline=None, print_blob=True)
settings.load_profile("firstlight")

ROOT = Path(__file__).resolve().parents[1]
PREPARE = ROOT / "engine" / "prepare.py"
KUBECTL = ROOT / "cluster" / "kubectl.py"


@pytest.fixture(scope="session")
def engine_folder() -> Path:
    """Where the real engine and its model lie; under CI its absence is a failure."""
    asked = subprocess.run(
        [sys.executable, PREPARE, "--print-path"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        if os.environ.get("CI"):
            pytest.fail("the real engine is not there: `make engine` has to run first")
        pytest.skip("the real engine is not there: run `make engine`")
    return Path(asked.stdout.strip())


@pytest.fixture(scope="session")
def kubectl_binary() -> Path:
    """A kubectl that knows kustomize's components; under CI its absence is a failure."""
    asked = subprocess.run(
        [sys.executable, KUBECTL, "--print-path"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        if os.environ.get("CI"):
            pytest.fail("kubectl is not there: `make kubectl` has to run first")
        pytest.skip("kubectl is not there: run `make kubectl`")
    return Path(asked.stdout.strip())
