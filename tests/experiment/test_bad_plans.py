"""What cannot be a plan, or cannot be run: a sentence, an exit code, and nothing is started."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstlight.cli.experiment import command
from firstlight.core.errors import BadInput
from firstlight.experiment.plan_file import read_plan
from firstlight.wiring import comparing
from tests.experiment.lab import Lab
from tests.experiment.plans import CACHE, PLACEBO, text, worked_out
from tests.experiment.small_disk import a_small_disk

pytestmark = pytest.mark.timeout(60)


def own(name: str, **process: Any) -> dict[str, Any]:
    return {"change": name, "process": process}


def refused(**changed: Any) -> BadInput:
    with pytest.raises(BadInput) as error:
        worked_out(**changed)
    assert "plan.yaml line " in error.value.message
    return error.value


ON, OFF = own("on", environment={"A": "1"}), own("off", environment={"A": "0"})


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([ON, OFF, own("on again", environment={"A": "1"})], "are those of on, so the plan goes"),
        (
            [own("port", arguments={"--port": "1"}), own("back", arguments={"--port": "8000"})],
            "of fuse-mount, so",
        ),
        ([CACHE, PLACEBO, CACHE], "compile-cache-local is there already"),
    ],
)
def test_a_plan_does_not_go_round_in_a_circle(steps: list[Any], words: str) -> None:
    """A step that brings back what was there is no change, however it is called."""
    assert words in refused(steps=steps).message


@pytest.mark.parametrize("name", ["", "a/b", "a\nb", "x" * 61, "baseline"])
def test_a_change_has_a_name_that_folders_can_have(name: str) -> None:
    """Said before anything is run, and not when its first folder is made."""
    assert refused(steps=[own(name, environment={"A": "1"})]).remedy


@pytest.mark.parametrize(
    "process",
    [{"environment": {"A=B": "1"}}, {"environment": {"": "1"}}, {"environment": {"A": "x\0"}}],
)
def test_words_that_no_process_can_have_are_refused(process: dict[str, Any]) -> None:
    """In a step, and in the base."""
    base = {"process": {"command": ["vllm", "serve", "m"], **process}}

    assert refused(steps=[own("odd", **process)]).remedy
    assert refused(base=base, steps=[], given={}).remedy


BOMB = b"a: &a [1,1,1,1,1,1,1,1,1,1]\n" + b"".join(
    b"%c: &%c [%s]\n" % (at, at, b",".join([b"*%c" % (at - 1)] * 10)) for at in range(98, 110)
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b"# nothing\n", "it is empty"),
        (b"- 1\n", "no map"),
        (b"a plan", "no map"),
        (bytes(range(256)), "is binary"),
        (text().decode().encode("utf-16"), "UTF-16"),
        (BOMB, "aliases repeat"),
        (b"a: " + b"[" * 100_000, "nesting depth"),
        (b"schema: &a [*a]\n", "holds itself"),
        (text() + b"rounds: 1\nrounds: 2\n", "rounds stands there a second time"),
        (text() + b"---\na: 1\n", "a second document begins"),
        (text() + b"# x\n" * 3_000_000, "a plan at most"),
    ],
)
def test_what_is_no_plan_is_said_at_once(data: bytes, words: str) -> None:
    """Whatever is in the file."""
    with pytest.raises(BadInput, match=r"^p ") as error:
        read_plan("p", data, {})

    assert words in error.value.message
    assert error.value.remedy


def test_without_scipy_nothing_is_begun(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours of rounds would end in a sentence that could have been said before them."""
    monkeypatch.setattr(comparing, "find_spec", lambda _: None)

    done = CliRunner().invoke(command, ["run", str(lab.plan()), "--into", str(lab.run), "--yes"])

    assert isinstance(done.exception, BadInput)
    assert "pip install 'firstlight[statistics]'" == done.exception.remedy
    assert not lab.run.exists()


@pytest.mark.parametrize(("name", "code"), [("a file", 2), ("below a file", 3)])
def test_a_run_needs_a_folder(lab: Lab, name: str, code: int) -> None:
    """Nothing becomes of what is there."""
    file = lab.home / "file"
    file.write_text("mine")
    into = file if name == "a file" else file / "run"

    done = lab.say("run", lab.plan(), "--into", into, "--yes")

    assert code == done.returncode
    assert str(into) in done.stderr
    assert "mine" == file.read_text()


