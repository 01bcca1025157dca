"""A run that goes on by a plan that was changed: more rounds, a mended step, nothing lost."""

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.cli.console import firstlight, said
from tests.experiment.lab import PLACEBO, Lab

pytestmark = pytest.mark.timeout(120)
BROKEN = {"change": "mine", "process": {"environment": {"FAKE_DIES": "/dev/null"}}}
MENDED = {"change": "mine", "process": {"environment": {"FAKE_DIES": "/nowhere"}}}


def run(lab: Lab, plan: Path) -> CompletedProcess[str]:
    return lab.say("run", plan, "--into", lab.run, "--yes")


def counted(lab: Lab) -> list[int]:
    """How many results each step has."""
    return [step["scenarios"]["warm"]["summary"]["n"] for step in lab.report()["steps"]]


def slots(lab: Lab) -> list[str]:
    return [line["slot"] for line in lab.ledger() if line["entry"] == "round"]


def test_rounds_can_be_added(lab: Lab) -> None:
    """Only what is missing is run; a fill again, for what it wrote went with the end of the run."""
    assert 0 == run(lab, lab.plan(rounds=1)).returncode
    before = lab.ledger()

    done = run(lab, lab.plan(rounds=2))

    assert 0 == done.returncode, done.stderr
    assert [2, 2] == counted(lab)
    after = lab.ledger()
    assert before == after[: len(before)]
    changed = after[len(before)]
    assert ("changed", 2, "plan-2.yaml") == (changed["entry"], changed["rounds"], changed["plan"])
    assert ["warm/0/fill", "warm/1/fill", "warm/1/2", "warm/0/2"] == slots(lab)[4:]
    assert {"hit"} == {
        one["cache_verdict"]
        for one in lab.report()["steps"][1]["scenarios"]["warm"]["rounds"]
        if one["counts"]
    }
    assert 2 == json.loads((lab.run / "plan-2.yaml").read_text())["rounds"]
    assert 0 == lab.say("resume", lab.run).returncode
    assert after == lab.ledger()


def test_rounds_cannot_be_taken_away(lab: Lab) -> None:
    """With both numbers."""
    assert 0 == run(lab, lab.plan(rounds=2, steps=[])).returncode
    before = lab.ledger()

    done = run(lab, lab.plan(rounds=1, steps=[]))

    assert 2 == done.returncode
    assert "begun with 2 rounds, and the plan says 1 now" in done.stderr
    assert before == lab.ledger()


def test_a_mended_step_goes_on_where_it_failed(lab: Lab) -> None:
    """What was run before it counts, what was tried of it as it was does not, and is told."""
    assert 3 == run(lab, lab.plan(rounds=1, steps=[PLACEBO, BROKEN], fills="every")).returncode
    before = slots(lab)

    done = run(lab, lab.plan(rounds=1, steps=[PLACEBO, MENDED], fills="every"))

    assert 0 == done.returncode, done.stderr
    assert ["warm/0/fill", "warm/1/fill", "warm/2/fill", "warm/2/fill"] == before
    assert ["warm/2/fill", "warm/0/1", "warm/1/1", "warm/2/1"] == slots(lab)[len(before) :]
    assert 3 == next(line for line in lab.ledger()[7:] if line["entry"] == "round")["attempt"]
    document = lab.report()
    rounds = document["steps"][2]["scenarios"]["warm"]["rounds"]
    assert {"ready"} == {one["outcome"] for one in rounds}
    assert "2 tries from before that count no more" in " ".join(document["notes"])
    assert [1, 1, 1] == counted(lab)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": [MENDED]}, "the step placebo has rounds and is another now"),
        ({"steps": [PLACEBO], "scenarios": ["cold"]}, "the scenarios is another"),
        ({"steps": [PLACEBO], "serving": False}, "the serving is another"),
        ({"steps": [PLACEBO], "environment": {"A": "1"}}, "the step baseline has rounds and is"),
    ],
)
def test_what_was_measured_stays_what_it_was_called(
    lab: Lab, fields: dict[str, Any], words: str
) -> None:
    """Rounds of two plans are not mixed."""
    assert 0 == run(lab, lab.plan(rounds=1, steps=[PLACEBO])).returncode
    before = lab.ledger()

    done = run(lab, lab.plan(rounds=1, **fields))

    assert 2 == done.returncode
    assert words in done.stderr
    assert before == lab.ledger()


