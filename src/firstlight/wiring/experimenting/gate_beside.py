"""
A gateway beside the engine of a round: `firstlight gate` as a process of its own, as in a pod.

It ends with the round, also where firstlight itself is killed: it is guarded as engines are. It
never puts the engine to sleep by itself, and it waits less long for the engine than it is waited
for, so that what went wrong is told in its words.
"""

import os
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from firstlight.core.errors import BadInput
from firstlight.core.units import NS_PER_S, seconds
from firstlight.edges.engine_process import EngineProcess
from firstlight.edges.gate_cycle import GateAt

_BOOT = "from firstlight.cli.main import run; run()"
_HOST = "127.0.0.1"
_GRACE_NS = 5 * NS_PER_S
_TOKEN_BYTES = 24
_EXTRA = ("aiohttp", "prometheus_client")


def require_gateway() -> None:
    """
    See that a gateway could be started here.

    Raises:
        BadInput: it could not.
    """
    if missing := [name for name in _EXTRA if find_spec(name) is None]:
        raise BadInput(
            f"wake-ups go through a gateway, and that needs its extra ({missing[0]} is not "
            "installed)",
            remedy="pip install 'firstlight[gateway]'",
        )


@contextmanager
def gate_beside(
    engine: str, *, api_key: str | None, level: int, within_ns: int
) -> Iterator[GateAt]:
    """
    Within, a gateway is there; whether it is ready yet is for whoever uses it to see.

    Args:
        engine: its URL.
        api_key: of the engine; None where it asks for none.
        level: of the sleeps.
        within_ns: what the engine is given to fall asleep, and to wake.

    Raises:
        FirstlightError: no process can be started here.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with TemporaryDirectory(prefix="firstlight-gate-") as folder:
        file = Path(folder) / "token"
        file.write_text(token)
        port, within_s = _free_port(), f"{seconds(within_ns):g}"
        process = EngineProcess.start(
            command=[
                *(sys.executable, "-c", _BOOT, "gate"),
                *("--engine", engine, "--listen", f"{_HOST}:{port}"),
                *("--admin-token-file", str(file), "--level", str(level)),
                *("--idle-s", "0", "--min-awake-s", "0", "--drain-delay-s", "0", "--drain-s", "1"),
                *("--sleep-within-s", within_s, "--wake-within-s", within_s, "--wait-s", within_s),
            ],
            environment=_environment(api_key),
            log_path=str(Path(folder) / "gate.log"),
            unix_offset_ns=0,
            secrets=[one for one in (token, api_key) if one],
        )
        try:
            yield GateAt(
                url=f"http://{_HOST}:{port}",
                token=token,
                level=level,
                lines=process.new_lines,
                ended=lambda: process.wait(timeout_ns=0) is not None,
            )
        finally:
            process.stop(grace_ns=_GRACE_NS)


def _environment(api_key: str | None) -> dict[str, str]:
    """Our own, with the engine's key in it and no other."""
    ours = {name: value for name, value in os.environ.items() if name != "VLLM_API_KEY"}
    return {**ours, "VLLM_API_KEY": api_key} if api_key else ours


def _free_port() -> int:
    """One that nobody had a moment ago; a gateway that does not get it says so and ends."""
    with socket.create_server((_HOST, 0)) as listening:
        port: int = listening.getsockname()[1]
    return port
