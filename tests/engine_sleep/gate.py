"""`firstlight gate` as a process before a real engine, and a client of it."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.console import SCRIPT
from tests.engine_sleep.sleeper import called, completion
from tests.fakes.processes import free_port

TOKEN = "correct-horse"
_WITHIN_S = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GateProcess:
    """One that listens."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def ask(self, method: str, path: str, body: Any = None, *, token: str = "") -> tuple[int, Any]:
        """Status and what was said."""
        return called(f"{self.url}{path}", method, body, token=token, within_s=60)

    def words(self) -> list[int]:
        """What a client is told, greedily."""
        status, said = self.ask("POST", "/v1/completions", completion())
        assert 200 == status, said
        found: list[int] = said["choices"][0]["token_ids"]
        return found

    @property
    def state(self) -> dict[str, Any]:
        """As an admin sees it."""
        status, told = self.ask("GET", "/-/state", token=TOKEN)
        assert 200 == status, told
        found: dict[str, Any] = told
        return found

    def sleep(self) -> None:
        """Told to by an admin, until it does."""
        assert 202 == self.ask("POST", "/-/sleep", token=TOKEN)[0]
        self.until("asleep")

    def until(self, state: str) -> None:
        self.until_it(lambda: self.state["state"] == state)

    def until_it(self, holds: Callable[[], bool], *, within_s: float = _WITHIN_S) -> None:
        until = time.monotonic() + within_s
        while not holds():
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.1)

    def events(self, event: str) -> list[dict[str, Any]]:
        """Its lines of one kind."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in lines if line["event"] == event]


@contextmanager
def gate(engine: str, home: Path, *options: str) -> Iterator[GateProcess]:
    """One of its own, ready; it ends as it is told to."""
    port, log, token = free_port(), home / "gate.log", home / "token"
    token.write_text(TOKEN)
    listen = ("--listen", f"127.0.0.1:{port}", "--admin-token-file", str(token))
    drain = ("--drain-delay-s", "0", "--min-awake-s", "0")
    with log.open("wb") as out:
        process = subprocess.Popen(
            [SCRIPT, "gate", "--engine", engine, *listen, *drain, *options],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    one = GateProcess(url=f"http://127.0.0.1:{port}", log=log, process=process)
    try:
        one.until_it(lambda: "listening" in log.read_text())
        one.until_it(lambda: one.ask("GET", "/readyz")[0] == 200)
        yield one
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(timeout=20)
    finally:
        process.kill()
        process.wait()
