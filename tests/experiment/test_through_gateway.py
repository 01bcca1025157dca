"""Plans whose wake-ups go through a gateway: what is refused, what is run, what is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstlight.cli.experiment import command
from firstlight.core.errors import BadInput
from firstlight.experiment.identity import digest
from firstlight.wiring.experimenting import gate_beside
from tests.experiment.lab import Lab, until
from tests.experiment.plans import worked_out
from tests.fakes.processes import left_over, wait_until_gone

# Real processes on a busy machine.
pytestmark = pytest.mark.timeout(120)
GATE = "firstlight-gate-"
"""In the command of each."""
SLEEPS = {"VLLM_SERVER_DEV_MODE": "1"}


def through(lab: Lab, **fields: Any) -> Path:
    """A plan of wake-ups through a gateway."""
    fields = {"scenarios": ["wake"], "steps": [], "environment": SLEEPS, **fields}
    return lab.plan(wake_through="gateway", **fields)


def test_each_round_is_one_request_through_a_gateway(lab: Lab) -> None:
    """Its own gateway, gone with the round; the engine's fill needs none."""
    done = lab.say("run", through(lab, rounds=4), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    document = lab.report()
    told = document["steps"][0]["scenarios"]["wake"]
    fill, *rounds = told["rounds"]
    assert "process_init" in [part["name"] for part in fill["phases"]]
    assert [["wake_up", "verify", "first_token"]] * 4 == [
        [part["name"] for part in one["phases"]] for one in rounds
    ]
    assert all(0.02 < one["total_s"] < 1 and one["counts"] for one in rounds)
    found = [json.loads(path.read_text()) for path in lab.run.glob("rounds/*/*/wake.json")]
    assert [("firstlight.wake/1", "gateway", 404, 1.0)] * 4 == [
        (one["schema"], one["through"], one["control_status"], one["agreement"]) for one in found
    ]
    assert [] == left_over(GATE)
    # What a request takes before and after is told with an interval.
    asked = told["fixed_request"]
    assert 4 == asked["rounds"]
    assert asked["low_s"] <= asked["difference_s"] <= asked["high_s"]
    assert "wake, baseline: a fixed request takes " in done.stdout
    assert "one request, sent to the gateway" in " ".join(document["method"])
    assert told["serving"]["same_text"]


def test_a_wake_up_that_fails_is_told_in_the_gateways_words(lab: Lab) -> None:
    """As a client is told; the round failed, and so does the plan."""
    lab.change(('asked[1] == "/wake_up":', 'asked[1] == "/wke_up":'))

    done = lab.say("run", through(lab, rounds=1, attempts=1), "--into", lab.run, "--yes")

    assert 3 == done.returncode
    assert "failed once: no token after the sleep: POST /v1/completions answered 503" in done.stderr
    assert [] == left_over(GATE)


def test_a_gateway_does_not_outlive_who_started_it(lab: Lab) -> None:
    """Not even where that is killed without a word; the run goes on."""
    begun = lab.begun(through(lab, rounds=1))
    until(lambda: left_over(GATE))

    begun.kill()
    begun.wait()

    assert [] == wait_until_gone(GATE)
    assert 0 == lab.say("resume", lab.run).returncode


def test_an_engine_that_ignores_the_calls_did_not_wake(lab: Lab) -> None:
    """The gateway believes what it says of itself; only its log tells."""
    lab.change(('say("EngineCore", f"It took {WAKE_S', 'str(f"It took {WAKE_S'))

    done = lab.say("run", through(lab, rounds=1, attempts=1), "--into", lab.run, "--yes")

    assert 3 == done.returncode
    assert "it answered a request, and its log does not say that it woke" in done.stderr


def test_a_run_stays_what_it_was(lab: Lab) -> None:
    """Calls and requests are not the same length, so they are not one run."""
    assert 0 == lab.say("run", through(lab, rounds=1), "--into", lab.run, "--yes").returncode

    direct = lab.plan(scenarios=["wake"], steps=[], environment=SLEEPS)
    done = lab.say("run", direct, "--into", lab.run, "--yes")

    assert 2 == done.returncode
    assert "the wake is another" in done.stderr


def test_plans_from_before_are_what_they_were() -> None:
    """A run that was begun without the word goes on."""
    wakes: dict[str, Any] = {"steps": [], "scenarios": ["wake"]}
    silent, said, other = (
        digest(*worked_out(**wakes | one))
        for one in ({}, {"wake_through": "engine"}, {"wake_through": "gateway"})
    )

    assert silent == said != other


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scenarios": ["warm"]}, "no scenario wakes an engine"),
        ({"base": {"kubernetes": {"objects": "o"}}}, "and not yet into a pod"),
        ({"wake_through": "gate"}, "wake_through"),
    ],
    ids=["nothing wakes", "a pod", "another word"],
)
def test_what_cannot_be_is_said_with_its_line(changed: dict[str, Any], words: str) -> None:
    """Before anything is made of it."""
    plan: dict[str, Any] = {
        "steps": [],
        "given": {},
        "scenarios": ["wake"],
        "wake_through": "gateway",
    }

    with pytest.raises(BadInput, match=words) as error:
        worked_out(**plan | changed)

    assert "line " in error.value.message
    assert error.value.remedy


def test_without_the_gateways_extra_nothing_is_begun(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every round would fail."""
    monkeypatch.setattr(gate_beside, "find_spec", lambda _: None)

    words = ["run", str(through(lab)), "--into", str(lab.run), "--yes"]
    done = CliRunner().invoke(command, words)

    assert isinstance(done.exception, BadInput)
    assert "pip install 'firstlight[gateway]'" == done.exception.remedy
    assert not lab.run.exists()
