"""`firstlight gate` as a process: what is wrong is said in a sentence, and told to end it ends."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.console import firstlight, said
from tests.fakes.processes import free_port

# An interpreter of its own, and on a busy machine.
pytestmark = pytest.mark.timeout(20)


@contextmanager
def gate(*arguments: str, engine: int, port: int) -> Iterator[subprocess.Popen[str]]:
    """One that listens."""
    command = (
        *(sys.executable, "-m", "firstlight.cli.main", "gate"),
        *("--engine", f"http://127.0.0.1:{engine}", "--listen", f"127.0.0.1:{port}"),
    )
    with subprocess.Popen(
        [*command, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str], event: str) -> dict[str, object]:
    """The next one of that kind."""
    assert process.stderr is not None
    for text in process.stderr:
        told: dict[str, object] = json.loads(text)
        if told["event"] == event:
            return told
    raise AssertionError(f"it ended without {event}")


def get(port: int, path: str) -> tuple[int, str]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", path)
        answer = client.getresponse()
        return answer.status, answer.read().decode()
    finally:
        client.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_begins_without_an_engine_and_ends_when_told(number: signal.Signals) -> None:
    """It says what it sees in one line, is not ready, and its exit code is 0."""
    port, engine = free_port(), free_port()
    with gate("--drain-delay-s", "0", engine=engine, port=port) as process:
        assert port == line(process, "listening")["port"]
        assert f"/health: nobody listens on 127.0.0.1:{engine}" == line(process, "seen")["words"]
        assert 200 == get(port, "/livez")[0]
        assert 503 == get(port, "/readyz")[0]

        process.send_signal(number)

        line(process, "ended")
        assert 0 == process.wait(timeout=10)
        assert process.stdout is not None
        assert "" == process.stdout.read()


def test_told_twice_it_waits_for_nothing() -> None:
    """Not for the delay either."""
    port = free_port()
    with gate("--drain-delay-s", "60", engine=free_port(), port=port) as process:
        line(process, "listening")
        process.send_signal(signal.SIGTERM)
        line(process, "ending")
        assert 503 == get(port, "/readyz")[0]
        began_s = time.monotonic()
        process.send_signal(signal.SIGTERM)

        assert 0 == process.wait(timeout=10)
        assert 5 > time.monotonic() - began_s


@pytest.mark.parametrize(
    ("engine", "listen", "words"),
    [
        ("ftp://127.0.0.1:8000", ":8080", "ftp://127.0.0.1:8000 is no engine's URL"),
        ("127.0.0.1:8000", ":8080", "127.0.0.1:8000 is no engine's URL"),
        ("http://", ":8080", "http:// is no engine's URL"),
        ("http://127.0.0.1:x", ":8080", "http://127.0.0.1:x is no engine's URL"),
        ("http://me:hidden@127.0.0.1:8000", ":8080", "has no name and no password in it"),
        ("http://127.0.0.1:8080", ":8080", "is where this gateway itself is to listen"),
        ("http://localhost:8080", "127.0.0.1:8080", "is where this gateway itself is to listen"),
        ("http://127.0.0.1", ":80", "is where this gateway itself is to listen"),
        ("http://127.0.0.1:8000", "8080", "is no address to listen on"),
        ("http://me:hidden@127.0.0.1:99999", ":8080", "has no name and no password in it"),
        ("http://me:hidden@[::1", ":8080", "has no name and no password in it"),
        ("http://127.0.0.1:8000?", ":8080", "http://127.0.0.1:8000? is no engine's URL"),
        ("http://127.0.0.1:8000#", ":8080", "http://127.0.0.1:8000# is no engine's URL"),
        ("http://127.0.0.1:0", ":8080", "names port 0, where nobody can listen"),
        ("http://a..b:8000", ":8080", "http://a..b:8000 is no engine's URL"),
        ("http://127.0.0.1:8000", ":0", "is a port that nobody would find"),
        ("http://127.0.0.1:8000", "a..b:8080", "the host 'a..b' that is to be listened on"),
        ("http://127.0.0.1:8000", "a.invalid:8080", "is to be listened on is unknown"),
        ("http://127.0.0.1:8000", "::1:8080", "is no address to listen on"),
        ("http://127.0.0.1:8000", ":65536", "is no address to listen on"),
        ("http://127.0.0.1:8000", "203.0.113.1:8080", "is no address of this machine"),
    ],
)
def test_what_cannot_be_right_is_said(engine: str, listen: str, words: str) -> None:
    """Before anything is asked or listened to."""
    done = firstlight("gate", "--engine", engine, "--listen", listen)

    assert 2 == done.returncode
    assert words in said(done)
    assert "hidden" not in said(done)


def test_a_port_that_is_taken_is_said() -> None:
    """By whoever."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = firstlight(
            "gate", "--engine", f"http://127.0.0.1:{free_port()}", "--listen", f"127.0.0.1:{port}"
        )

    assert 2 == done.returncode
    assert f"127.0.0.1:{port} is taken" in said(done)


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    """The token's and the one of prefixes."""
    common = ("gate", "--engine", "http://127.0.0.1:8000", "--listen", f":{free_port()}")
    for option in ("--admin-token-file", "--prime"):
        done = firstlight(*common, option, str(tmp_path / "none"))
        assert 2 == done.returncode
        assert f"{tmp_path}/none" in said(done)


def test_a_pipe_is_no_file_to_read_again_and_again(tmp_path: Path) -> None:
    """Nor is a device; and nobody waits for one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    common = ("gate", "--engine", "http://127.0.0.1:8000", "--listen", f":{free_port()}")
    for option, file in (
        ("--admin-token-file", pipe),
        ("--admin-token-file", "/dev/null"),
        ("--engine-log", pipe),
    ):
        done = firstlight(*common, option, file)
        assert 2 == done.returncode
        assert "it is no regular file" in said(done)


def test_without_its_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """A library that is not there, on a path before the one that is."""
    (tmp_path / "aiohttp").mkdir()
    (tmp_path / "aiohttp" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'aiohttp'\", name='aiohttp')"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = firstlight(
        *("gate", "--engine", "http://127.0.0.1:8000", "--listen", ":8080"),
        env={"PYTHONPATH": path},
    )

    assert 2 == done.returncode
    assert "pip install 'firstlight[gateway]'" in said(done)
