"""What every test shares."""

import asyncio
import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The timeout of a test is its deadline: a single example may wait for a busy machine.
settings.register_profile("firstlight", deadline=None, print_blob=True)
settings.load_profile("firstlight")

# A worker of pytest-xdist has the size of a terminal; what is tested here is piped.
for _name in ("COLUMNS", "LINES"):
    os.environ.pop(_name, None)

# Whoever runs this in the background of a shell, or by nohup, has these ignored, and every child
# of a test would inherit that.
for _signal, _handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(_signal, _handler)

ROOT = Path(__file__).resolve().parents[1]
PREPARE = ROOT / "engine" / "prepare.py"
KUBECTL = ROOT / "cluster" / "kubectl.py"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine runs in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    given = {name: pyfuncitem.funcargs[name] for name in wanted}
    asyncio.run(pyfuncitem.obj(**given))
    return True


def prepared(script: Path, what: str, target: str) -> Path:
    """Where a script has put something real; under CI its absence is a failure."""
    asked = subprocess.run(
        [sys.executable, script, "--print-path"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        if os.environ.get("CI"):
            pytest.fail(f"{what} is not there: `make {target}` has to run first")
        pytest.skip(f"{what} is not there: run `make {target}`")
    return Path(asked.stdout.strip())


@pytest.fixture(scope="session")
def engine_folder() -> Path:
    """Where the real engine and its model lie."""
    return prepared(PREPARE, "the real engine", "engine")


@pytest.fixture(scope="session")
def kubectl_binary() -> Path:
    """A kubectl that knows kustomize's components."""
    return prepared(KUBECTL, "kubectl", "kubectl")
