"""The installed command, run as people run it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = Path(sys.executable).with_name("firstlight")

HEAD = "(APIServer pid=1) INFO 03-04 05:{}:00 [api_server.py:1] "
START = (
    HEAD.format("01")
    + "vLLM API server version 0.26.0\n"
    + HEAD.format("02")
    + "Starting to load model /m...\n"
    + HEAD.format("03")
    + "Loading weights took 59.50 seconds\n"
    + HEAD.format("04")
    + "Application startup complete.\n"
).encode()
"""A start of three minutes."""

ANOTHER_PROGRAM = b"2026/03/04 05:06:07 [notice] 1#1: nginx/1.27.0\n" * 20
BINARY = bytes(range(256)) * 64


def firstlight(
    *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command; its colours are off unless the test turns them on."""
    return subprocess.run(
        [SCRIPT, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "TERM": "dumb", **(env or {})},
        timeout=30,
    )


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What stood on standard error; a traceback there is a failure of any test."""
    text = done.stderr.decode()
    assert "Traceback" not in text
    return text


def explained(*arguments: str | Path, stdin: bytes = b"") -> dict[str, Any]:
    """The document that `explain` prints."""
    done = firstlight("explain", *arguments, "--output", "json", stdin=stdin)
    assert "" == said(done)
    assert 0 == done.returncode
    document: dict[str, Any] = json.loads(done.stdout)
    return document
