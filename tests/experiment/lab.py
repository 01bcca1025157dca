"""A fake `vllm` on a port of its own, and plans for it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.console import SCRIPT
from tests.fakes.processes import free_port, left_over, wait_until_gone

_FAKE = Path(__file__).with_name("fake_vllm.py")
STREAM, CACHE = "stream-weights", "compile-cache-local"
PLACEBO = {"change": "placebo", "process": {"environment": {"FIRSTLIGHT_PLACEBO": "1"}}}
GIVEN = {"model_uri": "s3://bucket/m", "model_mount": "/mnt/m", "cache_dir": "${node}/cache"}
_TIMES = {"begun_ns", "ended_ns", "began_ns", "at_ns", "home"}
"""And the folder, which two runs cannot share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """A folder, and an engine in it."""

    home: Path
    port: int

    @property
    def run(self) -> Path:
        return self.home / "run"

    @property
    def vllm(self) -> Path:
        return self.home / "bin" / "vllm"

    def plan(
        self,
        *,
        steps: Sequence[object] = ({"technique": CACHE},),
        environment: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> Path:
        """A plan in a file; JSON is YAML too."""
        process = {
            "command": [str(self.vllm), "serve", "MODEL", "--port", str(self.port)],
            "environment": {"VLLM_NO_USAGE_STATS": "1", **(environment or {})},
        }
        named = [one.get("technique") for one in steps if isinstance(one, dict)]
        given = dict(GIVEN) if STREAM in named else {"cache_dir": GIVEN["cache_dir"]}
        base: dict[str, Any] = {"process": process}
        if STREAM in named:
            base |= {"technique": "fuse-mount"}
        whole = {
            "schema": "firstlight.plan/1",
            "name": "a plan for a test",
            "base": base,
            "given": given if {STREAM, CACHE} & set(named) else {},
            "steps": list(steps),
            "rounds": 1,
            "serving": {"prompts": ["hello you"], "tokens": 3},
            "timeout_s": 10,
            **fields,
        }
        path = self.home / "plan.yaml"
        path.write_text(json.dumps(whole, indent=1))
        return path

    def change(self, *changes: tuple[str, str]) -> None:
        """Another engine: what stands first in each is replaced by what stands second."""
        own = self.vllm.read_text()
        for before, after in changes:
            assert before in own
            own = own.replace(before, after, 1)
        self.vllm.write_text(own)

    def say(
        self, *words: str | Path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """`firstlight experiment` with these words."""
        return experiment(words, env=env)

    def begun(self, plan: Path, *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
        """A run that goes on beside the test."""
        return subprocess.Popen(
            [SCRIPT, "experiment", "run", plan, "--into", self.run, "--yes"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
        )

    def report(self) -> dict[str, Any]:
        """The document of the run."""
        done = self.say("report", self.run, "--output", "json")
        assert 0 == done.returncode, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    def ledger(self) -> list[dict[str, Any]]:
        """Its lines without anything that is a time."""
        return timeless(self.run / "ledger.jsonl")

    def placeless(self) -> list[dict[str, Any]]:
        """The same lines as in any other folder."""
        return placeless(self.run / "ledger.jsonl")

    def rounds(self) -> int:
        """How many rounds have a line in it."""
        file = self.run / "ledger.jsonl"
        return file.read_bytes().count(b"\n") - 1 if file.exists() else 0

    def engines(self) -> list[int]:
        """The processes of the engine."""
        return [int(line.partition(":")[0]) for line in left_over(str(self.vllm))]

    def kill_engines(self) -> int:
        """SIGKILL to all that are there; how many were."""
        killed = 0
        for pid in self.engines():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        return killed


def experiment(
    words: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    through: Sequence[str | Path] = (),
) -> subprocess.CompletedProcess[str]:
    """`firstlight experiment` with these words, as a child of the command before them."""
    done = subprocess.run(
        [*through, SCRIPT, "experiment", *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "dumb", **(env or {})},
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def until(happened: Callable[[], object]) -> None:
    """Wait for it, for a minute."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


def timeless(path: Path) -> list[dict[str, Any]]:
    """A ledger's lines without anything that is a time."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: v for name, v in line.items() if name not in _TIMES} for line in lines]


def placeless(path: Path) -> list[dict[str, Any]]:
    """Those lines but for the plan's digest, which knows the port and the folder."""
    return [{name: v for name, v in line.items() if name != "digest"} for line in timeless(path)]


@contextmanager
def a_lab(home: Path) -> Iterator[Lab]:
    """Ends in a search for engines left behind."""
    one = Lab(home=home, port=free_port())
    one.vllm.parent.mkdir()
    one.vllm.write_text(f"#!{sys.executable} -SB\n{_FAKE.read_text()}")
    one.vllm.chmod(0o755)
    yield one
    assert [] == wait_until_gone(str(one.vllm))
