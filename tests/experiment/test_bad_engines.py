"""Engines that are never ready, or serve nonsense: kept with the cause, and nothing hangs."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

from tests.experiment.lab import PLACEBO, Lab

pytestmark = pytest.mark.timeout(120)

READY = "    compiled()\n    port"
ASKED = '            if asked[1] == "/v1/models":'
STREAM = (
    '        wire.sendall(b"HTTP/1.1 200 x\\r\\nContent-Type: text/event-stream\\r\\n\\r\\n")\n'
)
LATER = STREAM + "        if self.requests > 1:\n"


def answers(said: str) -> str:
    """An engine that says this to whatever it is asked."""
    return (
        f"            if True:\n                wire.sendall({said!r}.encode())\n{ASKED}".replace(
            "            if asked", "            elif asked"
        )
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (READY, f"    time.sleep(100)\n{READY}", "did not listen on"),
        ("    weights(model)\n", "    os._exit(0)\n", "ended with exit code 0"),
        (ASKED, answers("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"), "GET /health answered 500"),
        (ASKED, answers("220 mail\r\n"), "does not answer with HTTP"),
    ],
)
def test_a_base_that_is_never_ready_stops_the_plan(
    lab: Lab, before: str, after: str, words: str
) -> None:
    """It hangs, ends at once, refuses, or is another kind of server."""
    lab.change((before, after))
    plan = lab.plan(timeout_s=1, attempts=1)

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 3 == done.returncode
    *_, sentence, remedy = done.stderr.splitlines()
    assert sentence.startswith("firstlight: the plan stopped: baseline (warm/0/fill) failed once: ")
    assert words in sentence
    assert f"`firstlight experiment resume {lab.run}`" in remedy
    assert ["plan", "round", "stopped"] == [line["entry"] for line in lab.ledger()]


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("wire.sendall(os.urandom(100000)); return", "without a token"),
        (
            'wire.sendall(b\'data: {"error": {"message": "lost"}}\\n\\n\'); return',
            "broke off: lost",
        ),
        ('while True: wire.sendall(b\'data: {"choices": [{"text": "x"}]}\\n\\n\')', "went on past"),
        ("return", "without a token"),
    ],
)
def test_nonsense_for_an_answer_is_told_of_its_step(lab: Lab, says: str, words: str) -> None:
    """The start counts, what it serves is said to be no answer, and nobody waits for it."""
    lab.change((STREAM, f"{LATER}            {says}\n"))
    began = time.monotonic()

    done = lab.say("run", lab.plan(), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    assert time.monotonic() - began < 60
    assert {None} == {line["serving"] for line in lab.ledger()[1:]}
    for step in lab.report()["steps"]:
        serving: dict[str, Any] = step["scenarios"]["warm"]["serving"]
        assert words in serving["problems"][0]
    words = f"a request was not answered in 1 of 1 round: {serving['problems'][0]}"
    assert words in done.stdout
    assert f"not answered: {serving['problems'][0]}" in done.stderr


def refusing(whom: str) -> tuple[str, str]:
    """An engine that refuses every completion where a condition holds."""
    boom = "HTTP/1.1 500 x\r\nContent-Length: 4\r\n\r\nboom"
    return (
        STREAM,
        f"        if {whom}:\n            wire.sendall({boom!r}.encode())\n            return\n"
        + STREAM,
    )


@pytest.mark.parametrize("serving", [False, {"prompts": ["hello you"], "tokens": 3}])
def test_a_step_that_is_ready_and_never_gives_a_token_does_not_answer(
    lab: Lab, serving: object
) -> None:
    """As one that leaves a later request unanswered, also where nothing else is asked."""
    lab.change(refusing('"FIRSTLIGHT_PLACEBO" in os.environ'))
    plan = lab.plan(steps=[PLACEBO], rounds=4, timeout_s=1, serving=serving)

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    words = "no first token: POST /v1/completions answered 500: boom"
    assert f"not answered: {words}" in done.stderr
    assert f"warm, serving: a request was not answered in 4 of 4 rounds: {words}" in done.stdout
    assert "But at placebo the engine does not answer as the baseline's does." in done.stdout
    base, step = (one["scenarios"]["warm"]["serving"] for one in lab.report()["steps"])
    assert (False, True) == (bool(base and base["otherwise"]), step["otherwise"])
    # A record of an earlier version does not say why there was none.
    for path in lab.run.glob("rounds/*/*/round.json"):
        record = json.loads(path.read_text())
        del record["first_token_problem"]
        path.write_text(json.dumps(record))
    again = lab.report()["steps"][1]["scenarios"]["warm"]["serving"]
    assert {"no first token came"} == set(again["problems"])


def test_a_baseline_that_answers_nothing_is_said_to(lab: Lab) -> None:
    """Once, and no step is held against it."""
    lab.change(refusing('"FIRSTLIGHT_PLACEBO" not in os.environ'))
    plan = lab.plan(steps=[PLACEBO], rounds=4, timeout_s=1)

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    words = "the engine of baseline answers nothing itself, so no step is held against it"
    assert (1, 1) == (done.stdout.count(words), done.stderr.count(words))
    assert "does not answer as" not in done.stdout + done.stderr


@contextmanager
def taken_after_the_first_round(lab: Lab) -> Iterator[None]:
    """Somebody listens on the engine's port as soon as it is free."""
    there: list[socket.socket] = []

    def wait() -> None:
        ledger, until = lab.run / "ledger.jsonl", time.monotonic() + 60
        while time.monotonic() < until:
            if ledger.exists() and ledger.read_bytes().count(b"\n") > 1:
                try:
                    there.append(socket.create_server(("127.0.0.1", lab.port)))
                except OSError:
                    continue
                return
            time.sleep(0.002)

    waiting = Thread(target=wait)
    waiting.start()
    try:
        yield
    finally:
        waiting.join()
        for one in there:
            one.close()


def test_a_port_that_is_taken_between_rounds_stops_the_plan(lab: Lab) -> None:
    """The wrong server is not measured; once it is gone the plan goes on."""
    plan = lab.plan(steps=[], rounds=6, attempts=1)

    with taken_after_the_first_round(lab):
        done = lab.say("run", plan, "--into", lab.run, "--yes")
        refused = lab.say("resume", lab.run)

    assert 3 == done.returncode
    # It may come in between the look at the port and the engine, which then cannot have it.
    words = (f"something already listens on 127.0.0.1:{lab.port}", "Address already in use")
    assert any(one in done.stderr for one in words), done.stderr
    assert 3 == refused.returncode
    assert "stop it, or give the engine another port" in refused.stderr
    assert 0 == lab.say("resume", lab.run).returncode
    lines = lab.ledger()[1:]
    assert 7 == sum(line.get("outcome") == "ready" for line in lines)
    assert 1 == sum(line.get("outcome") == "failed" for line in lines)
