"""How much memory stays in use asleep, from the engine's log, and when that is too much."""

import asyncio
from pathlib import Path

import pytest

from firstlight.gateway.states import State
from firstlight.wiring.gating import in_use
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import Front, gated, until

HEAD = "(EngineCore pid=12) INFO 11-29 23:18:55 [gpu_worker.py:120]"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is piped here."""
    monkeypatch.setattr(in_use, "_PIPED_WITHIN_S", 0.0)


def freed(gib: float, still: float) -> str:
    """As each worker says it."""
    return f"{HEAD} Sleep mode freed {gib:.2f} GiB memory, {still:.2f} GiB memory is still in use."


def say(log: Path, *lines: str) -> None:
    with log.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


async def cycle(front: Front) -> int:
    """Asleep and awake; how many sleeps are known since."""
    before = len(front.gate.sleeping.kept.in_use_bytes)
    await front.admin("/-/sleep")
    await front.until(State.ASLEEP)
    await until(
        lambda: (
            len(front.gate.sleeping.kept.in_use_bytes) > before
            or bool(front.gate.keeper.now.no_sleep)
        )
    )
    await front.admin("/-/wake")
    await front.until(State.AWAKE)
    return before + 1


async def test_the_most_that_any_worker_keeps_is_counted(tmp_path: Path) -> None:
    """What the log had before is another sleep's."""
    log = tmp_path / "engine.log"
    say(log, freed(60, 9))
    async with fake_engine() as engine, gated(engine, tmp_path, engine_log=log) as front:
        say(log, freed(60, 2.75), freed(60, 4.17), f"{HEAD} Sleep mode freed")
        await cycle(front)

        assert (round(4.17 * 1024**3),) == front.gate.sleeping.kept.in_use_bytes
        (line,) = [
            line
            for line in (await front.ask("/metrics"))[1].splitlines()
            if line.startswith("firstlight_gate_engine_in_use_bytes ")
        ]
        assert round(4.17 * 1024**3) == float(line.split()[1])


async def test_one_that_leaks_sleeps_no_more(tmp_path: Path) -> None:
    """With the figures that say why; it goes on serving, awake."""
    log = tmp_path / "engine.log"
    async with fake_engine() as engine, gated(engine, tmp_path, engine_log=log) as front:
        for number in range(12):
            say(log, freed(60, 3 + number / 2))
            await cycle(front)
            if front.gate.keeper.now.no_sleep:
                break

        status, told = await front.admin("/-/sleep")
        assert (409, "awake") == (status, told["state"])
        assert "0.50 GiB a sleep" in told["no_sleep"]
        assert 200 == (await front.complete())[0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (freed(0, 70), "gave no memory back"),
        (f"{HEAD} sleep mode is not supported on CPU, ignore it", "does not support sleep mode"),
    ],
)
async def test_a_sleep_that_gives_nothing_back_is_the_last(
    tmp_path: Path, line: str, why: str
) -> None:
    """It costs a wake-up and saves nothing."""
    log = tmp_path / "engine.log"
    async with fake_engine() as engine, gated(engine, tmp_path, engine_log=log) as front:
        say(log, line)
        await cycle(front)

        assert why in (front.gate.keeper.now.no_sleep or "")


async def test_what_was_found_of_an_engine_is_not_held_against_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was started anew while its log was still to be looked at."""
    monkeypatch.setattr(in_use, "_PIPED_WITHIN_S", 0.4)
    log = tmp_path / "engine.log"
    async with fake_engine() as engine, gated(engine, tmp_path, engine_log=log) as front:
        say(log, freed(0, 70))
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await engine.kill()
        await front.until(State.STARTING)
        await engine.start()
        await front.until_ready()

        await asyncio.sleep(0.5)

        assert front.gate.keeper.now.no_sleep is None


async def test_a_log_that_cannot_be_read_is_said_and_nothing_else(tmp_path: Path) -> None:
    """One that is not there yet is no fault."""
    async with fake_engine() as engine, gated(engine, tmp_path, engine_log=tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await until(lambda: bool(front.events("engine_log")))
        assert "it is a folder" in front.events("engine_log")[0]["problem"]
    async with (
        fake_engine() as engine,
        gated(engine, tmp_path, engine_log=tmp_path / "none") as front,
    ):
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        assert not front.events("engine_log")
