"""
A command in a container, and what it prints.

The API server carries `exec` over a WebSocket: each message is a byte that names a channel
and what was said there; the last channel brings how the command ended. Only output is
taken, bounded, and nothing is sent in. It is asked for once: a command whose answer was
lost may have run.
"""

import base64
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.wire import KubeWire

if TYPE_CHECKING:
    from httpx2.websockets import WebSocketSession

_CHANNELS = "v5.channel.k8s.io, v4.channel.k8s.io"
_STDOUT, _STDERR, _END = 1, 2, 3
_LONGEST_WORDS = 300
_SWITCHED = 101
_LONGEST_CODE = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that has ended."""

    stdout: bytes
    words: str
    """What it complained about; empty where it did not."""
    exit_code: int
    """-1 where it never ran."""


def run_in_pod(
    wire: KubeWire,
    command: Sequence[str],
    *,
    path: str,
    container: str | None,
    timeout_ns: int,
    most_bytes: int,
) -> Ran | Refused:
    """
    Run a command in a container.

    Args:
        wire: to the API server.
        command: a program and its arguments; no shell is in between.
        path: the pod's, for exec.
        container: None for the pod's only, or default, one.
        timeout_ns: how long it may take.
        most_bytes: how much it may print.

    Raises:
        OutsideFailed: it was not run, or not to its end.
    """
    from httpx2.websockets import HTTPXWSException  # noqa: PLC0415

    until_ns = time.monotonic_ns() + timeout_ns
    params: dict[str, str | Sequence[str]] = {
        "command": tuple(command),
        "stdout": "true",
        "stderr": "true",
    }
    if container is not None:
        params["container"] = container
    with wire.open(
        "GET",
        path,
        params,
        headers=_upgrade(),
        silence_ns=timeout_ns,
        patience_ns=0,
        behind_is_an_answer=True,
    ) as reply:
        if isinstance(reply, Refused):
            return reply
        if reply.status != _SWITCHED:
            raise OutsideFailed(
                f"{wire.access.server} does not switch to a WebSocket, it answers {reply.status}",
                remedy="see whether a proxy stands in between; `kubectl exec` must work",
            )
        try:
            with reply.websocket() as session:
                return _heard(session, path, until_ns=until_ns, most_bytes=most_bytes)
        except TimeoutError as e:
            raise OutsideFailed(
                f"a command in {_pod(path)} did not end within {timeout_ns / NS_PER_S:g} s",
                remedy="see whether the container still answers: `kubectl exec`",
            ) from e
        except (HTTPXWSException, OSError) as e:
            raise OutsideFailed(
                f"the connection to a command in {_pod(path)} broke: {e or type(e).__name__}",
                remedy="see whether `kubectl exec` works there",
            ) from e


def _heard(session: "WebSocketSession", path: str, *, until_ns: int, most_bytes: int) -> Ran:
    stdout, complaint = bytearray(), bytearray()
    while True:
        left_s = (until_ns - time.monotonic_ns()) / NS_PER_S
        if left_s <= 0:
            raise TimeoutError
        message = session.receive_bytes(timeout=left_s)
        channel, said = message[:1], message[1:]
        if channel == bytes([_STDOUT]):
            stdout += said
        elif channel == bytes([_STDERR]) and len(complaint) < _LONGEST_WORDS:
            complaint += said
        elif channel == bytes([_END]):
            exit_code, words = _ending(said)
            words = complaint.decode(errors="replace").strip() or words
            return Ran(stdout=bytes(stdout), words=words[:_LONGEST_WORDS], exit_code=exit_code)
        if len(stdout) > most_bytes:
            raise OutsideFailed(
                f"a command in {_pod(path)} printed more than {most_bytes >> 20} MiB",
                remedy="have it print less",
            )


def _ending(said: bytes) -> tuple[int, str]:
    """The exit code and the words of the last message; -1 where it tells of none."""
    try:
        told = json.loads(said)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return -1, said.decode(errors="replace")
    if told.get("status") == "Success":
        return 0, ""
    words = str(told.get("message") or "")
    for cause in _causes(told.get("details")):
        code = str(cause.get("message"))
        if cause.get("reason") == "ExitCode" and code.isdecimal() and len(code) <= _LONGEST_CODE:
            return int(code), words
    return -1, words


def _causes(details: object) -> list[dict[str, Any]]:
    causes = details.get("causes") if isinstance(details, dict) else None
    return [one for one in causes if isinstance(one, dict)] if isinstance(causes, list) else []


def _upgrade() -> dict[str, str]:
    return {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": _CHANNELS,
    }


def _pod(path: str) -> str:
    """The pod of an exec path."""
    return f"pod {path.split('/')[-2]}"
