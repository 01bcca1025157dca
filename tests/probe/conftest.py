"""Benches: one in the running interpreter, and one in each supported version."""

from pathlib import Path

import pytest

from tests.probe.interpreters import RUNNING, SUPPORTED, interpreter
from tests.probe.watched import Bench


@pytest.fixture(scope="session")
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled modules, shared by all runs, away from the source tree."""
    return tmp_path_factory.mktemp("bytecode")


@pytest.fixture
def bench(tmp_path: Path, bytecode: Path) -> Bench:
    """The running interpreter."""
    python = interpreter(RUNNING)
    assert python is not None
    return Bench(python=python, folder=tmp_path, bytecode=bytecode)


@pytest.fixture(params=SUPPORTED)
def each_bench(request: pytest.FixtureRequest, tmp_path: Path, bytecode: Path) -> Bench:
    """Every supported interpreter that this machine has."""
    python = interpreter(request.param)
    if python is None:
        pytest.skip(f"no Python {request.param} here")
    return Bench(python=python, folder=tmp_path, bytecode=bytecode)
