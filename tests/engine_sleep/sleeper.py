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
from firstlight.sleeping.environment import VARIABLE, WORKER, with_sleep
from tests.fakes.processes import free_port

_SMALL = ("--max-model-len", "512", "--max-num-batched-tokens", "512", "--max-num-seqs", "8")
_KV = ("--kv-cache-memory-bytes", "16M")
KV_BYTES = 16 << 20
_KV_TOKENS = 2048
_PROMPT_TOKENS = 480
_COMES_UP_S = 240
S = 1_000_000_000


def command(engine: Path, port: int) -> list[str]:
    """The engine, small, able to sleep."""
    vllm = str(engine / "venv" / "bin" / "vllm")
    return [vllm, "serve", str(engine / "model"), "--port", str(port), *_SMALL, *_KV, *WORKER]


def environment(caches: Path) -> dict[str, str]:
    """What it needs besides."""
    return with_sleep(
        {
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "VLLM_USE_AOT_COMPILE": "0",
            "VLLM_CACHE_ROOT": str(caches / "vllm"),
            "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
    )


def called(
    url: str,
    method: str,
    body: Mapping[str, object] | None = None,
    *,
    token: str = "",
    within_s: int = 20,
) -> tuple[int, Any]:
    """Status of an answer, and its JSON or else its text."""
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(  # noqa: S310
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={**headers, "Authorization": f"Bearer {token}"} if token else headers,
    )
    try:
        with urllib.request.urlopen(asked, timeout=within_s) as reply:  # noqa: S310
            return reply.status, _read(reply.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, _read(refused.read())


def _read(body: bytes) -> Any:
    try:
        return json.loads(body or b"null")
    except ValueError:
        return body.decode()


def completion(prompt: str | list[int] = "A pod waits", **more: object) -> dict[str, object]:
    """A request whose answer is the same each time."""
    greedy = {"max_tokens": 12, "temperature": 0, "return_token_ids": True}
    return {"prompt": prompt, **greedy, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleeper:
    """One that is up."""

    url: str
    log: Path
    folder: Path
    """Where its file goes while it sleeps; it has no name there."""
    process: subprocess.Popen[bytes]
    """Its front end."""

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        within_s: int = 20,
    ) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        return called(f"{self.url}{path}", method, body, within_s=within_s)

    def words(self, prompt: str | list[int] = "A pod waits") -> list[int]:
        """What it says, greedily."""
        _, said = self.call("POST", "/v1/completions", completion(prompt))
        found: list[int] = said["choices"][0]["token_ids"]
        return found

    def fill(self) -> None:
        """Touch each page of the KV cache: more prompts than it holds, none like another."""
        for n in range(_KV_TOKENS // _PROMPT_TOKENS + 2):
            self.words([(n * 37 + i * 7) % 2000 + 3 for i in range(_PROMPT_TOKENS)])

    def cycle(self, *, level: int = 1, timeout_s: int = 20) -> dict[str, Any]:
        """Asleep and awake, as an experiment does it."""
        return sleep_cycle(
            self.url, model=None, api_key=None, chat=False, level=level, timeout_ns=timeout_s * S
        )

    def fell_asleep(self, level: int = 1) -> None:
        said = self.call("POST", f"/sleep?level={level}")
        assert (200, {"status": "sleeping", "level": level}) == said

    def woke_up(self) -> None:
        assert (200, {"status": "awake", "tags": None}) == self.call("POST", "/wake_up")

    def loaded_again(self) -> None:
        """Awake from level 2, in vLLM's own order."""
        partly = self.call("POST", "/wake_up?tags=weights")
        loaded = self.call("POST", "/collective_rpc", {"method": "reload_weights"})
        wholly = self.call("POST", "/wake_up?tags=kv_cache")
        assert (200, {"status": "sleeping", "tags": ["weights"]}) == partly
        assert (200, {"results": [None]}) == loaded
        assert (200, {"status": "awake", "tags": ["kv_cache"]}) == wholly

    def says(self, *, within_s: int = 20) -> tuple[int, object]:
        """Status of its health; what it says of its sleep, the status where that is no 200."""
        health, _ = self.call("GET", "/health", within_s=within_s)
        status, said = self.call("GET", "/is_sleeping", within_s=within_s)
        return health, said["is_sleeping"] if status == 200 else status

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
            return of == self.process.pid and b"VLLM::Worker" in (entry / "cmdline").read_bytes()
        return False

    def resident(self) -> int:
        """Bytes of the worker in memory."""
        status = (self.worker() / "status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1024

    def files(self, folder: Path | None = None) -> list[Path]:
        """The worker's open files in its folder, or in another, by descriptor."""
        found: list[Path] = []
        for fd in (self.worker() / "fd").iterdir():
            with suppress(OSError):
                if str(fd.readlink()).startswith(f"{folder or self.folder}/"):
                    found.append(fd)
        return found


@contextmanager
def started(
    engine: Path, home: Path, *, stays: bool = True, port: int | None = None
) -> Iterator[Sleeper]:
    """
    One start, without compiling; nothing of it is left.

    Args:
        engine: the folder with the real one.
        home: a folder for its caches, its log and what it keeps while it sleeps.
        stays: whether its front end goes on answering when what is behind it is gone.
        port: None for one that is free.
    """
    port = port or free_port()
    log, folder = home / "engine.log", home / "asleep"
    home.mkdir(exist_ok=True)
    folder.mkdir()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command(engine, port), "--enforce-eager"],
            env={
                **os.environ,
                **environment(home),
                VARIABLE: str(folder),
                "VLLM_KEEP_ALIVE_ON_ENGINE_DEATH": "1" if stays else "0",
            },
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    one = Sleeper(url=f"http://127.0.0.1:{port}", log=log, folder=folder, process=process)
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
