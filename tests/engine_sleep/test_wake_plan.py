"""
A plan of wake-ups on a real vLLM, through the command line: four rounds, and what is said.

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


@pytest.fixture(scope="module")
def run(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the plan, once it is through."""
    home = tmp_path_factory.mktemp("wake-plan")
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
        "rounds": ROUNDS,
        "serving": {"prompts": ["A pod waits for a node"], "tokens": 12},
        "timeout_s": 300,
    }
    path = home / "plan.yaml"
    path.write_text(json.dumps(plan, indent=1))
    firstlight("experiment", "run", path, "--into", home / "run", "--yes")
    assert [] == wait_until_gone(f"--port\0{port}")
    return home / "run"


@pytest.fixture(scope="module")
def told(run: Path) -> dict[str, Any]:
    document = json.loads(firstlight("experiment", "report", run, "--output", "json"))
    found: dict[str, Any] = document["steps"][0]["scenarios"]["wake"]
    return found


def test_each_wake_up_is_a_round(told: dict[str, Any]) -> None:
    """A fill first, which is a start; then four wake-ups, each to a token."""
    assert ["fill"] + ["result"] * ROUNDS == [one["purpose"] for one in told["rounds"]]
    counted = [one for one in told["rounds"] if one["counts"]]
    assert ROUNDS == len(counted) == told["summary"]["n"]
    for one in counted:
        assert ["wake_up", "first_token"] == [part["name"] for part in one["phases"]]
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


def test_the_page_shows_wake_ups(run: Path, tmp_path: Path) -> None:
    """By their name, with their parts."""
    page, table = tmp_path / "wake.html", tmp_path / "wake.md"
    firstlight("report", run, "--to", page, "--to", table)

    for text in (page.read_text(), table.read_text().replace("\\", "")):
        assert "wake_up" in text
        assert "put to sleep at level 1 and woken" in text
    assert "baseline  wake      4" in firstlight("experiment", "report", run)
