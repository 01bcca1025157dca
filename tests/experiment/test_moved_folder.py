"""A run's folder that was moved, copied, opened from elsewhere, or had its rounds exchanged."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.console import SCRIPT
from tests.experiment.lab import CACHE, Lab

pytestmark = pytest.mark.timeout(60)


def stopped(lab: Lab) -> Path:
    """A plan whose engine died in the middle, and may live from now on."""
    dies = lab.home / "dies"
    plan = lab.plan(environment={"FAKE_DIES": str(dies)}, attempts=1, rounds=2)
    with lab.begun(plan) as run:
        ledger = lab.run / "ledger.jsonl"
        while run.poll() is None:
            if ledger.exists() and 3 <= ledger.read_bytes().count(b"\n"):
                dies.touch()
                break
        run.communicate(timeout=50)
    dies.unlink()
    return lab.run


def said(*words: str | Path, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """As a shell has it, with PWD."""
    return subprocess.run(
        [SCRIPT, *words],
        cwd=cwd,
        env={**os.environ, "TERM": "dumb", "PWD": str(cwd or Path.cwd())},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


def test_a_run_that_was_moved_is_told_and_not_gone_on_with(lab: Lab) -> None:
    """Caches have the path of `${node}` in their keys, so its rounds would be others."""
    run = stopped(lab)
    before = (run / "ledger.jsonl").read_bytes()
    moved = run.rename(lab.home / "moved")

    refused = lab.say("resume", moved, "--yes")
    again = lab.say("run", lab.home / "plan.yaml", "--into", moved, "--yes")
    told = lab.say("report", moved, "--output", "json")

    for one in (refused, again):
        assert 2 == one.returncode
        assert f"{moved} was {run} when its run began" in one.stderr
        assert f"move it back to {run}" in one.stderr
    assert before == (moved / "ledger.jsonl").read_bytes()
    assert 0 == told.returncode
    assert "baseline" == json.loads(told.stdout)["steps"][0]["name"]

    moved.rename(run)
    assert 0 == lab.say("resume", run, "--yes").returncode


def test_a_link_to_a_run_is_that_run(lab: Lab) -> None:
    """Gone on with under the name it was begun with: no path differs."""
    run = stopped(lab)
    link = lab.home / "link"
    link.symlink_to(run)

    done = lab.say("resume", link, "--yes")

    assert (0, "") == (done.returncode, done.stderr if done.returncode else "")
    assert all(str(link) not in log.read_text() for log in run.glob("rounds/*/*/engine.log"))


def test_a_run_is_gone_on_with_from_another_folder(lab: Lab) -> None:
    """The folder somebody stands in is no secret, and blackens nothing."""
    run = stopped(lab)

    done = said("experiment", "resume", run, "--yes", cwd=lab.home)

    assert 0 == done.returncode, done.stderr
    assert "NOT COMPARABLE" not in done.stdout
    for log in run.glob("rounds/*/*/engine.log"):
        assert "***" not in log.read_text()


def test_rounds_in_each_others_place_are_left_out(lab: Lab) -> None:
    """The ledger's line, the folder and the record must all mean one round."""
    done = lab.say("run", lab.plan(), "--into", lab.run, "--yes")
    assert 0 == done.returncode, done.stderr
    first = lab.run / "rounds" / "00-baseline-warm" / "round-01"
    second = lab.run / "rounds" / f"01-{CACHE}-warm" / "round-01"
    first.rename(lab.home / "aside")
    second.rename(first)
    (lab.home / "aside").rename(second)

    exchanged = lab.report()
    ledger = lab.run / "ledger.jsonl"
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    names = {one["folder"]: one for one in lines if "folder" in one}
    one, other = (str(folder.relative_to(lab.run)) for folder in (first, second))
    names[one]["folder"], names[other]["folder"] = other, one
    ledger.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    crossed = lab.report()

    assert [f"{one} is left out: its round.json is of 01-{CACHE}-warm"] == [
        note for note in exchanged["notes"] if note.startswith(one)
    ]
    assert [f"{other} is left out: its round.json is of 00-baseline-warm"] == [
        note for note in exchanged["notes"] if note.startswith(other)
    ]
    assert 2 == sum("that is no folder of the round" in note for note in crossed["notes"])
    for document in (exchanged, crossed):
        rounds = [step["scenarios"]["warm"]["rounds"] for step in document["steps"]]
        assert [["fill"], ["fill"]] == [[r["purpose"] for r in found] for found in rounds]


def test_what_was_kept_is_its_owners_and_stays_as_it_is(lab: Lab) -> None:
    """The plan may hold what is nobody else's business; no report comes over a record."""
    lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")
    folder = lab.run / "rounds" / "00-baseline-warm" / "round-01"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    for name in ("round.json", "serving.json", "wake.json", "cache-after.json"):
        done = said("report", folder, "--to", folder / name)
        assert (2, "") == (done.returncode, done.stdout)

    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert 0o600 == (lab.run / "plan.yaml").stat().st_mode & 0o777
