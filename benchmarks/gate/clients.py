"""
Who asks: streams read in C (`streams.c`, compiled here), and wrk for what is no stream.

A client in Python would need more of the processor than what it measures.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from servers import tool

_HERE = Path(__file__).resolve().parent
BODY_BYTES = 2_000
_SCRIPT = """\
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer none"
wrk.body = '{"model": "m", "input": "' .. string.rep("x", %d) .. '"}'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """What clients of streams saw, in milliseconds."""

    right: int
    wrong: int
    first_p50: float
    """From asking to the first byte of the answer's body."""
    first_p99: float
    gap_p50: float
    """From one event to the next."""
    gap_p99: float
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What clients saw that ask as fast as they are answered."""

    requests: int
    per_s: float


class Clients:
    """All of them, from one folder."""

    def __init__(self, into: Path) -> None:
        self._streams = str(into / "streams")
        source = str(_HERE / "streams.c")
        command = [tool("cc"), "-O2", "-o", self._streams, source]
        subprocess.run(command, check=True)
        self._script = into / "post.lua"
        self._script.write_text(_SCRIPT % BODY_BYTES)

    def stream(
        self, port: int, *, connections: int, seconds: float, events: int, over_s: float
    ) -> Streamed:
        """
        Streams, one after another on each connection.

        Args:
            port: whom to ask.
            connections: at once.
            seconds: for so long, the first second not counted.
            events: of one stream, with its last one.
            over_s: the connections begin evenly in this time.
        """
        words = [port, connections, seconds, events, round(over_s * 1000), BODY_BYTES]
        ran = subprocess.run(
            [self._streams, *map(str, words)], stdout=subprocess.PIPE, check=True, text=True
        )
        said = json.loads(ran.stdout)
        return Streamed(
            right=said["right"],
            wrong=said["wrong"],
            first_p50=said["first_ms"]["p50"],
            first_p99=said["first_ms"]["p99"],
            gap_p50=said["gap_ms"]["p50"],
            gap_p99=said["gap_ms"]["p99"],
            events=said["right"] * events,
        )

    def once(self, port: int, connections: int) -> "subprocess.Popen[str]":
        """One request of each connection, all at once; it says `right` and `last_unix_s`."""
        words = [port, connections, 0, 0, 0, BODY_BYTES]
        return subprocess.Popen(
            [self._streams, *map(str, words)], stdout=subprocess.PIPE, text=True
        )

    def ask(self, port: int, *, connections: int, seconds: int) -> Asked:
        """What is no stream, as fast as it is answered."""
        url = f"http://127.0.0.1:{port}/v1/embeddings"
        options = ["-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(self._script)]
        said = subprocess.run(
            [tool("wrk"), *options, url], capture_output=True, check=True, text=True
        )
        if "Non-2xx" in said.stdout or "Socket errors" in said.stdout:
            raise SystemExit(f"not all was answered:\n{said.stdout}")
        return Asked(
            requests=int(_found(r"(\d+) requests in", said.stdout)),
            per_s=float(_found(r"Requests/sec: +([\d.]+)", said.stdout)),
        )


def _found(pattern: str, said: str) -> str:
    found = re.search(pattern, said)
    if found is None:
        raise SystemExit(f"wrk says something else:\n{said}")
    return found[1]
