"""`firstlight cache push` and `pull` where nobody watches: in the containers of a pod."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight.caches.job_files import ENGINE_ENDED, NOT_PUBLISHED, PUBLISHED
from firstlight.core.signs import NOT_RESTORED, RESTORED
from tests.caching.engine import serving
from tests.cli.console import SCRIPT, firstlight, said
from tests.fakes.processes import free_port

pytestmark = pytest.mark.timeout(20)

FACTORS = {"vllm": "0.32.0", "model": "/m", "arguments": {"--max-num-seqs": "8"}}
Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """Keys in a folder of their own."""
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def run(home: dict[str, str]) -> Run:
    """The command."""

    def call(
        *words: str | Path, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return firstlight("cache", *words, env={**home, **(env or {})})

    return call


@pytest.fixture
def push(tmp_path: Path) -> list[str | Path]:
    """The words that publish a cache."""
    place = tmp_path / "root" / "vllm" / "torch_compile_cache" / "model"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"graph" * 100)
    (tmp_path / "factors.json").write_text(json.dumps(FACTORS))
    return [
        *("push", tmp_path / "root", "--to", f"file://{tmp_path}/store"),
        *("--factors", tmp_path / "factors.json"),
    ]


@pytest.fixture
def pull(tmp_path: Path) -> list[str | Path]:
    """The words that take it, but for what it must be for."""
    return ["pull", "--from", f"file://{tmp_path}/store", "--into", tmp_path / "into" / "engine"]


def lines(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_was_taken_is_one_line_that_explain_knows(
    run: Run, push: list[str], pull: list[str], tmp_path: Path
) -> None:
    """On standard output and in the termination message; also where it was there already."""
    run(*push)
    message = tmp_path / "termination-log"
    words = (*pull, "--expect", tmp_path / "factors.json", "--termination-log", message)

    first, second = run(*words), run(*words)

    (line,) = first.stdout.decode().splitlines()
    store = f"file://{tmp_path}/store"
    expected = rf"{re.escape(f'{RESTORED} from {store}')}: 1 files, 0\.0 MB in \d+\.\d s \(.*"
    assert re.fullmatch(expected, line)
    (again,) = second.stdout.decode().splitlines()
    assert again.startswith(f"{RESTORED} from {store}: 1 files, 0.0 MB in ")
    assert "it was here already" in again
    assert again == message.read_text()


def test_what_was_not_taken_is_one_line_that_explain_knows(
    run: Run, push: list[str], pull: list[str], tmp_path: Path
) -> None:
    """The last one on standard error; a file that cannot be written changes nothing."""
    run(*push)
    (tmp_path / "other.json").write_text(json.dumps({**FACTORS, "model": "/other"}))
    message = tmp_path / "termination-log"
    message.write_text("longer than what will be written there" * 100)
    words = (*pull, "--expect", tmp_path / "other.json", "--termination-log")

    done, unwritable = run(*words, message), run(*words, tmp_path / "no" / "folder")

    assert (0, b"") == (done.returncode, done.stdout)
    line = said(done).splitlines()[-1]
    assert line.startswith(f"{NOT_RESTORED}: none of file://{tmp_path}/store fits: ")
    assert line.endswith("; the engine starts without it")
    assert line == message.read_text()
    assert 0 == unwritable.returncode
    assert line == said(unwritable).splitlines()[-1]


def test_progress_is_a_line_each_and_the_answer_is_the_last(
    run: Run, push: list[str], pull: list[str], tmp_path: Path
) -> None:
    """Nothing else is on standard output, and the answer is that of --output json."""
    pushed = run(*push, "--output", "jsonl")
    words = (*pull, "--expect", tmp_path / "factors.json", "--output")
    pulled = run(*words, "jsonl")
    plain = run(*words, "json")

    assert ["packing", "writing"] == [line["event"] for line in lines(pushed)[:-1]]
    assert "firstlight.cache.pushed/1" == lines(pushed)[-1]["schema"]
    steps = lines(pulled)[:-1]
    assert ["looking", "chosen", "unpacking"] == [step["event"] for step in steps]
    assert {"firstlight.cache.progress/1"} == {step["schema"] for step in steps}
    assert lines(pushed)[-1]["archive_bytes"] == steps[-1]["bytes_of"]
    assert 0 < steps[-1]["bytes_done"] <= steps[-1]["bytes_of"]
    assert "" == said(pulled)
    answer = lines(pulled)[-1]
    assert json.loads(plain.stdout).keys() == answer.keys()
    assert answer["pulled"]


def test_why_not_is_the_last_line_too(run: Run, pull: list[str], tmp_path: Path) -> None:
    """With what to do."""
    (tmp_path / "factors.json").write_text(json.dumps(FACTORS))
    done = run(*pull, "--expect", tmp_path / "factors.json", "--output", "jsonl")

    answer = lines(done)[-1]
    assert not answer["pulled"]
    assert "nobody is trusted here" in answer["why"]
    assert "--trust" in answer["remedy"]


def test_what_it_must_be_for_may_come_without_a_file(
    run: Run, push: list[str], pull: list[str], tmp_path: Path
) -> None:
    """In a variable of the container; a file counts before it; nonsense is said."""
    pushed = run(*push[:-2], env={"FIRSTLIGHT_CACHE_EXPECT": json.dumps(FACTORS)})
    other = json.dumps({**FACTORS, "model": "/other"})

    taken = run(*pull, env={"FIRSTLIGHT_CACHE_EXPECT": json.dumps(FACTORS)})
    (tmp_path / "other.json").write_text(other)
    by_file = run(
        *(*pull, "--expect", tmp_path / "other.json"),
        env={"FIRSTLIGHT_CACHE_EXPECT": json.dumps(FACTORS)},
    )
    nonsense = run(*pull, env={"FIRSTLIGHT_CACHE_EXPECT": '{"modell": 3}'})

    assert 0 == pushed.returncode, said(pushed)
    assert RESTORED in taken.stdout.decode()
    assert "model is /other here" in said(by_file)
    assert 0 == nonsense.returncode
    assert f"{NOT_RESTORED}: FIRSTLIGHT_CACHE_EXPECT" in said(nonsense)


def test_a_file_that_is_not_there_is_one_line(run: Run, pull: list[str], tmp_path: Path) -> None:
    """And a start without the cache."""
    done = run(*pull, "--expect", tmp_path / "missing.json")

    assert 0 == done.returncode
    assert f"{NOT_RESTORED}: {tmp_path}/missing.json cannot be read" in said(done)


def test_it_is_published_when_the_engine_has_answered(
    run: Run, push: list[str], tmp_path: Path
) -> None:
    """The folders are not looked at before; then word is left for the engine's container."""
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / NOT_PUBLISHED).write_text("of an earlier try\n")
    (tmp_path / "root").rename(tmp_path / "later")
    with serving(healthy_after_s=0.3, api_key="sesame") as engine:
        # What an engine compiles for its first request.
        engine.when_asked = lambda: (tmp_path / "later").rename(tmp_path / "root")
        done = run(
            *(*push, "--served-by", engine.url, "--shared", shared),
            env={"VLLM_API_KEY": "sesame"},
        )

    assert 0 == done.returncode, said(done)
    assert "waiting for the engine" in said(done)
    assert "sesame" not in said(done)
    assert [PUBLISHED] == [place.name for place in shared.iterdir()]
    assert 1 == len(list((tmp_path / "store" / "manifests").iterdir()))


