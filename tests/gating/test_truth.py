"""What probes are told of an engine that is well, absent, slow, silent, or something else."""

import asyncio
from pathlib import Path

import pytest

from firstlight.gateway.states import State
from firstlight.wiring.gating.looking import Pace
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import gated, until


async def test_it_is_ready_once_it_has_given_a_token(tmp_path: Path) -> None:
    """Health alone is no proof."""
    async with (
        fake_engine(token_takes_s=0.2) as engine,
        gated(engine, tmp_path, awake=False) as front,
    ):
        await front.until(State.AWAKE)

        status, words = await front.ask("/readyz")

        assert (503, "the engine is awake, and has not generated a token lately\n") == (
            status,
            words,
        )
        await front.until_ready()
        assert (200, "the engine is awake\n") == await front.ask("/health")


async def test_asleep_it_is_ready_and_its_container_alive(tmp_path: Path) -> None:
    """And no probe wakes it, however many there are."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        for path in ("/health", "/readyz", "/livez", "/startupz", "/metrics", "/-/engine-livez"):
            assert 200 == (await front.ask(path))[0], path

        await asyncio.sleep(0.3)

        assert front.state is State.ASLEEP
        assert ["POST /sleep?level=1&mode=wait"] == engine.calls()


@pytest.mark.parametrize(
    ("kinds", "route"),
    [
        (("completions", "chat"), "POST /v1/completions"),
        (("chat",), "POST /v1/chat/completions"),
        (("embeddings",), "POST /v1/embeddings"),
    ],
)
async def test_each_kind_of_model_is_asked_what_it_understands(
    tmp_path: Path, kinds: tuple[str, ...], route: str
) -> None:
    """Readiness and the question after a wake-up alike; weights that are lost show in each."""
    async with fake_engine(kinds=kinds) as engine, gated(engine, tmp_path) as front:
        assert route == [one for one in engine.asked if "/v1/" in one][-1]
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await front.admin("/-/wake")
        await front.until(State.AWAKE)
        assert 1.0 == pytest.approx(front.events("verified")[0]["agreement"])

        engine.hazards.weights_lost = True
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await front.admin("/-/wake")
        await front.until(State.FAILED)


async def test_a_model_that_can_be_asked_nothing_is_believed(tmp_path: Path) -> None:
    """There is nothing to hold it against."""
    async with fake_engine(kinds=()) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await front.admin("/-/wake")
        await front.until(State.AWAKE)

        assert 200 == (await front.ask("/readyz"))[0]
        assert "it can be asked nothing" in front.events("verified")[0]["says"]
        took_s = (await front.admin("/-/state"))[1]["fixed_request_s"]
        assert {"before": None, "after": None} == took_s
        assert "fixed_request_seconds{" not in (await front.ask("/metrics"))[1]


async def test_one_that_never_says_the_same_twice_is_let_be(tmp_path: Path) -> None:
    """An unsteady reference proves nothing."""
    async with fake_engine(unsteady=True) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await front.admin("/-/wake")
        await front.until(State.AWAKE)

        (said,) = front.events("verified")
        assert "agreement" not in said
        assert "two answers to one question" in said["says"]


async def test_without_development_mode_it_is_a_plain_door(tmp_path: Path) -> None:
    """It says so once, never sleeps, and is ready."""
    async with fake_engine(dev_mode=False) as engine, gated(engine, tmp_path) as front:
        assert 200 == (await front.complete())[0]
        await until(lambda: bool(front.events("sleeps_no_more")))
        status, told = await front.admin("/-/sleep")

        assert (409, "awake") == (status, told["state"])
        (line,) = front.events("sleeps_no_more")
        assert "VLLM_SERVER_DEV_MODE=1" in line["why"]
        assert 200 == (await front.ask("/readyz"))[0]


async def test_without_sleep_mode_it_is_not_put_to_sleep(tmp_path: Path) -> None:
    """It has the calls, and would give nothing back."""
    async with fake_engine(sleep_mode=False) as engine, gated(engine, tmp_path) as front:
        await until(lambda: bool(front.events("sleeps_no_more")))

        assert 409 == (await front.admin("/-/sleep"))[0]
        assert "--enable-sleep-mode" in front.events("sleeps_no_more")[0]["why"]
        assert [] == engine.calls()


async def test_an_engine_that_is_absent_is_said_and_waited_for(tmp_path: Path) -> None:
    """Clients are told at once; when it comes, it serves."""
    async with fake_engine() as engine:
        await engine.kill()
        async with gated(engine, tmp_path, awake=False) as front:
            await until(lambda: bool(front.events("seen")))

            status, said = await front.complete()

            assert (503, "engine_starting") == (status, said["error"]["code"])
            assert (503, "the engine is not there yet\n") == await front.ask("/readyz")
            assert f"nobody listens on 127.0.0.1:{engine.port}" in front.gate.ready().words
            assert [200, 200, 503] == [
                (await front.ask(path))[0] for path in ("/livez", "/startupz", "/-/engine-livez")
            ]
            await engine.start()
            await front.until_ready()
            assert 200 == (await front.complete())[0]


async def test_an_engine_that_was_started_anew_has_to_show_itself_anew(tmp_path: Path) -> None:
    """What was known of the one before is forgotten: it may sleep, and is asked again."""
    async with fake_engine(sleep_fails=True) as engine, gated(engine, tmp_path) as front:
        for _ in range(3):
            await front.admin("/-/sleep")
            await front.until(State.AWAKE)
        assert front.gate.keeper.now.no_sleep
        await engine.kill()
        await front.until(State.STARTING)
        engine.hazards.sleep_fails = False

        await engine.start()
        await front.until_ready()

        assert 202 == (await front.admin("/-/sleep"))[0]
        await front.until(State.ASLEEP)


async def test_a_front_end_that_says_its_engine_is_dead_is_believed(tmp_path: Path) -> None:
    """Requests are refused, and its container is to be started anew."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        engine.dead = True
        await front.until(State.FAILED)

        for path in ("/-/engine-livez", "/readyz"):
            assert (503, "the engine failed\n") == await front.ask(path)
        assert "the engine failed: /health answered 503" == front.gate.ready().words


