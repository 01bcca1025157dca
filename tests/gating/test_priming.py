"""Requests asked again after a wake-up."""

import json
from functools import partial
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput
from firstlight.gateway.states import State
from firstlight.wiring.gating.priming import Prefix, read_prefixes
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import Front, gated, until
from tests.gating.quoting_engine import quoting_engine

LONG = {"prompt": "a long system prompt", "max_tokens": 500, "stream": True, "n": 4}


def primed(front: Front, times: int) -> bool:
    return len(front.events("primed")) == times


async def test_prefixes_are_asked_again_after_each_wake_up(tmp_path: Path) -> None:
    """For one token each, beside what clients ask, and counted; one that fails holds up none."""
    prefixes = (
        Prefix(path="/v1/rerank", body={}),
        Prefix(path="/v1/completions", body=LONG),
    )
    async with fake_engine() as engine, gated(engine, tmp_path, prefixes=prefixes) as front:
        for number in (1, 2):
            await front.admin("/-/sleep")
            await front.until(State.ASLEEP)
            await front.admin("/-/wake")
            await front.until(State.AWAKE)
            await until(partial(primed, front, number))

        asked = [body for body in engine.bodies if body["prompt"] == LONG["prompt"]]
        assert 2 * [{"prompt": LONG["prompt"], "max_tokens": 1, "stream": False}] == asked
        assert 2 * [(1, 2)] == [(one["answered"], one["of"]) for one in front.events("primed")]
        _, numbers = await front.ask("/metrics")
        assert 'firstlight_gate_primed_total{end="answered"} 2.0' in numbers
        assert 'firstlight_gate_primed_total{end="failed"} 2.0' in numbers


async def woken(front: Front) -> None:
    """Once, and primed."""
    await front.admin("/-/sleep")
    await front.until(State.ASLEEP)
    await front.admin("/-/wake")
    await until(partial(primed, front, 1))


async def test_of_a_request_that_fails_its_line_and_the_status_are_told(tmp_path: Path) -> None:
    """An engine that refuses a request quotes it."""
    file = tmp_path / "prime.jsonl"
    one, fine = (
        json.dumps({"path": "/v1/completions", "body": {"prompt": words}})
        for words in ("my secret", "hello")
    )
    file.write_text(f"{one}\n{fine}\n{one}\n")
    async with (
        quoting_engine("secret") as engine,
        gated(engine, tmp_path, prefixes=read_prefixes(file)) as front,
    ):
        await woken(front)

        assert [(1, "it answered 400"), (3, "it answered 400")] == [
            (line["line"], line["problem"]) for line in front.events("prime_failed")
        ]
        assert "secret" not in front.said


async def test_a_query_makes_no_request_longer(tmp_path: Path) -> None:
    """It is for one token all the same."""
    prefixes = (Prefix(path="/v1/completions?a=b", body=LONG),)
    async with fake_engine() as engine, gated(engine, tmp_path, prefixes=prefixes) as front:
        await woken(front)

        asked = [body for body in engine.bodies if body["prompt"] == LONG["prompt"]]
        assert [{"prompt": LONG["prompt"], "max_tokens": 1, "stream": False}] == asked


async def test_a_start_is_not_primed(tmp_path: Path) -> None:
    """There has been no sleep that dropped anything."""
    prefixes = (Prefix(path="/v1/completions", body=LONG),)
    async with fake_engine() as engine, gated(engine, tmp_path, prefixes=prefixes) as front:
        await front.complete()

        assert LONG["prompt"] not in {body["prompt"] for body in engine.bodies}


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    """Blank lines are none."""
    file = tmp_path / "prime.jsonl"
    file.write_text(f"\n{json.dumps({'path': '/v1/completions', 'body': LONG})}\n\n")

    assert (Prefix(path="/v1/completions", body=LONG, line=2),) == read_prefixes(file)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "is no request to replay"),
        ("[]", "is no request to replay"),
        ('{"path": "/v1/completions"}', "is no request to replay"),
        ('{"path": "/sleep", "body": {}}', "/sleep is no route that is passed to the engine"),
        ('{"path": "/-/sleep", "body": {}}', "/-/sleep is no route that is passed"),
    ],
)
def test_a_line_that_is_none_is_refused(tmp_path: Path, line: str, words: str) -> None:
    """With its number; a route that steers the engine is no prefix."""
    file = tmp_path / "prime.jsonl"
    file.write_text(f"\n{line}\n")

    with pytest.raises(BadInput) as raised:
        read_prefixes(file)

    assert f"{file}:2" in raised.value.message
    assert words in raised.value.message


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """Before anything listens."""
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        read_prefixes(tmp_path / "none")