@pytest.mark.parametrize("kind", ["empty", "of a file", "half a line", "nowhere"])
@pytest.mark.parametrize("word", ["resume", "report"])
def test_what_is_no_run_cannot_go_on(lab: Lab, kind: str, word: str) -> None:
    """It is told what to name instead, and no folder is made."""
    if kind != "nowhere":
        lab.run.mkdir()
    if kind == "half a line":
        (lab.run / "ledger.jsonl").write_text('{"entry":"plan",')
    if kind == "of a file":
        (lab.run / "ledger.jsonl").mkdir()

    done = lab.say(word, lab.run)

    assert 2 == done.returncode
    assert "`firstlight experiment run` made" in done.stderr
    assert (kind != "nowhere") == lab.run.exists()


@pytest.mark.parametrize("left", [b"", b'{"entry":"plan",'])
def test_a_run_whose_ledger_is_gone_is_not_begun_anew(lab: Lab, left: bytes) -> None:
    """Its rounds stay where they are, and what is wrong is said."""
    plan = lab.plan(steps=[])
    assert 0 == lab.say("run", plan, "--into", lab.run, "--yes").returncode
    (lab.run / "ledger.jsonl").write_bytes(left)
    rounds = sorted(lab.run.rglob("*"))

    told = [lab.say("run", plan, "--into", lab.run, "--yes")]
    told += [lab.say(word, lab.run) for word in ("resume", "report")]

    assert [2, 2, 2] == [done.returncode for done in told]
    assert all("has rounds of a run, and its ledger.jsonl has not" in done.stderr for done in told)
    assert rounds == sorted(lab.run.rglob("*"))
    assert left == (lab.run / "ledger.jsonl").read_bytes()


def test_a_comment_may_be_changed_and_a_step_may_not(lab: Lab) -> None:
    """In the plan that lies in the run's folder: it is what goes on."""
    assert 0 == lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes").returncode
    kept = lab.run / "plan.yaml"
    before = lab.ledger()
    plan = kept.read_text()

    kept.write_text("# looked at\n" + plan)
    commented = lab.say("resume", lab.run)
    kept.write_text(json.dumps({**json.loads(plan), "rounds": 2}))
    edited = [lab.say(word, lab.run) for word in ("resume", "report")]
    kept.unlink()
    gone = lab.say("resume", lab.run)

    assert 0 == commented.returncode, commented.stderr
    assert [2, 2] == [done.returncode for done in edited]
    assert all("or its steps are others now" in done.stderr for done in edited)
    assert 2 == gone.returncode
    assert f"{kept} cannot be read" in gone.stderr
    assert before == lab.ledger()


@pytest.mark.parametrize("command", ["/no/such/vllm", "{home}/script", "{home}"])
def test_what_cannot_be_started_stops_the_plan(lab: Lab, command: str) -> None:
    """A command that is not there, one that may not be run, a folder; put right, it goes on."""
    script = lab.home / "script"
    script.write_text("#!/bin/sh\nexit 1\n")
    words = command.format(home=lab.home)
    plan = lab.plan(steps=[], attempts=1)
    plan.write_text(plan.read_text().replace(str(lab.vllm), words))

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 3 == done.returncode
    assert f"failed once: {words} was not started" in done.stderr
    assert ["plan", "round", "stopped"] == [line["entry"] for line in lab.ledger()]


def test_a_folder_that_became_read_only_is_said(tmp_path: Path, lab: Lab) -> None:
    """Root may write anywhere but there."""
    with a_small_disk(tmp_path / "disk") as disk:
        run = disk.at / "run"
        plan = lab.plan(steps=[], rounds=1)
        assert 0 == disk.say("run", plan, "--into", run, "--yes").returncode
        disk.protect()
        again = disk.say("resume", run)
        told = disk.say("report", run)
        elsewhere = disk.say("run", plan, "--into", disk.at / "other", "--yes")

    for done in (again, elsewhere):
        assert 3 == done.returncode
        assert "Read-only file system" in done.stderr
        assert "name a folder that can be written" in done.stderr
    assert 0 == told.returncode, told.stderr
