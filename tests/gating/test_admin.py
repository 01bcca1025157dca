"""Who may give orders, and what of a client is ever told on."""

import json
import os
import time
from pathlib import Path

import pytest

from firstlight.gateway.states import State
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import TOKEN, gated, until
from tests.gating.quoting_engine import quoting_engine

ANOTHER = "battery-staple"
ORDERS = [("POST", "/-/sleep"), ("POST", "/-/wake"), ("GET", "/-/state")]


@pytest.mark.parametrize(("method", "path"), ORDERS)
async def test_nobody_gets_in_without_the_token(tmp_path: Path, method: str, path: str) -> None:
    """None, a wrong one, a part of it, another scheme."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        for token in (None, "wrong", TOKEN[:-1], f"{TOKEN}x", "ä"):
            status, words = await front.ask(path, method=method, token=token)
            assert (401, "invalid_api_key") == (status, json.loads(words)["error"]["code"])

        assert front.state is State.AWAKE
        assert [] == engine.calls()
        assert TOKEN not in front.said


@pytest.mark.parametrize(("method", "path"), ORDERS)
async def test_without_a_token_file_there_are_no_such_routes(
    tmp_path: Path, method: str, path: str
) -> None:
    """As with any route that is not there."""
    async with fake_engine() as engine, gated(engine, tmp_path, admin_token_file=None) as front:
        status, words = await front.ask(path, method=method, token=TOKEN)

        assert (404, "no_such_route") == (status, json.loads(words)["error"]["code"])


async def test_a_token_that_rotates_counts_at_once(tmp_path: Path) -> None:
    """Neither the old one nor anybody gets in while there is none; one line says so."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        file = tmp_path / "token"
        assert 200 == (await front.ask("/-/state", token=TOKEN))[0]
        file.write_text(f"{ANOTHER}\n")
        assert 401 == (await front.ask("/-/state", token=TOKEN))[0]
        assert 200 == (await front.ask("/-/state", token=ANOTHER))[0]
        file.write_text("\n")
        assert 401 == (await front.ask("/-/state", token=ANOTHER))[0]
        file.unlink()
        assert 401 == (await front.ask("/-/state", token=ANOTHER))[0]

        problems = [line for line in front.events("admin") if "problem" in line]
        assert [f"the file of the admin token is empty: {file}"] == [
            line["problem"] for line in problems
        ]


async def test_orders_are_given_by_post(tmp_path: Path) -> None:
    """A link that somebody follows puts nothing to sleep."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        for path, method in (("/-/sleep", "GET"), ("/-/wake", "PUT"), ("/-/state", "POST")):
            assert 405 == (await front.ask(path, method=method, token=TOKEN))[0]
        assert 405 == (await front.ask("/readyz", method="POST"))[0]
        assert [] == engine.calls()


async def test_an_order_is_answered_with_where_the_engine_is(tmp_path: Path) -> None:
    """202 where it is taken up, also where nothing is left to do; 409 where it cannot be."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        assert (202, "falling asleep") == told(await front.admin("/-/sleep"))
        await front.until(State.ASLEEP)
        assert (202, "asleep") == told(await front.admin("/-/sleep"))
        assert (202, "waking") == told(await front.admin("/-/wake"))
        await front.until(State.AWAKE)
        assert (202, "awake") == told(await front.admin("/-/wake"))
        await engine.kill()
        await front.until(State.STARTING)
        assert (409, "starting") == told(await front.admin("/-/sleep"))
        assert (409, "starting") == told(await front.admin("/-/wake"))


def told(answer: tuple[int, dict[str, object]]) -> tuple[int, object]:
    return answer[0], answer[1]["state"]


async def test_nothing_of_a_request_is_in_the_log(tmp_path: Path) -> None:
    """Neither of one that was answered, nor of one that was refused, nor of a wrong token."""
    async with fake_engine(wake_kills=True) as engine, gated(engine, tmp_path) as front:
        await front.complete("a prompt of mine")
        guess = "token-of-mine"
        await front.ask("/v1/../sleep?a=path-of-mine", token=guess)
        await front.ask("/-/state", token=guess)
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        assert 503 == (await front.complete("a prompt of mine"))[0]

        await until(lambda: bool(front.events("turned_away")))
        assert "mine" not in front.said


async def test_a_pipe_in_the_place_of_the_token_holds_up_nobody(tmp_path: Path) -> None:
    """Nobody gets in, and everybody else goes on."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        (tmp_path / "token").unlink()
        os.mkfifo(tmp_path / "token")
        began_s = time.monotonic()

        assert 401 == (await front.ask("/-/state", token=TOKEN))[0]
        assert 401 == (await front.ask("/-/state"))[0]

        assert 0.5 > time.monotonic() - began_s
        assert "it is no regular file" in front.events("admin")[0]["problem"]


async def test_the_engines_own_words_are_for_admins(tmp_path: Path) -> None:
    """They may quote anything; anybody else gets a sentence of ours."""
    async with (
        quoting_engine("fake", 500) as engine,
        gated(engine, tmp_path, awake=False) as front,
    ):
        await until(lambda: "fake" in front.gate.ready().words)

        for path in ("/readyz", "/health"):
            assert (503, "the engine is awake, and has not generated a token lately\n") == (
                await front.ask(path)
            )
        assert "fake" in str((await front.admin("/-/state"))[1]["says"])
        (line,) = front.events("not_ready")
        assert "fake" in line["why"]


async def test_why_it_failed_is_for_admins(tmp_path: Path) -> None:
    """Also where the engine's container asks."""
    async with fake_engine(wake_kills=True) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await front.admin("/-/wake")
        await front.until(State.FAILED)
        for path in ("/readyz", "/health", "/-/engine-livez"):
            assert (503, "the engine failed\n") == await front.ask(path)
        assert "EngineCore died" in str((await front.admin("/-/state"))[1]["failure"])


async def test_the_numbers_tell_what_happened(tmp_path: Path) -> None:
    """Each from the place where it happens."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        await front.complete()
        await front.ask("/sleep", method="POST")
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        _, asleep = await front.ask("/metrics")
        await front.complete()
        _, awake = await front.ask("/metrics")

        assert 'firstlight_gate_state{state="asleep"} 1.0' in asleep
        assert 'firstlight_gate_state{state="awake"} 0.0' in asleep
        for line in (
            'firstlight_gate_state{state="awake"} 1.0',
            "firstlight_gate_sleeps_total 1.0",
            "firstlight_gate_wakes_total 1.0",
            'firstlight_gate_sleep_seconds_count{first="true"} 1.0',
            "firstlight_gate_wake_seconds_count 1.0",
            'firstlight_gate_refused_total{why="no_such_route"} 1.0',
            'firstlight_gate_exchanges_total{end="whole"} 2.0',
            "firstlight_gate_ttft_seconds_count 2.0",
            "firstlight_gate_waiting 0.0",
            "firstlight_gate_in_flight 0.0",
        ):
            assert f"{line}\n" in awake
        assert 'firstlight_gate_fixed_request_seconds{when="after"}' in awake