def test_a_step_that_is_added_did_not_take_turns(lab: Lab) -> None:
    """It is run, and it is said that whatever else changed is in the difference."""
    assert 0 == run(lab, lab.plan(rounds=2, steps=[])).returncode

    done = run(lab, lab.plan(rounds=2, steps=[PLACEBO]))

    assert 0 == done.returncode, done.stderr
    against = lab.report()["steps"][1]["against_previous"]["warm"]
    assert "did not take turns" in " ".join(against["notes"])


def test_a_step_that_fails_is_skipped_where_the_plan_says_so(lab: Lab) -> None:
    """The others are run to their end, then it is said; put right, it alone is run."""
    dies = lab.home / "dies"
    dies.touch()
    own = {"change": "mine", "process": {"environment": {"FAKE_DIES": str(dies)}}}
    back = {"change": "back", "process": {"remove": {"environment": ["FAKE_DIES"]}}}
    own_too = {"change": "too", "process": {"environment": {"OTHER": "1"}}}
    plan = lab.plan(rounds=1, steps=[own, own_too, back], attempts=1, on_failure="skip")

    done = run(lab, plan)

    assert 3 == done.returncode
    for name, number in (("mine", 1), ("too", 2)):
        assert f"{name} (warm/{number}/1) failed once" in done.stderr
    assert [1, 0, 0, 1] == counted(lab)
    dies.unlink()
    assert 0 == lab.say("resume", lab.run).returncode
    assert [1, 1, 1, 1] == counted(lab)


def test_a_damaged_change_is_said_with_its_line(lab: Lab) -> None:
    """A line must not lead to a file outside the run."""
    run(lab, lab.plan(rounds=1, steps=[]))
    assert 0 == run(lab, lab.plan(rounds=2, steps=[])).returncode
    ledger = lab.run / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b"plan-2.yaml", b"../plan.yaml"))

    done = lab.say("report", lab.run)

    assert 2 == done.returncode
    assert "is no file of a plan" in done.stderr


def test_a_cold_round_that_finds_a_cache_is_no_result(lab: Lab) -> None:
    """Here the engine keeps one beside itself, where no plan can see it."""
    root = lab.home / "hidden"
    lab.change(('os.environ["VLLM_CACHE_ROOT"]', repr(str(root))))
    plan = lab.plan(rounds=2, steps=[PLACEBO], scenarios=["cold"])

    done = run(lab, plan)

    document = lab.report()
    base, placebo = (step["scenarios"]["cold"] for step in document["steps"])
    assert [True, False] == [one["counts"] for one in base["rounds"]]
    assert [False, False] == [one["counts"] for one in placebo["rounds"]]
    assert {"its compile cache was a hit, so it was no cold start"} == {
        one["effect"]["says"] for one in placebo["rounds"]
    }
    assert "placebo, cold: 2 of 2 rounds are no result" in " ".join(document["notes"])
    assert "no result: its compile cache was a hit" in done.stdout


def test_a_step_that_brings_a_cache_may_find_one_when_it_is_cold(lab: Lab) -> None:
    """Where it says that this is what it changes."""
    root = lab.home / "brought"
    own = f'os.environ.get("BRINGS", {str(root)!r} + str(os.getpid()))'
    lab.change(('os.environ["VLLM_CACHE_ROOT"]', own))
    brings = {
        "change": "brings",
        "changes": ["compile cache"],
        "process": {"environment": {"BRINGS": str(root)}},
    }
    plan = lab.plan(rounds=2, steps=[brings], scenarios=["cold"])

    assert 0 == run(lab, plan).returncode

    rounds = lab.report()["steps"][1]["scenarios"]["cold"]["rounds"]
    assert [("fill", True), ("hit", True)] == [(r["cache_verdict"], r["counts"]) for r in rounds]


def test_explain_and_compare_do_not_mix_the_steps_of_a_run(lab: Lab) -> None:
    """They name a folder below it; the sides of a comparison are told apart."""
    run(lab, lab.plan(rounds=1, steps=[PLACEBO]))

    for folder in (lab.run, lab.run / "rounds"):
        done = firstlight("explain", folder)
        assert 2 == done.returncode
        assert f"name a folder below {lab.run}/rounds" in said(done)
    sides = [lab.run / "rounds" / name for name in ("00-baseline-warm", "01-placebo-warm")]
    compared = firstlight("compare", *(side / "round-01" for side in sides), "--output", "json")
    document = json.loads(compared.stdout)
    assert ["00-baseline-warm/round-01", "01-placebo-warm/round-01"] == [
        document[side]["name"] for side in ("first", "second")
    ]
