"""The reference experiment on one machine: its plan, and what comes of it."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import demo
import pytest
import yaml

from firstlight.wiring.experimenting.opening import prepared_file

FIRSTLIGHT = Path(sys.executable).with_name("firstlight")
SETTINGS = {
    "vllm": "vllm",
    "port": "8000",
    "endpoint": "http://127.0.0.1:9000",
    "mount": "/mnt/weights/m",
    "model": "s3://weights/m",
}
STEPS = ["fuse-mount", "stream-weights", "compile-cache-local", "placebo"]


def test_each_step_of_the_plan_is_one_change() -> None:
    """Four ways to start the engine, each one change on the one before, four warm rounds each."""
    found = prepared_file(demo.PLAN, SETTINGS)

    assert STEPS == [step.name for step in found.steps]
    assert 4 * (1 + 4) == len(found.slots)
    assert {"warm"} == {slot.scenario for slot in found.slots}


@pytest.mark.parametrize(
    ("form", "rounds"), [("quick", 4 * (1 + 1)), ("usual", 4 * (1 + 4)), ("full", 4 * (1 + 4 + 4))]
)
def test_the_forms_differ_in_rounds_and_scenarios_alone(
    tmp_path: Path, form: str, rounds: int
) -> None:
    """Fewer or more rounds of the same steps; the plan itself where nothing differs."""
    scenarios, count, _ = demo.FORMS[form]
    file = demo.plan(tmp_path, scenarios, count)

    found = prepared_file(file, SETTINGS)
    assert rounds == len(found.slots)
    written, given = yaml.safe_load(file.read_bytes()), yaml.safe_load(demo.PLAN.read_bytes())
    assert given == written | {name: given[name] for name in ("rounds", "scenarios")}
    assert (form == "usual") == (file == demo.PLAN)


def test_a_run_that_goes_on_has_the_ports_it_had(tmp_path: Path) -> None:
    """They are in its plan; and those of another run are others."""
    (tmp_path / "other").mkdir()
    first = demo.stored_ports(tmp_path)

    assert first == demo.stored_ports(tmp_path)
    assert {"origin", "engine"} == first.keys()
    assert first["origin"] != first["engine"]
    assert first != demo.stored_ports(tmp_path / "other")


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("fuse", "engine_folder")
def test_the_experiment_finds_what_is_there_and_nothing_else(tmp_path: Path) -> None:
    """The compile cache is faster, the placebo is not, and the numbers come out again."""
    into = tmp_path / "demo"
    ran = subprocess.run(
        [sys.executable, demo.__file__, "--into", into],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == ran.returncode, ran.stdout + ran.stderr
    assert f"open {into}/report.html" == ran.stdout.splitlines()[-1]

    told = document(into)
    assert told == document(into)
    assert "faster" == verdicts(told, "stream-weights")["weight_load"]
    assert {"total": "faster", "engine_init": "faster"} == verdicts(told, "compile-cache-local")
    assert {"total": "no difference seen"} == verdicts(told, "placebo")
    effects = [step["scenarios"]["warm"]["effect"] for step in told["steps"]]
    assert [{"applied": 4}] * 3 == effects[:3]


def document(into: Path) -> Any:
    """What `experiment report` makes of the saved artefacts."""
    said = subprocess.run(
        [FIRSTLIGHT, "experiment", "report", into / "run", "--output=json"],
        capture_output=True,
        check=True,
    )
    return json.loads(said.stdout)


def verdicts(told: Mapping[str, Any], name: str) -> dict[str, str]:
    """What was named beforehand of a step, with its verdict."""
    step = next(step for step in told["steps"] if step["name"] == name)
    metrics = step["against_previous"]["warm"]["metrics"]
    return {one["name"]: one["verdict"] for one in metrics if one["claimed"]}
