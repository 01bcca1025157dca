"""The real engine with the worker that sleeps, and what its process says of its memory."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.edges.sleep_cycle import sleep_cycle
from tests.conftest import PREPARE
from tests.fakes.processes import free_port

WORKER = ("--worker-cls", "sleeping_worker.SleepingWorker")
_SMALL = ("--max-model-len", "512", "--max-num-batched-tokens", "512", "--max-num-seqs", "8")
_KV = ("--kv-cache-memory-bytes", "16M")
_COMES_UP_S = 120
S = 1_000_000_000


def command(engine: Path, port: int) -> list[str]:
    """The engine, small, able to sleep."""
    vllm = str(engine / "venv" / "bin" / "vllm")
    return [vllm, "serve", str(engine / "model"), "--port", str(port), *_SMALL, *_KV, *WORKER]


def environment(caches: Path) -> dict[str, str]:
    """What it needs besides."""
    return {
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_USE_AOT_COMPILE": "0",
        "VLLM_CACHE_ROOT": str(caches / "vllm"),
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
        "VLLM_SERVER_DEV_MODE": "1",
        "PYTHONPATH": str(PREPARE.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleeper:
    """One that is up."""

    url: str
    log: Path
    folder: Path
    """Where its file goes while it sleeps; it has no name there."""
    session: int

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        within_s: int = 20,
    ) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        asked = urllib.request.Request(  # noqa: S310
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(asked, timeout=within_s) as reply:  # noqa: S310
                return reply.status, json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read())

    def words(self) -> list[int]:
        """What it says, greedily."""
        body = {"prompt": "A pod waits", "max_tokens": 12, "temperature": 0}
        _, said = self.call("POST", "/v1/completions", body | {"return_token_ids": True})
        found: list[int] = said["choices"][0]["token_ids"]
        return found

    def cycle(self, *, level: int = 1, timeout_s: int = 20) -> dict[str, Any]:
        """Asleep and awake, as an experiment does it."""
        return sleep_cycle(
            self.url, model=None, api_key=None, chat=False, level=level, timeout_ns=timeout_s * S
        )

    def fell_asleep(self) -> None:
        assert (200, {"status": "sleeping", "level": 1}) == self.call("POST", "/sleep")

    def woke_up(self) -> None:
        assert (200, {"status": "awake", "tags": None}) == self.call("POST", "/wake_up")

    def worker(self) -> Path:
        """The /proc folder of the process that holds the model."""
        (found,) = [
            entry
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and self._is_worker(entry)
        ]
        return found

    def _is_worker(self, entry: Path) -> bool:
        with suppress(OSError):
            of = os.getsid(int(entry.name))
            return of == self.session and b"VLLM::Worker" in (entry / "cmdline").read_bytes()
        return False

    def resident(self) -> int:
        """Bytes of the worker in memory."""
        status = (self.worker() / "status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1024

    def files(self) -> list[Path]:
        """The worker's open files in the folder, by descriptor."""
        found: list[Path] = []
        for fd in (self.worker() / "fd").iterdir():
            with suppress(OSError):
                if str(fd.readlink()).startswith(f"{self.folder}/"):
                    found.append(fd)
        return found


@contextmanager
def started(engine: Path, home: Path) -> Iterator[Sleeper]:
    """One start, without compiling; nothing of it is left."""
    port, log, folder = free_port(), home / "engine.log", home / "asleep"
    folder.mkdir()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command(engine, port), "--enforce-eager"],
            env={**os.environ, **environment(home), "SLEEPING_WORKER_FOLDER": str(folder)},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    one = Sleeper(url=f"http://127.0.0.1:{port}", log=log, folder=folder, session=process.pid)
    try:
        _until_up(one, process)
        yield one
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=30)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _until_up(one: Sleeper, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _COMES_UP_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError):
            if one.call("GET", "/health")[0] == 200:
                return
        time.sleep(0.2)
    raise AssertionError(one.log.read_text()[-3000:])