def test_an_engine_that_ended_is_not_waited_for(run: Run, push: list[str], tmp_path: Path) -> None:
    """One sentence, exit code 3, and word that nothing was published."""
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / ENGINE_ENDED).touch()
    served = f"http://127.0.0.1:{free_port()}"

    done = run(*push, "--served-by", served, "--shared", shared)

    assert 3 == done.returncode
    assert "firstlight: the engine ended before it answered a request" in said(done)
    assert "the engine ended before" in (shared / NOT_PUBLISHED).read_text()
    assert not (tmp_path / "store" / "manifests").exists()


def test_the_store_is_asked_before_an_engine_is_waited_for(
    run: Run, push: list[str], tmp_path: Path
) -> None:
    """A start costs minutes, and may be for nothing: no such store, or one that has it already."""
    served = ("--served-by", f"http://127.0.0.1:{free_port()}")
    (tmp_path / "full").write_text("no folder")
    elsewhere = [*push[:3], f"file://{tmp_path}/full/store", *push[4:]]

    nowhere = run(*elsewhere, *served)
    run(*push)
    there = run(*push, *served)
    unknown = run("push", "inductor=/c", *push[2:], *served)

    assert 3 == nowhere.returncode
    assert f"file://{tmp_path}/full/store cannot be opened: Not a directory" in said(nowhere)
    assert 0 == there.returncode
    assert b"already, and it stays" in there.stdout
    assert 2 == unknown.returncode
    for done in (nowhere, there, unknown):
        assert "waiting" not in said(done)