async def test_a_core_that_hangs_behind_a_healthy_front_end_is_found(tmp_path: Path) -> None:
    """And taken back where it comes back, when it says what it said."""
    pace = Pace(every_s=0.02, silent_s=0.1)
    async with fake_engine() as engine, gated(engine, tmp_path, pace=pace) as front:
        engine.hazards.core_silent = True
        await front.until(State.FAILED)
        assert "/is_sleeping said nothing for 0.1 s" == front.gate.keeper.now.failure

        engine.hazards.core_silent = False
        await front.until(State.AWAKE)
        assert 200 == (await front.complete())[0]


async def test_one_that_compiles_before_its_first_token_is_not_silent(tmp_path: Path) -> None:
    """Its core may be in one step for minutes."""
    pace = Pace(every_s=0.02, silent_s=0.05)
    async with (
        fake_engine(token_takes_s=0.5) as engine,
        gated(engine, tmp_path, pace=pace, awake=False) as front,
    ):
        await front.until(State.AWAKE)
        engine.hazards.core_silent = True

        await front.until_ready()

        assert front.state is State.AWAKE
        engine.hazards.core_silent = False


async def test_a_key_that_the_gateway_lacks_is_said(tmp_path: Path) -> None:
    """The remedy too; with it all is well."""
    async with fake_engine(key="secret-key") as engine:
        async with gated(engine, tmp_path, awake=False) as front:
            await until(lambda: "VLLM_API_KEY" in front.gate.ready().words)
            assert 503 == (await front.ask("/readyz"))[0]
        async with gated(engine, tmp_path, api_key="secret-key") as front:
            assert 200 == (await front.ask("/readyz"))[0]
            assert "secret-key" not in front.said


async def test_the_engines_own_count_of_tokens_spares_a_question(tmp_path: Path) -> None:
    """Where clients get tokens, the gateway asks for none."""
    async with fake_engine() as engine, gated(engine, tmp_path, token_every_s=0.2) as front:
        for _ in range(8):
            await front.complete("from a client")
            await asyncio.sleep(0.1)

        assert 2 >= len([one for one in engine.bodies if one["prompt"] == "Hello"])
        assert 200 == (await front.ask("/readyz"))[0]


async def test_one_that_generates_no_more_is_not_ready(tmp_path: Path) -> None:
    """Though its health says 200."""
    async with (
        fake_engine() as engine,
        gated(engine, tmp_path, token_every_s=0.05, token_within_s=0.1) as front,
    ):
        engine.hazards.token_takes_s = 60

        await until(lambda: "no token came within 0.1 s" in front.gate.ready().words)

        assert 503 == (await front.ask("/readyz"))[0]
        assert 200 == (await front.ask("/-/engine-livez"))[0]


async def raw(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(100)
    writer.write(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    writer.close()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (None, "/health: what answered does not speak HTTP"),
        (404, "/health answered 404: that is no engine"),
    ],
)
async def test_what_is_no_engine_is_called_that(
    tmp_path: Path, status: int | None, words: str
) -> None:
    """Another server on the port, or something that speaks no HTTP."""
    async with fake_engine(health=status) as engine:
        stranger = await asyncio.start_server(raw, "127.0.0.1", 0)
        port = engine.port if status else stranger.sockets[0].getsockname()[1]
        async with gated(f"http://127.0.0.1:{port}", tmp_path, awake=False) as front:
            await until(lambda: bool(front.events("seen")))

            assert [words] == [line["words"] for line in front.events("seen")]
            assert 503 == (await front.ask("/readyz"))[0]
            assert f"the engine is not there yet: {words}" == front.gate.ready().words
            assert 503 == (await front.complete())[0]
        stranger.close()
        await stranger.wait_closed()
