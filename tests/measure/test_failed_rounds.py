"""Engines that do not come up, or not where they were to: each with its cause, on record."""

import signal
import socket

import pytest

from firstlight.core.marks import MarkKind
from firstlight.measure import command as command_words
from firstlight.measure import whereabouts
from tests.fakes.processes import FakeEngine, free_port
from tests.measure.conftest import Bench, record
from tests.measure.results import behind, problem, stored

# Real processes on a busy machine: they take well under a second on an idle one.
pytestmark = pytest.mark.timeout(20)

_MS = 1_000_000
_S = 1_000_000_000


def test_an_engine_that_dies_at_once_is_a_failure_in_its_own_words(
    bench: Bench, fake: FakeEngine
) -> None:
    """The exit code, when, and what it said last."""
    result = bench.measured(
        fake.command("--die-after", "0", "--never-listen", "--say", "ValueError: no model")
    )

    assert (result.outcome, result.ready_ns, stored(result).exit_code) == ("failed", None, 1)
    message = problem(result)
    assert message.startswith("the engine ended with exit code 1 after 0.")
    assert 's, before it was ready; its last words: "vLLM server version' in message
    assert message.endswith('/ "ValueError: no model"')
    assert record(result)["last_lines"][-1].endswith(
        "INFO 01-01 00:00:00 [x.py:1] ValueError: no model"
    )


def test_an_engine_that_is_killed_midway_is_a_failure_with_the_signal(
    bench: Bench, fake: FakeEngine
) -> None:
    """How far it came stays recorded."""
    result = bench.measured(
        fake.command("--die-after", "0.3", "--code", "-9", "--health-after", "60")
    )

    assert "the engine was killed by SIGKILL after 0." in problem(result)
    assert "out-of-memory" in (result.failure.remedy if result.failure else "")
    found = stored(result)
    assert found.exit_code == -signal.SIGKILL
    assert [mark.kind for mark in found.marks] == [MarkKind.PROCESS_STARTED, MarkKind.PORT_OPEN]


def test_an_engine_that_dies_of_its_first_request_is_a_failure(
    bench: Bench, fake: FakeEngine
) -> None:
    """It was ready, and useless."""
    result = bench.measured(fake.command("--die-on-request"))

    assert (result.outcome, result.ready_ns is None) == ("failed", False)
    assert "after it was ready, before its first token" in problem(result)


def test_an_engine_that_never_listens_is_a_timeout(bench: Bench, fake: FakeEngine) -> None:
    """With its address and its last words."""
    result = bench.measured(fake.command("--never-listen"), timeout_ns=400 * _MS)

    assert result.outcome == "timeout"
    message = problem(result)
    assert message.startswith(f"the engine did not listen on 127.0.0.1:{fake.port} within 0.4 s;")
    assert message.endswith('its last words: "vLLM server version 0.0.0, serving model fake"')


def test_an_engine_that_is_never_healthy_is_a_timeout(bench: Bench, fake: FakeEngine) -> None:
    """With what it answered instead."""
    result = bench.measured(fake.command("--health-after", "60"), timeout_ns=500 * _MS)

    assert result.outcome == "timeout"
    assert f"was not ready on 127.0.0.1:{fake.port} within" in problem(result)
    assert "GET /health answered 503" in problem(result)


def test_a_silent_engine_that_listens_elsewhere_is_a_timeout_that_says_where(
    bench: Bench, fake: FakeEngine
) -> None:
    """The kernel knows, even if the engine says nothing."""
    other = free_port()

    result = bench.measured(
        fake.command("--silent", "--other-port", str(other)), timeout_ns=500 * _MS
    )

    assert f"it listens on port {other} (127.0.0.1) instead; it printed nothing" in problem(result)
    assert "--url" in (result.failure.remedy if result.failure else "")


def test_an_engine_that_says_it_listens_elsewhere_is_followed(
    bench: Bench, fake: FakeEngine
) -> None:
    """Its own line is surer than its command line."""
    other = free_port()

    result = bench.measured(fake.command("--other-port", str(other)))

    assert (result.outcome, stored(result).url) == ("ready", f"http://127.0.0.1:{other}")
    assert result.notes == (f"asked on 127.0.0.1:{other} instead, as its own line says",)


def test_the_only_port_of_an_engine_that_names_none_is_followed(
    bench: Bench, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script may hide where its server listens, and the server be silent about it."""
    monkeypatch.setattr(command_words, "DEFAULT_PORT", free_port())
    monkeypatch.setattr(whereabouts, "_LOOK_EVERY_NS", 50 * _MS)
    other = free_port()

    result = bench.measured(fake.unnamed("--silent", "--other-port", str(other)))

    assert (result.outcome, stored(result).url) == ("ready", f"http://127.0.0.1:{other}")
    # Refusals elsewhere say nothing about this port: it is told no more exactly than the
    # looks at the kernel's table were apart.
    opened, ready = (
        next(mark for mark in stored(result).marks if mark.kind is kind)
        for kind in (MarkKind.PORT_OPEN, MarkKind.HEALTH_200)
    )
    assert ready.resolution_ns >= opened.resolution_ns >= 50 * _MS


def test_an_engine_that_is_not_at_the_given_url_is_a_failure(
    bench: Bench, fake: FakeEngine
) -> None:
    """A given URL is not left; where the engine is, is said."""
    given = f"http://127.0.0.1:{free_port()}"

    result = bench.measured(fake.command(), url=given)

    assert result.outcome == "failed"
    assert problem(result) == (
        f"the engine listens on {fake.url}, not on {given.removeprefix('http://')}"
    )


def test_a_command_that_leaves_its_server_running_and_ends_is_a_failure(
    bench: Bench, fake: FakeEngine
) -> None:
    """What it left is stopped all the same."""
    result = bench.measured(fake.command("--detach", "--listen-after", "1"), grace_ns=100 * _MS)

    assert "ended with exit code 0" in problem(result)
    assert "and left 1 processes running" in problem(result)


def test_a_command_that_does_not_exist_is_a_failure_on_record(bench: Bench) -> None:
    """There never was a process."""
    result = bench.measured(("no-such-engine", "serve"))

    assert (result.outcome, result.started) == ("failed", False)
    assert problem(result) == "no-such-engine was not started: there is no such command"
    assert (stored(result).marks, stored(result).started_ns) == ((), None)


def test_a_port_that_is_taken_is_refused_before_anything_is_started(
    bench: Bench, fake: FakeEngine
) -> None:
    """The wrong server would be measured, and look very fast."""
    with socket.create_server(("127.0.0.1", fake.port)):
        result = bench.measured(behind(f"touch {bench.home}/started", fake.command()))

    assert (result.outcome, result.started) == ("failed", False)
    assert problem(result).startswith(f"something already listens on 127.0.0.1:{fake.port}")
    assert not (bench.home / "started").exists()
