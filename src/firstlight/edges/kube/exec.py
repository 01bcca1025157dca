"""
A command in a container, and what it prints.

The API server carries `exec` over a WebSocket: each message is a byte that names a channel
and what was said there; the last channel brings how the command ended. Only output is
taken, bounded, and nothing is sent in.
"""

import json
import queue
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S

if TYPE_CHECKING:
    import httpx2

_CHANNELS = ["v5.channel.k8s.io", "v4.channel.k8s.io"]
_STDOUT, _STDERR, _END = 1, 2, 3
_LONGEST_WORDS = 300
_FORBIDDEN = 403


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that has ended."""

    stdout: bytes
    words: str
    """What it complained about; empty where it did not."""
    exit_code: int


def run_in_pod(
    client: "httpx2.Client",
    command: Sequence[str],
    *,
    namespace: str,
    pod: str,
    container: str | None,
    timeout_ns: int,
    most_bytes: int,
) -> Ran:
    """
    Run a command in a container.

    Args:
        client: of the API server, with the user's credentials.
        command: a program and its arguments; no shell is in between.
        namespace: of the pod.
        pod: its name.
        container: None for the pod's only, or default, one.
        timeout_ns: how long it may take.
        most_bytes: how much it may print.

    Raises:
        OutsideFailed: it was not run, or not to its end.
    """
    import httpx2  # noqa: PLC0415
    from httpx2.websockets import (  # noqa: PLC0415
        HTTPXWSException,
        WebSocketUpgradeError,
    )

    where = f"pod {pod} in namespace {namespace}"
    params: list[tuple[str, str | int | float | bool | None]] = [
        ("command", word) for word in command
    ]
    params += [("stdout", "true"), ("stderr", "true")]
    if container is not None:
        params.append(("container", container))
    try:
        with client.websocket(
            f"/api/v1/namespaces/{namespace}/pods/{pod}/exec",
            subprotocols=_CHANNELS,
            params=params,
        ) as session:
            return _heard(session, until_ns=time.monotonic_ns() + timeout_ns, most_bytes=most_bytes)
    except WebSocketUpgradeError as e:
        raise _not_run(e.response, where) from e
    except (TimeoutError, queue.Empty) as e:
        raise OutsideFailed(
            f"a command in {where} did not end within {timeout_ns / NS_PER_S:.0f} s",
            remedy="see whether the container still answers: `kubectl exec`",
        ) from e
    except (HTTPXWSException, httpx2.HTTPError, OSError) as e:
        raise OutsideFailed(
            f"the connection to {where} broke: {str(e) or type(e).__name__}",
            remedy="see whether `kubectl exec` works there",
        ) from e


def _heard(session: Any, *, until_ns: int, most_bytes: int) -> Ran:
    stdout, complaint = bytearray(), bytearray()
    while True:
        left_s = (until_ns - time.monotonic_ns()) / NS_PER_S
        if left_s <= 0:
            raise TimeoutError
        message = session.receive_bytes(timeout=left_s)
        channel, said = message[0], message[1:]
        if channel == _STDOUT:
            stdout += said
        elif channel == _STDERR and len(complaint) < _LONGEST_WORDS:
            complaint += said
        elif channel == _END:
            exit_code, words = _ending(said)
            words = complaint.decode(errors="replace").strip() or words
            return Ran(stdout=bytes(stdout), words=words[:_LONGEST_WORDS], exit_code=exit_code)
        if len(stdout) > most_bytes:
            raise OutsideFailed(
                f"a command in a pod printed more than {most_bytes >> 20} MiB",
                remedy="leave out --probe-from, or give the folder of this start's records alone",
            )


def _ending(said: bytes) -> tuple[int, str]:
    """The exit code and the words of the last message; -1 where the command never ran."""
    try:
        told = json.loads(said)
    except ValueError:
        return -1, said.decode(errors="replace")
    if told.get("status") == "Success":
        return 0, ""
    for cause in (told.get("details") or {}).get("causes") or []:
        if cause.get("reason") == "ExitCode" and str(cause.get("message", "")).isdecimal():
            return int(cause["message"]), str(told.get("message", ""))
    return -1, str(told.get("message", ""))


def _not_run(response: "httpx2.Response", where: str) -> OutsideFailed:
    try:
        words = json.loads(response.read()).get("message", "")
    except Exception:  # noqa: BLE001 - a body that cannot be read says nothing
        words = ""
    words = str(words)[:_LONGEST_WORDS] or f"HTTP {response.status_code}"
    if response.status_code == _FORBIDDEN:
        return OutsideFailed(
            f"you may not run a command in {where}: {words}",
            remedy='grant the verbs "get" and "create" on pods/exec (docs/rbac/measure.yaml), or '
            "leave out --probe-from",
        )
    return OutsideFailed(
        f"no command could be run in {where}: {words}",
        remedy="see whether `kubectl exec` works there, or leave out --probe-from",
    )
