"""A bucket behind moto's S3 server, in a process of its own."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.processes import free_port

_FRESH = "FIRSTLIGHT_TEST_IN_FRESH_PROCESS"
_SERVES = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', sys.argv[1]])"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """
    Run a test that forks by itself where a store was asked in this process before.

    The store's library has threads from then on, and a child that is forked has them not: it would
    wait for them for ever.
    """
    forks = pyfuncitem.get_closest_marker("forks") is not None
    if not forks or "obstore" not in sys.modules or _FRESH in os.environ:
        return None
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", pyfuncitem.nodeid]
    done = subprocess.run(
        command,
        cwd=pyfuncitem.config.rootpath,
        env={**os.environ, _FRESH: "yes"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stdout
    return True


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """Its URL; bucket `caches` is there."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-c", _SERVES, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        url = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                asked = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                asked.request("PUT", "/caches")
                asked.getresponse().read()
                break
            except OSError:
                time.sleep(0.05)
        yield url
        server.terminate()


@pytest.fixture
def bucket(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A prefix of its own in it."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    return f"s3://caches/{tmp_path.name}"
