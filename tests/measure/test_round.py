import dataclasses
import signal
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, EngineFailed, OutsideFailed
from firstlight.core.marks import MarkKind
from firstlight.edges.stored_round import StoredRound, read_listing, read_round
from firstlight.measure import command as command_words
from firstlight.measure import whereabouts
from firstlight.measure.round import RoundResult, measure_round
from firstlight.probe.environment import SITE, with_probe
from tests.fakes.processes import FakeEngine, free_port
from tests.measure.conftest import Bench, record

# Real processes on a busy machine: they take well under a second on an idle one.
pytestmark = pytest.mark.timeout(20)

_MS = 1_000_000
_S = 1_000_000_000


def stored(result: RoundResult) -> StoredRound:
    return read_round(Path(result.folder))


def problem(result: RoundResult) -> str:
    assert isinstance(result.failure, EngineFailed)
    assert result.failure.remedy
    assert record(result)["problem"]["message"] == result.failure.message
    return result.failure.message


def behind(shell: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """A command that does something before it becomes another."""
    return ("sh", "-c", f'{shell}; exec "$@"', "sh", *command)


def test_a_start_is_measured_from_the_process_to_the_first_token(
    bench: Bench, fake: FakeEngine
) -> None:
    """Five moments in their order, all of them in the record."""
    result = bench.measured(fake.command())

    found = stored(result)
    assert (result.outcome, result.failure, result.index) == ("ready", None, 1)
    assert [mark.kind for mark in found.marks] == [
        MarkKind.PROCESS_STARTED,
        MarkKind.PORT_OPEN,
        MarkKind.HEALTH_200,
        MarkKind.MODELS_200,
        MarkKind.FIRST_TOKEN,
    ]
    moments = [mark.at_ns for mark in found.marks]
    assert moments == sorted(moments)
    assert found.started_ns == moments[0]
    assert (found.ready_ns, found.first_token_ns) == (
        moments[2] - moments[0],
        moments[4] - moments[0],
    )
    assert (result.ready_ns, result.first_token_ns) == (found.ready_ns, found.first_token_ns)
    assert all(0 < mark.resolution_ns < _S for mark in found.marks)


def test_the_folder_tells_the_whole_story(bench: Bench, fake: FakeEngine) -> None:
    """Raw artefacts, and a record that says where they are from."""
    result = bench.measured(fake.command())

    assert sorted(path.name for path in Path(result.folder).iterdir()) == [
        "cache-after.json",
        "cache-before.json",
        "engine.log",
        "marks.json",
        "round.json",
    ]
    found = stored(result)
    assert found.command == fake.command()
    assert (found.url, found.record["model"]) == (fake.url, "fake-model")
    assert (found.exit_code, found.record["stop"]["exit_code"]) == (None, 0)
    assert found.record["stop"]["killed"] == []
    assert {"kernel", "cpu_model"} <= set(found.fingerprint["host"])


def test_the_log_and_the_marks_share_one_axis(bench: Bench, fake: FakeEngine) -> None:
    """A line printed after the start and before the port opened is stamped in between."""
    result = bench.measured(fake.command("--listen-after", "0.1"))

    first = (Path(result.folder) / "engine.log").read_text().splitlines()[0]
    started, opened = stored(result).marks[:2]
    stamp_ns = int(first[20:29])
    assert started.at_ns < (started.at_ns // _S) * _S + stamp_ns % _S + _S
    assert (stamp_ns - started.at_ns) % _S < opened.at_ns - started.at_ns


def test_what_is_waited_for_is_told(bench: Bench, fake: FakeEngine) -> None:
    """Each change once."""
    bench.measured(fake.command("--listen-after", "0.1", "--health-after", "0.2"))

    assert bench.said == [
        "looking at the caches before the start",
        "starting the engine",
        "waiting for the port",
        "waiting for /health",
        "asking for the model's name",
        "waiting for the first token",
        "stopping the engine",
        "looking at the caches after the start",
    ]


def test_the_caches_are_listed_before_and_after(bench: Bench, fake: FakeEngine) -> None:
    """What the start wrote is the difference."""
    root = bench.home / "cache"
    root.mkdir()
    (root / "old").touch()

    result = bench.measured(
        behind('touch "$VLLM_CACHE_ROOT/new"', fake.command()),
        env={"VLLM_CACHE_ROOT": str(root)},
    )

    listings = [
        {file.path for one in read_listing(Path(result.folder), name) for file in one.files}
        for name in ("cache-before.json", "cache-after.json")
    ]
    assert listings == [{"old"}, {"old", "new"}]


def test_health_counts_from_the_answer_not_from_the_question(
    bench: Bench, fake: FakeEngine
) -> None:
    """A server that takes long to say yes is not earlier ready for it."""
    result = bench.measured(fake.command("--slow-health", "0.2"))

    marks = {mark.kind: mark for mark in stored(result).marks}
    opened, healthy = marks[MarkKind.PORT_OPEN], marks[MarkKind.HEALTH_200]
    assert healthy.at_ns - opened.at_ns >= 200 * _MS
    assert healthy.resolution_ns >= 200 * _MS


def test_a_server_that_is_up_but_not_ready_is_waited_for(bench: Bench, fake: FakeEngine) -> None:
    """/health says 503 until the engine is there."""
    result = bench.measured(fake.command("--health-after", "0.3"))

    marks = {mark.kind: mark for mark in stored(result).marks}
    opened, healthy = marks[MarkKind.PORT_OPEN], marks[MarkKind.HEALTH_200]
    assert healthy.at_ns - marks[MarkKind.PROCESS_STARTED].at_ns >= 300 * _MS
    assert healthy.at_ns > opened.at_ns


def test_a_slow_first_token_is_told_from_a_slow_start(bench: Bench, fake: FakeEngine) -> None:
    """Ready is one thing, useful another."""
    result = bench.measured(fake.command("--slow-token", "0.2"))

    assert result.ready_ns is not None
    assert result.first_token_ns is not None
    assert result.first_token_ns - result.ready_ns >= 200 * _MS


def test_a_first_request_that_fails_is_repeated(bench: Bench, fake: FakeEngine) -> None:
    """A 500 may pass."""
    result = bench.measured(fake.command("--token-error", "1"))

    assert (result.outcome, result.first_token_ns is None) == ("ready", False)


def test_a_server_that_only_chats_is_asked_to_chat(bench: Bench, fake: FakeEngine) -> None:
    """Its words say by which route the token came."""
    result = bench.measured(fake.command("--no-completions"))

    words = stored(result).marks[-1].evidence.text
    assert words == "POST /v1/chat/completions: the first token came"


def test_a_server_that_gives_no_token_is_ready_without_one(bench: Bench, fake: FakeEngine) -> None:
    """The reason is in the record, in the server's words."""
    result = bench.measured(fake.command("--no-completions", "--no-chat", "--no-models"))

    assert (result.outcome, result.first_token_ns, result.failure) == ("ready", None, None)
    assert result.notes[0] == (
        "no first token: POST /v1/completions answered 404: no such route here; "
        "POST /v1/chat/completions answered 404: no such route here"
    )


def test_a_key_is_sent_and_recorded_nowhere(bench: Bench, fake: FakeEngine) -> None:
    """Not in the command, not in the environment, not even where the engine prints it."""
    secret = "s3cr3t-k3y-of-mine"

    result = bench.measured(
        fake.command("--api-key", secret, "--say", f"args: {secret}"), env={"HF_TOKEN": secret}
    )

    assert (result.outcome, result.first_token_ns is None) == ("ready", False)
    artefacts = {path.name: path.read_text() for path in Path(result.folder).iterdir()}
    assert [name for name, text in artefacts.items() if secret in text] == []
    assert "args: ***" in artefacts["engine.log"]


def test_a_key_that_we_do_not_know_is_missed_and_said(bench: Bench, fake: FakeEngine) -> None:
    """A script may hide it; the server is ready all the same."""
    result = bench.measured(("sh", "-c", 'exec "$@" --api-key hidden', "sh", *fake.command()))

    assert (result.outcome, result.first_token_ns) == ("ready", None)
    assert "asks for an API key that was not found" in result.notes[0]


@pytest.mark.parametrize("hazard", [("--huge-line", "3000000"), ("--progress",), ("--binary",)])
def test_whatever_is_printed_the_start_is_measured(
    bench: Bench, fake: FakeEngine, hazard: tuple[str, ...]
) -> None:
    """Nothing that is printed can stop the measurement, or be lost."""
    result = bench.measured(fake.command(*hazard))

    assert result.outcome == "ready"


def test_an_engine_that_prints_nothing_is_measured_and_it_is_said(
    bench: Bench, fake: FakeEngine
) -> None:
    """The polls need no log."""
    result = bench.measured(fake.command("--silent"))

    assert (result.outcome, result.notes) == ("ready", ("the engine printed nothing",))


def test_an_engine_that_ignores_sigterm_is_killed_and_it_is_said(
    bench: Bench, fake: FakeEngine
) -> None:
    """No error: the start was measured."""
    result = bench.measured(fake.command("--ignore-term"), grace_ns=100 * _MS)

    assert (result.outcome, result.failure) == ("ready", None)
    assert result.notes == ("the engine ignored SIGTERM and was killed",)


def test_a_grandchild_is_stopped_and_it_is_said(bench: Bench, fake: FakeEngine) -> None:
    """It had a session of its own and ignored SIGTERM."""
    result = bench.measured(fake.command("--orphan"), grace_ns=400 * _MS)

    assert result.outcome == "ready"
    assert result.notes[0].startswith("left over by the engine, and stopped: python")


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


def test_an_order_that_makes_no_sense_leaves_no_folder(bench: Bench) -> None:
    """It is refused before anything is made."""
    with pytest.raises(BadInput):
        bench.measured(("vllm", "serve"), url="nonsense")

    assert not bench.out.exists()


def test_the_probe_goes_along_in_the_environment(bench: Bench, fake: FakeEngine) -> None:
    """First on the path, with a folder of this round to write to."""
    command = behind('echo "$PYTHONPATH $FIRSTLIGHT_PROBE_DIR"', fake.command())

    result = bench.measured(command, add_probe=with_probe, env={"PYTHONPATH": "/mine"})

    log = (Path(result.folder) / "engine.log").read_text()
    assert f"F {SITE}:/mine {result.folder}/probe\n" in log
    assert (stored(result).probe, (Path(result.folder) / "probe").is_dir()) == (True, True)


def _a_silent_probe(environment: Mapping[str, str], folder: str) -> dict[str, str]:
    return {**environment, "FIRSTLIGHT_PROBE_DIR": folder}


def test_a_probe_that_wrote_nothing_is_said(bench: Bench, fake: FakeEngine) -> None:
    """Its absence would look like a start without imports."""
    silent = bench.measured(fake.command(), add_probe=_a_silent_probe)
    wrote = bench.measured(
        behind('touch "$FIRSTLIGHT_PROBE_DIR/1-2.jsonl"', fake.command()), add_probe=_a_silent_probe
    )

    assert [one.startswith("the probe wrote nothing") for one in silent.notes] == [True]
    assert wrote.notes == ()


def test_an_interrupted_measurement_stops_the_engine_and_leaves_a_record(
    bench: Bench, fake: FakeEngine
) -> None:
    """Ctrl-C in the middle: nothing runs on, and the folder says what happened."""

    def interrupt(words: str) -> None:
        if words == "waiting for /health":
            raise KeyboardInterrupt

    instruments = dataclasses.replace(bench.instruments, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        measure_round(bench.order(fake.command("--health-after", "60")), instruments)

    found = read_round(bench.out / "plain" / "round-01")
    assert (found.outcome, found.problem) == ("failed", "the measurement was interrupted")
    assert [mark.kind for mark in found.marks] == [MarkKind.PROCESS_STARTED, MarkKind.PORT_OPEN]


def test_a_bug_of_ours_does_not_leave_the_engine_running(bench: Bench, fake: FakeEngine) -> None:
    """Whatever is raised while it runs."""

    def broken(words: str) -> None:
        if words == "waiting for /health":
            raise ZeroDivisionError

    instruments = dataclasses.replace(bench.instruments, progress=broken)
    with pytest.raises(ZeroDivisionError):
        measure_round(bench.order(fake.command("--health-after", "60")), instruments)


def test_a_place_that_cannot_be_written_is_said_before_anything_is_started(
    bench: Bench, fake: FakeEngine
) -> None:
    """No start is wasted."""
    bench.out.touch()

    with pytest.raises(OutsideFailed):
        bench.measured(fake.command())


def test_a_failed_round_does_not_lose_the_others(bench: Bench, fake: FakeEngine) -> None:
    """Each has its folder and its result."""
    flag = bench.home / "second"
    command = behind(f"test -e {flag} || {{ touch {flag}; exit 3; }}", fake.command())

    results = [bench.measured(command) for _ in range(3)]

    assert [(one.index, one.outcome) for one in results] == [
        (1, "failed"),
        (2, "ready"),
        (3, "ready"),
    ]
