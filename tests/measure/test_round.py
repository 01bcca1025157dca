"""One start, measured from the process to the first token."""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.marks import MarkKind
from firstlight.edges.stored_round import read_listing, read_round
from firstlight.measure.round import measure_round
from firstlight.probe.environment import SITE, with_probe
from tests.fakes.processes import FakeEngine
from tests.measure.conftest import Bench, record
from tests.measure.results import behind, stored

# Real processes on a busy machine: they take well under a second on an idle one.
pytestmark = pytest.mark.timeout(20)

_MS = 1_000_000
_S = 1_000_000_000


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
    words = (
        "POST /v1/completions answered 404: no such route here; "
        "POST /v1/chat/completions answered 404: no such route here"
    )
    assert words == stored(result).first_token_problem
    assert f"no first token: {words}" == result.notes[0]


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
    assert found.cut_off
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


def test_a_round_says_where_it_was_written(bench: Bench, fake: FakeEngine) -> None:
    """So that its own folders are known again after it was moved."""
    result = bench.measured(fake.command())

    moved = Path(result.folder).rename(bench.home / "moved")

    assert Path(result.folder) == read_round(moved).written_to


def test_a_record_of_before_does_not_say_where(bench: Bench, fake: FakeEngine) -> None:
    """It is read all the same."""
    result = bench.measured(fake.command())
    told = record(result)
    del told["folder"]
    (Path(result.folder) / "round.json").write_text(json.dumps(told))

    assert read_round(Path(result.folder)).written_to is None