def test_what_is_there_is_replaced_when_told_or_when_nobody_could_take_it(
    run: Run, push: list[str], pull: list[str], tmp_path: Path
) -> None:
    """And what was there is said, to people and to programs."""
    run(*push)
    (archive,) = (tmp_path / "store" / "archives").iterdir()

    stays, told = run(*push), run(*push, "--replace")
    archive.write_bytes(b"half")
    healed = run(*push, "--output", "json")
    taken = run(*pull, "--expect", tmp_path / "factors.json", "--require")

    assert b"already, and it stays" in stays.stdout
    assert b", in place of the one that was there\n" in told.stdout
    document = json.loads(healed.stdout)
    assert (True, "wrong") == (document["published"], document["found"])
    assert "has 4 bytes, and " in document["wrong"]
    assert 0 == taken.returncode, said(taken)


def test_word_is_left_also_where_nothing_made_sense(
    run: Run, push: list[str], tmp_path: Path
) -> None:
    """Or the engine's container would wait without end."""
    shared = tmp_path / "shared"
    shared.mkdir()

    done = run(*push[:-1], tmp_path / "missing.json", "--shared", shared)
    nowhere = run(*push, "--shared", tmp_path / "nowhere")

    assert 2 == done.returncode
    assert "missing.json cannot be read" in (shared / NOT_PUBLISHED).read_text()
    assert 2 == nowhere.returncode
    assert "nowhere is no folder" in said(nowhere)


def test_word_is_left_by_who_is_told_to_end(
    home: dict[str, str], push: list[str], tmp_path: Path
) -> None:
    """A pod that is deleted gives its containers a while."""
    shared = tmp_path / "shared"
    shared.mkdir()
    served = f"http://127.0.0.1:{free_port()}"
    with subprocess.Popen(
        [SCRIPT, "cache", *push, "--shared", shared, "--served-by", served],
        env={**os.environ, **home},
        stderr=subprocess.PIPE,
    ) as waiting:
        assert waiting.stderr is not None
        assert b"waiting" in waiting.stderr.readline()
        waiting.send_signal(signal.SIGTERM)
        code = waiting.wait(10)

    assert 130 == code
    assert "SIGTERM\n" == (shared / NOT_PUBLISHED).read_text()


def test_waiting_is_a_line_a_second_at_most(run: Run, push: list[str]) -> None:
    """And none that only repeats what was said."""
    began_s = time.monotonic()
    done = run(*push, "--served-by", f"http://127.0.0.1:{free_port()}", "--wait-s", "2")
    took_s = time.monotonic() - began_s

    assert 3 == done.returncode
    assert took_s < 5
    assert len(said(done).splitlines()) <= 4
