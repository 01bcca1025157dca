"""
Plans of wake-ups on a real vLLM, through the command line: four rounds, and what is said.

Once by the engine's own calls, once by a request through a gateway that the plan puts before it.
Here the graph is compiled, and read from Inductor's cache after the fill. Seconds are held
against each other only where one is a part of the other.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import SCRIPT
from tests.engine_sleep.sleeper import command, environment
from tests.fakes.processes import free_port, wait_until_gone

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(1500)]
ROUNDS = 4


def firstlight(*words: str | Path) -> str:
    done = subprocess.run(
        [SCRIPT, *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "dumb"},
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=["engine", "gateway"])
def through(request: pytest.FixtureRequest) -> str:
    """Who is asked for the wake-ups."""
    return str(request.param)


@pytest.fixture(scope="module")
def run(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory, through: str) -> Path:
    """The folder of the plan, once it is through."""
    home = tmp_path_factory.mktemp(f"wake-plan-{through}")
    port = free_port()
    caches = {
        "VLLM_CACHE_ROOT": "${node}/vllm",
        "TORCHINDUCTOR_CACHE_DIR": "${node}/inductor",
    }
    plan = {
        "schema": "firstlight.plan/1",
        "name": "wake-ups of an engine on a CPU",
        "base": {
            "process": {
                "command": command(engine_folder, port),
                "environment": environment(home) | caches,
            }
        },
        "steps": [],
        "scenarios": ["wake"],
        "wake_through": through,
        "rounds": ROUNDS,
        "serving": {"prompts": ["A pod waits for a node"], "tokens": 12},
        "timeout_s": 300,
    }
    path = home / "plan.yaml"
    path.write_text(json.dumps(plan, indent=1))
    firstlight("experiment", "run", path, "--into", home / "run", "--yes")
    assert [] == wait_until_gone(f"--port\0{port}")
    assert [] == wait_until_gone("firstlight-gate-")
    return home / "run"


@pytest.fixture(scope="module")
def told(run: Path) -> dict[str, Any]:
    document = json.loads(firstlight("experiment", "report", run, "--output", "json"))
    found: dict[str, Any] = document["steps"][0]["scenarios"]["wake"]
    return found


def test_each_wake_up_is_a_round(told: dict[str, Any], through: str) -> None:
    """A fill first, which is a start; then four wake-ups, each to a token."""
    parts = {"engine": ["wake_up", "first_token"], "gateway": ["wake_up", "verify", "first_token"]}
    assert ["fill"] + ["result"] * ROUNDS == [one["purpose"] for one in told["rounds"]]
    counted = [one for one in told["rounds"] if one["counts"]]
    assert ROUNDS == len(counted) == told["summary"]["n"]
    for one in counted:
        assert parts[through] == [part["name"] for part in one["phases"]]
        assert one["total_s"] == pytest.approx(sum(part["seconds"] for part in one["phases"]))
        assert 0 < one["total_s"] < told["rounds"][0]["total_s"] / 2


def test_each_wake_up_has_the_engines_own_line(told: dict[str, Any]) -> None:
    """What it says of its wake-up fits into the call; the memory that it gave back is a fact."""
    for one in told["rounds"][1:]:
        wake_up = one["phases"][0]
        artefacts = {Path(e["artefact"]).name for e in wake_up["evidence"]}
        assert {"wake.json", "engine.log"} == artefacts
        assert any("to wake up tags" in e["text"] for e in wake_up["evidence"])
        (woke,) = one["facts"]["wake_s"]
        assert 0 < woke < wake_up["seconds"]
        (freed,) = one["facts"]["sleep_freed_gib"]
        assert 0.02 < freed < 0.2
        assert [1] == [sleep["level"] for sleep in one["facts"]["sleep"]]


def test_it_serves_as_before(told: dict[str, Any], run: Path) -> None:
    """The same tokens in the fill, which never slept, in each wake-up, before and after."""
    assert told["serving"]["same_text"]
    served = [json.loads(path.read_text()) for path in run.glob("rounds/*/*/serving.json")]
    assert [served[0]["requests"][0]["tokens"]] * (ROUNDS + 1) == [
        one["requests"][0]["tokens"] for one in served
    ]
    woken = [json.loads(path.read_text()) for path in run.glob("rounds/*/*/wake.json")]
    assert [(None, 1.0, "/health answered 200")] * ROUNDS == [
        (one["problem"], one["agreement"], one["health_asleep"]) for one in woken
    ]


def test_through_a_gateway_it_is_one_request(told: dict[str, Any], run: Path, through: str) -> None:
    """The engine's control routes are not there; what a request costs after is told as well."""
    if through == "engine":
        assert told["fixed_request"] is None
        return
    woken = [json.loads(path.read_text()) for path in run.glob("rounds/*/*/wake.json")]
    assert [("gateway", 404)] * ROUNDS == [(one["through"], one["control_status"]) for one in woken]
    for one in woken:
        said = [json.loads(line) for line in one["gate_log"]]
        (woke,) = [line for line in said if line["event"] == "woke"]
        assert woke["seconds"] < (one["woken_ns"] - one["wake_asked_ns"]) / 1e9 < 20
        assert [1.0] == [line["agreement"] for line in said if line["event"] == "verified"]
    asked = told["fixed_request"]
    assert (ROUNDS, True) == (asked["rounds"], 0 < asked["before_s"] < 20)
    assert asked["low_s"] <= asked["difference_s"] <= asked["high_s"]


def test_the_page_shows_wake_ups(run: Path, tmp_path: Path, through: str) -> None:
    """By their name, with their parts, and how they came about."""
    how = {
        "engine": "put to sleep at level 1 and woken",
        "gateway": "one request, sent to the gateway while the engine slept",
    }
    page, table = tmp_path / "wake.html", tmp_path / "wake.md"
    firstlight("report", run, "--to", page, "--to", table)

    for text in (page.read_text(), table.read_text().replace("\\", "")):
        assert "wake_up" in text
        assert how[through] in text
    assert "baseline  wake      4" in firstlight("experiment", "report", run)
