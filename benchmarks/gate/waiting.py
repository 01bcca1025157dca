"""
A thousand requests before an engine that sleeps: what they cost, and how soon they are gone.

The first of them wakes it, which takes long enough here for all of them to be there. Counted is
from the engine's answer to the wake-up, so what the gateway asks before it lets anybody in, is it
awake and does it answer, is in it.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from clients import Clients
from servers import Server, engine, gateway, say_asleep

REQUESTS = 1_000
_WAKE_S, _THERE_WITHIN_S = 6, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """One time."""

    released_s: float
    bytes_each: float


def waited(into: Path, clients: Clients) -> Waited:
    """
    Have them wait before a gateway that has done nothing yet, and wake the engine.

    Args:
        into: a folder, which is made.
        clients: ask.
    """
    into.mkdir()
    with (
        engine(into / "engine", asleep=True, wake_s=_WAKE_S) as behind,
        gateway(into / "gate", behind) as gate,
    ):
        bare = gate.resident_bytes
        with clients.once(gate.port, REQUESTS) as asking:
            _await_all(gate)
            full = gate.resident_bytes
            say_asleep(behind.into, asleep=False)
            said = json.loads(asking.communicate(timeout=60)[0])
        if said["right"] != REQUESTS:
            raise SystemExit(f"of {REQUESTS} that waited {said['right']} were answered")
        woken = float((behind.into / "woken").read_text())
    return Waited(released_s=said["last_unix_s"] - woken, bytes_each=(full - bare) / REQUESTS)


def _await_all(gate: Server) -> None:
    deadline = time.monotonic() + _THERE_WITHIN_S
    while f"firstlight_gate_waiting {REQUESTS}.0" not in (gate.says("/metrics") or ""):
        if time.monotonic() > deadline:
            raise SystemExit(f"{REQUESTS} requests should wait, and do not")
        time.sleep(0.05)
