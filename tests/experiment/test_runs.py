"""Plans that are run with a fake engine, from the command line to the document."""

import json
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.experiment.lab import CACHE, PLACEBO, STREAM, Lab, until

# Real processes on a busy machine: they take well under a second on an idle one.
pytestmark = pytest.mark.timeout(120)


def scenario(document: dict[str, Any], step: int) -> dict[str, Any]:
    found: dict[str, Any] = document["steps"][step]["scenarios"]["warm"]
    return found


def starts(lab: Lab) -> int:
    return len((lab.home / "starts").read_text().splitlines())


def counted(lab: Lab) -> dict[str, str]:
    return {"FAKE_LOG": str(lab.home / "starts")}


def ran(lab: Lab, plan: Path) -> subprocess.CompletedProcess[str]:
    done = lab.say("run", plan, "--into", lab.run, "--yes")
    assert 0 == done.returncode, done.stderr
    return done


def test_a_plan_is_told_and_nothing_is_run(lab: Lab) -> None:
    """Steps, what was proven to differ, rounds, hours and cost."""
    plan = lab.plan(
        steps=[{"technique": STREAM}, {"technique": CACHE}],
        rounds=4,
        expect_s=120,
        price={"per_hour": 3, "currency": "EUR"},
        environment=counted(lab),
    )

    text = lab.say("plan", plan).stdout
    document = json.loads(lab.say("plan", plan, "--output", "json").stdout)

    assert "--model: /mnt/m -> s3://bucket/m" in text
    assert "15 rounds to run, 3 of them fills, about 30 min, 1.50 EUR" in text
    assert ("firstlight.planned/1", 1800.0, 1.5) == (
        document["schema"],
        document["estimate"]["seconds"],
        document["estimate"]["cost"],
    )
    assert not (lab.home / "starts").exists()


def test_a_run_says_what_each_step_bought(lab: Lab) -> None:
    """Fills are apart, effects are seen, answers are the same, and so are the numbers again."""
    steps = [{"technique": STREAM}, {"technique": CACHE}, PLACEBO]

    done = ran(lab, lab.plan(steps=steps, rounds=2))

    document = lab.report()
    rounds = [scenario(document, step)["rounds"] for step in range(4)]
    assert [["fill", "result", "result"]] * 4 == [[r["purpose"] for r in of] for of in rounds]
    assert [["fill"] * 3] * 2 + [["fill", "hit", "hit"]] * 2 == [
        [r["cache_verdict"] for r in of] for of in rounds
    ]
    assert [{"applied": 2}] * 3 + [{"unknown": 2}] == [
        scenario(document, step)["effect"] for step in range(4)
    ]
    assert "a change of one's own has no sign" == rounds[3][1]["effect"]["says"]
    assert all(scenario(document, step)["serving"]["same_text"] for step in range(4))
    assert 2 == scenario(document, 2)["summary"]["n"]
    assert {} == document["totals"]["recommended"]
    assert ["stream-weights", "compile-cache-local"] == document["no_totals"][0]["steps"]
    assert document == lab.report()
    assert "2 compile-cache-local, against stream-weights" in done.stdout
    assert not (lab.run / "layers").exists()


def test_phases_add_up_to_the_total(lab: Lab) -> None:
    """Each round carries all that `explain` says of it."""
    ran(lab, lab.plan(steps=[]))

    for one in scenario(lab.report(), 0)["rounds"]:
        assert one["total_s"] == pytest.approx(sum(p["seconds"] for p in one["phases"]))
        assert one["phases"][0]["evidence"]


def test_a_technique_that_did_not_take_effect_is_said_not_to_be_applied(lab: Lab) -> None:
    """Whatever its seconds: here the cache's variable is set, and the engine keeps none."""
    lab.change(("file.write_text", "(lambda _: None)"))

    done = ran(lab, lab.plan(steps=[{"technique": CACHE}]))

    against = lab.report()["steps"][1]["against_previous"]["warm"]
    assert against["not_applied"] is True
    assert {"not applied": 1} == scenario(lab.report(), 1)["effect"]
    assert "NOT APPLIED" in done.stdout


def test_an_engine_that_says_something_else_each_time_is_asked_for_no_equality(lab: Lab) -> None:
    """Then the share of tokens is told, beside the baseline's own."""
    plan = lab.plan(steps=[PLACEBO], rounds=2, environment={"FAKE_FIXED": "no"})

    ran(lab, plan)

    serving = scenario(lab.report(), 1)["serving"]
    assert (False, None) == (serving["baseline_is_steady"], serving["same_text"])
    assert 0 < serving["lowest_agreement"] < 1


