"""A round of an experiment through a gateway: what is timed, and what is said of failures."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from firstlight.edges.gate_cycle import GateAt, gate_cycle
from tests.fakes.canned_server import canned, reply
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import TOKEN, Front, gated

S = 1_000_000_000
CYCLE: dict[str, Any] = {"model": "m", "api_key": None, "chat": False, "timeout_ns": 2 * S}


def lines(front: Front) -> Callable[[], Sequence[tuple[int, str]]]:
    """What it said since the last call, as a process's output is read."""
    told = 0

    def new() -> Sequence[tuple[int, str]]:
        nonlocal told
        found, now_ns = front.said.splitlines()[told:], time.monotonic_ns()
        told += len(found)
        return [(now_ns, one) for one in found]

    return new


def at(url: str, lines: Callable[[], Sequence[tuple[int, str]]] = lambda: ()) -> GateAt:
    return GateAt(url=url, token=TOKEN, level=1, lines=lines, ended=lambda: False)


async def cycle(front: Front, **changed: Any) -> dict[str, Any]:
    """One, in a thread of its own."""
    gate = at(f"http://127.0.0.1:{front.gate.server.port}", lines(front))
    return await asyncio.to_thread(partial(gate_cycle, gate, **CYCLE | changed))


async def test_one_request_wakes_what_the_gateway_put_to_sleep(tmp_path: Path) -> None:
    """Nobody else calls the engine; each moment is after the one before, and its log is kept."""
    async with (
        fake_engine(wake_takes_s=0.1) as engine,
        gated(engine, tmp_path) as front,
    ):
        found = await cycle(front)

        calls = engine.calls()
    names = ("sleep_asked", "asleep", "wake_asked", "woken", "verified", "first_token")
    moments = [found[f"{name}_ns"] for name in names]
    assert (None, sorted(moments)) == (found["problem"], moments)
    assert 0.1 * S < found["woken_ns"] - found["wake_asked_ns"] < 1 * S
    assert ["POST /sleep?level=1&mode=wait", "POST /wake_up"] == calls
    assert ("gateway", 404, 1.0) == (found["through"], found["control_status"], found["agreement"])
    assert "/health answered 200" == found["health_asleep"]
    assert all(0 < found["fixed_request_s"][when] < 1 for when in ("before", "after"))
    assert ["listening", "slept", "woke", "verified"] == [
        event for event in events(found) if event not in {"state", "admin", "turned_away"}
    ]


def events(found: dict[str, Any]) -> list[str]:
    return [line.split('"event": "')[1].split('"')[0] for line in found["gate_log"]]


async def test_a_sleep_that_fails_is_told_in_the_gateways_words(tmp_path: Path) -> None:
    """It was woken again by the gateway, so the engine answers."""
    async with fake_engine(sleep_fails=True) as engine, gated(engine, tmp_path) as front:
        found = await cycle(front)

        assert 200 == (await front.complete())[0]
    assert found["problem"].startswith(
        "it did not fall asleep: it failed to fall asleep: /sleep answered 500"
    )
    assert "asleep_ns" not in found


async def test_an_engine_that_cannot_sleep_is_told(tmp_path: Path) -> None:
    """The gateway refuses the order, and knows why."""
    async with fake_engine(dev_mode=False) as engine, gated(engine, tmp_path) as front:
        found = await cycle(front)

    assert found["problem"].startswith("/-/sleep answered 409: ")
    assert "VLLM_SERVER_DEV_MODE" in found["problem"]


async def test_a_wake_up_that_fails_is_told_as_the_client_is(tmp_path: Path) -> None:
    """503 with the gateway's words, and how that leaves the engine."""
    async with fake_engine(wake_kills=True) as engine, gated(engine, tmp_path) as front:
        found = await cycle(front)

    assert found["problem"].startswith(
        "no token after the sleep: POST /v1/completions answered 503"
    )
    assert "the wake-up failed" in found["problem"]
    assert found["problem"].endswith("/-/engine-livez is 503")
    assert "first_token_ns" not in found


async def test_weights_that_did_not_come_back_are_no_wake_up(tmp_path: Path) -> None:
    """The gateway sees it first, and lets nobody have such an answer."""
    async with fake_engine() as engine, gated(engine, tmp_path, level=2) as front:
        engine.hazards.weights_lost = True
        found = await cycle(front)

    assert "answered 503" in found["problem"]
    assert found["problem"].endswith("/-/engine-livez is 503")


async def test_a_chat_model_behind_a_key(tmp_path: Path) -> None:
    """The client brings the engine's key; the admin's token is another's."""
    async with (
        fake_engine(kinds=("chat",), key="secret-of-clients") as engine,
        gated(engine, tmp_path, api_key="secret-of-clients") as front,
    ):
        found = await cycle(front, api_key="secret-of-clients", chat=True)

    assert (None, 1.0) == (found["problem"], found["agreement"])
    assert "secret-of-clients" not in str(found)


def test_what_passes_control_routes_is_no_gateway() -> None:
    """Nothing is put to sleep through it."""
    with canned(reply(200, b"{}")) as server:
        found = gate_cycle(at(server.url), **CYCLE)
        asked = [request.split(b" HTTP")[0].decode() for request in server.asked]

    assert "GET /is_sleeping answered 200 through the gateway, and not 404" == found["problem"]
    assert ["GET /readyz", "GET /is_sleeping"] == asked


def test_a_gateway_that_ends_has_said_why() -> None:
    """Such as a port that somebody else took meanwhile."""
    said = iter([[(1, "Error: nobody can listen here"), (2, "Remedy: another port")], []])
    gate = at("http://127.0.0.1:1", lambda: next(said))

    found = gate_cycle(replace(gate, ended=lambda: True), **CYCLE)

    assert (
        "the gateway ended: Error: nobody can listen here Remedy: another port" == found["problem"]
    )


def test_one_that_is_never_ready_is_told_with_its_words() -> None:
    """An engine that answers no token, say."""
    with canned(reply(503, b"the engine is not there yet\n")) as server:
        found = gate_cycle(at(server.url), **CYCLE | {"timeout_ns": S // 5})

    assert "the gateway was never ready: the engine is not there yet" == found["problem"]
