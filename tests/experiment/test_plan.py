"""A plan that makes no sense is refused with its line, before anything is run."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.experiment.plan import PROMPTS
from firstlight.experiment.plan_file import read_plan
from tests.experiment.plans import CACHE, CARDS, PLACEBO, STREAM, text, worked_out

BASE = {"process": {"command": ["vllm", "serve", "m"]}}


def refused(settings: dict[str, str] | None = None, **changed: Any) -> str:
    with pytest.raises(BadInput) as error:
        worked_out(settings, **changed)
    assert error.value.remedy
    assert "plan.yaml" in error.value.message
    return error.value.message


def test_a_plan_says_little_and_means_the_rest() -> None:
    """Warm, four rounds, two tries, and a serving check, where nothing is said."""
    plan, _ = worked_out()

    assert (("warm",), 4, 2) == (plan.scenarios, plan.rounds, plan.attempts)
    assert plan.serving_check is not None
    assert (PROMPTS, 32) == (plan.serving_check.prompts, plan.serving_check.tokens)


def test_a_plan_says_what_its_names_stand_for_and_others_may_say_more() -> None:
    """Whoever runs it is heard before it."""
    settings = {"where": "/mnt", "name": "m"}
    given = {**CARDS, "model_mount": "${where}/${name}"}

    plan, _ = read_plan("plan.yaml", text(settings=settings, given=given), {})
    assert "/mnt/m" == plan.given["model_mount"]
    assert "names" in refused(given=given | {"model_mount": "${names}"})


def test_a_setting_that_is_given_replaces_the_plans_own() -> None:
    """And only that one."""
    made = text(
        settings={"where": "/mnt", "name": "m"},
        given={**CARDS, "model_mount": "${where}/${name}"},
    )

    plan, _ = read_plan("plan.yaml", made, {"where": "/data"})
    assert "/data/m" == plan.given["model_mount"]


def test_a_serving_check_can_be_left_out() -> None:
    """With `serving: false`."""
    plan, _ = worked_out(serving=False)

    assert plan.serving_check is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"steps": [{"technique": "stream-weight"}]}, "no technique is called stream-weight"),
        ({"steps": [{**STREAM, **PLACEBO}]}, "two changes in one step"),
        ({"steps": [{**STREAM, "process": {}}]}, "two changes in one step"),
        ({"steps": [{"says": "nothing"}]}, "names no change"),
        ({"steps": [{"change": "mine"}]}, "does not say what it changes"),
        ({"steps": [STREAM, CACHE, STREAM]}, "comes round again"),
        ({"steps": [PLACEBO, PLACEBO]}, "placebo is there already"),
        ({"steps": [{"technique": "bytecode-cache"}]}, "builds on compile-cache-local"),
        ({"steps": [{"technique": "weight-daemon"}]}, "cannot be combined with fuse-mount"),
        ({"steps": [{"technique": "image-prepull"}]}, "a process on a host needs no image"),
        ({"steps": [{"technique": "ebs-weights"}]}, "its change is nothing in the command"),
        ({"steps": [{**PLACEBO, "claims": ["weight_lod"]}]}, "did you mean weight_load?"),
        ({"steps": [{**STREAM, "claims": ["weight_load"]}]}, "claims are those of its card"),
        ({"rounds": 0}, "rounds is 0"),
        ({"rounds": "many"}, "rounds: expected int"),
        ({"attempts": 0}, "attempts is 0"),
        ({"scenarios": []}, "no scenario is named"),
        ({"scenarios": ["wram"]}, "did you mean warm?"),
        ({"scenarios": ["warm", "warm"]}, "named twice"),
        ({"expect_s": -1}, "seconds above 0"),
        ({"price": {"per_hour": -1}}, "per_hour must be a price"),
        ({"serving": {"prompts": []}}, "asks nothing"),
        ({"base": {"process": {"command": []}}}, "no command to start"),
        ({"bse": {}}, "unknown field bse"),
        ({"schema": "firstlight.plan/9"}, "begins with schema: firstlight.plan/1"),
        ({"given": {}}, "needs model_uri, which the plan does not give"),
        ({"given": {**CARDS, "cache_dri": "x"}}, "no technique takes a parameter cache_dri"),
        ({"given": {**CARDS, "cache_dir": "not a path"}}, "cache_dir is 'not a path'"),
    ],
)
def test_a_mistake_is_said_with_its_line(changed: dict[str, Any], words: str) -> None:
    """One sentence, and what to do."""
    assert words in refused(**changed)


def test_the_line_is_the_one_with_the_mistake() -> None:
    """Not that of the whole step, where a field is wrong."""
    lines = text(rounds=0).decode().splitlines()
    wanted = next(number for number, line in enumerate(lines, start=1) if "rounds" in line)

    assert refused(rounds=0).startswith(f"plan.yaml line {wanted}:")


def test_a_name_stands_for_something_on_this_machine() -> None:
    """The layers stay open until a round begins."""
    command = ["${engine}/vllm", "serve", "m", "--log", "${container}/log"]
    _, (base, *_) = worked_out(
        {"engine": "/opt"},
        base={"process": {"command": command}},
        steps=[CACHE],
        given={"cache_dir": "${node}/c"},
    )

    assert ("/opt/vllm", "serve", "m", "--log", "${container}/log") == base.process.command


def test_a_name_without_a_value_is_asked_for() -> None:
    """With the option that gives it."""
    with pytest.raises(BadInput, match="engine") as error:
        read_plan("p", text(base={"process": {"command": ["${engine}"]}}), {})

    assert "give it: --set engine=VALUE" == error.value.remedy