def test_what_was_measured_and_not_written_down_is_not_repeated(lab: Lab) -> None:
    """A kill between a round's end and its line: the line is written, no engine is started."""
    plan = lab.plan(environment=counted(lab))
    ran(lab, plan)
    whole, began = lab.ledger(), starts(lab)
    lines = (lab.run / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (lab.run / "ledger.jsonl").write_bytes(b"".join(lines[:-1]) + lines[-1][:20])

    done = lab.say("resume", lab.run)

    assert (0, began) == (done.returncode, starts(lab))
    assert whole == lab.ledger()


def test_a_round_that_was_cut_off_is_put_aside_and_run_again(lab: Lab) -> None:
    """In the folder it would have had."""
    plan = lab.plan(environment=counted(lab), steps=[PLACEBO], scenarios=["cold"])
    ran(lab, plan)
    whole, began = lab.ledger(), starts(lab)
    lines = (lab.run / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (lab.run / "ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    (lab.run / whole[-1]["folder"] / "round.json").unlink()

    done = lab.say("resume", lab.run)

    assert (0, began + 1) == (done.returncode, starts(lab))
    assert whole == lab.ledger()
    assert 1 == len(list((lab.run / "interrupted").iterdir()))


def test_a_node_that_is_gone_is_not_taken_for_a_cache_that_missed(lab: Lab) -> None:
    """A round that should hit would compile, and the technique would be blamed."""
    ran(lab, lab.plan())
    lines = (lab.run / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (lab.run / "ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    shutil.rmtree(next((lab.run / "rounds").glob("01-*-warm")))

    done = lab.say("resume", lab.run)

    assert 3 == done.returncode
    assert "what the fill of compile-cache-local wrote is gone" in done.stderr


def test_a_base_that_never_becomes_ready_stops_the_plan_with_its_cause(lab: Lab) -> None:
    """After as many tries as the plan says; and it goes on once that is put right."""
    dies = lab.home / "dies"
    dies.touch()
    plan = lab.plan(environment={"FAKE_DIES": str(dies)})

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 3 == done.returncode
    assert "failed 2 times: the engine ended with exit code 3" in done.stderr
    assert "no more memory for me" in done.stderr
    assert f"firstlight experiment resume {lab.run}" in done.stderr
    assert ["plan", "round", "round", "stopped"] == [line["entry"] for line in lab.ledger()]
    stopped = lab.report()
    assert "warm/0/fill" == stopped["stopped"]["slot"]
    assert [False, False] == [r["counts"] for r in scenario(stopped, 0)["rounds"]]
    dies.unlink()
    assert 0 == lab.say("resume", lab.run).returncode
    assert lab.report()["stopped"] is None


def test_an_engine_that_dies_while_it_is_asked_has_failed(lab: Lab) -> None:
    """It came up, and it does not serve."""
    dies = lab.home / "dies"
    dies.touch()
    plan = lab.plan(environment={"FAKE_DIES_LATE": str(dies)}, attempts=1)

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 3 == done.returncode
    assert "after its first token, while it was asked more" in done.stderr


def test_a_port_that_is_taken_is_said_before_anything_is_started(lab: Lab) -> None:
    """The wrong server would be measured."""
    plan = lab.plan(environment=counted(lab))
    with socket.create_server(("127.0.0.1", lab.port)):
        done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 3 == done.returncode
    assert f"something already listens on 127.0.0.1:{lab.port}" in done.stderr
    assert not (lab.home / "starts").exists()


def test_ctrl_c_says_how_to_go_on(lab: Lab) -> None:
    """What was finished is kept; the ledger is as if nobody had interrupted."""
    plan = lab.plan()
    with lab.begun(plan, stderr=subprocess.PIPE) as running:
        until(lab.engines)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)

    assert 130 == running.returncode
    assert f"firstlight experiment resume {lab.run}" in said
    assert 0 == lab.say("resume", lab.run).returncode
    assert [1, 1, 1, 1] == [line["attempt"] for line in lab.ledger()[1:]]
    assert {"ready"} == {line["outcome"] for line in lab.ledger()[1:]}


def test_a_folder_of_another_plan_is_refused(lab: Lab) -> None:
    """Rounds of two plans are not mixed."""
    ran(lab, lab.plan(steps=[]))
    before = lab.ledger()

    done = lab.say("run", lab.plan(steps=[], scenarios=["cold"]), "--into", lab.run, "--yes")

    assert 2 == done.returncode
    assert f"{lab.run}: it is the run of another plan" in done.stderr
    assert before == lab.ledger()


def test_a_folder_with_something_else_is_refused(lab: Lab) -> None:
    """Nothing of it is touched."""
    lab.run.mkdir()
    (lab.run / "mine").touch()

    done = lab.say("run", lab.plan(), "--into", lab.run, "--yes")

    assert 2 == done.returncode
    assert "holds something else already" in done.stderr


@pytest.mark.parametrize("words", [("resume",), ("report",)])
def test_a_folder_without_a_run_is_said(lab: Lab, words: tuple[str, ...]) -> None:
    """With what to name instead."""
    done = lab.say(*words, lab.run)

    assert 2 == done.returncode
    assert "holds no run of a plan" in done.stderr


def test_a_damaged_ledger_is_said_with_its_line(lab: Lab) -> None:
    """Nothing is guessed, nothing is run."""
    ran(lab, lab.plan(steps=[]))
    ledger = lab.run / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b'{"entry":"round"', b'{"entry":"roundX"', 1))

    for word in ("resume", "report"):
        done = lab.say(word, lab.run)
        assert 2 == done.returncode
        assert "ledger.jsonl line 2 is damaged" in done.stderr


def test_two_at_once_in_one_folder_are_refused(lab: Lab) -> None:
    """The second says who is there."""
    plan = lab.plan(environment={"FAKE_UNHURRIED": "100"}, steps=[])
    running = lab.begun(plan)
    until(lab.engines)
    done = lab.say("resume", lab.run)
    running.kill()
    running.wait()

    assert 2 == done.returncode
    assert f"in use by another firstlight (process {running.pid})" in done.stderr


def test_a_setting_that_is_missing_is_asked_for(lab: Lab) -> None:
    """And with it the run remembers it."""
    plan = lab.plan(steps=[])
    plan.write_text(plan.read_text().replace(str(lab.vllm), "${engine}"))

    refused = lab.say("plan", plan)
    done = lab.say("run", plan, "--into", lab.run, "--yes", "--set", f"engine={lab.vllm}")

    assert 2 == refused.returncode
    assert "give it: --set engine=VALUE" in refused.stderr
    assert 0 == done.returncode, done.stderr
    assert 0 == lab.say("resume", lab.run).returncode


def test_a_wake_up_is_timed_from_the_call_to_a_token(lab: Lab) -> None:
    """Of the steps alone whose engine can sleep; how it came up is no part of it."""
    own = {"change": "sleeps", "process": {"environment": {"VLLM_SERVER_DEV_MODE": "1"}}}

    done = ran(lab, lab.plan(steps=[own], scenarios=["wake"], rounds=2))

    document = lab.report()
    base, sleeping = (step["scenarios"]["wake"] for step in document["steps"])
    rounds = [one for one in sleeping["rounds"] if one["counts"]]
    assert [] == base["rounds"]
    assert 2 == len(rounds)
    assert [["wake_up", "first_token"]] * 2 == [[p["name"] for p in r["phases"]] for r in rounds]
    assert all(0.02 < r["total_s"] < r["phases"][0]["seconds"] + 0.5 for r in rounds)
    assert "wake" in done.stdout


def test_an_engine_that_cannot_sleep_is_said(lab: Lab) -> None:
    """In the plan already where no step can; with the engine's words where one refuses."""
    refused = lab.say("plan", lab.plan(scenarios=["wake"]))
    lab.change(('asked[1] == "/wake_up"', 'asked[1] == "/wke_up"'))
    plan = lab.plan(
        steps=[], scenarios=["wake"], attempts=1, environment={"VLLM_SERVER_DEV_MODE": "1"}
    )

    done = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 2 == refused.returncode
    assert "no step can be put to sleep and woken" in refused.stderr
    assert 3 == done.returncode
    assert "baseline (wake/0/1) failed once: /wake_up: " in done.stderr


def test_a_secret_is_in_nothing_that_is_told(lab: Lab) -> None:
    """As a change and in the plan's text, under any name; under a secret's it is refused."""
    secret = "hf_" + "abcdefgh1234" * 3
    own = {"change": "own", "process": {"environment": {"OTHER": secret}}}
    plan = lab.plan(steps=[own])

    told = lab.say("plan", plan)
    done = ran(lab, plan)
    setting = lab.say("plan", plan, "--set", f"hf_token={secret}")
    named = {"change": "token", "process": {"environment": {"HF_TOKEN": secret}}}
    written = lab.say("plan", lab.plan(steps=[named]))

    assert "environment OTHER" in told.stdout
    for text in (told.stdout, done.stdout, json.dumps(lab.report())):
        assert secret not in text
    for refused in (setting, written):
        assert 2 == refused.returncode
        assert secret not in refused.stderr
        assert "name of a secret" in refused.stderr
