"""A change of one's own can set, take away and put another command in, and is still one change."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.experiment.declared import declared
from firstlight.experiment.own_changes import check_own_changes
from firstlight.experiment.plan_file import read_plan
from firstlight.experiment.settings import check_settings
from firstlight.experiment.step import Step
from tests.experiment.plans import CACHE, text, worked_out

BASE = {
    "process": {
        "command": ["vllm", "serve", "m", "--port", "8000", "--enforce-eager", "--seed=7"],
        "environment": {"MINE": "1"},
    }
}


def made(**words: Any) -> Step:
    """The step of a change of one's own."""
    own = {"change": "own", "process": words}
    _, steps = worked_out(base=BASE, steps=[own], given=None)
    return steps[1]


def lines(step: Step) -> list[str]:
    return [one.line for one in step.difference]


def refusal(own: dict[str, Any]) -> BadInput:
    plan, file = read_plan("plan.yaml", text(base=BASE, steps=[own], given=None), {})
    with pytest.raises(BadInput) as error:
        check_own_changes(plan, file)
    return error.value


def test_arguments_and_variables_can_be_taken_away() -> None:
    """However they are spelled; the engine does not get the variable from elsewhere either."""
    step = made(remove={"arguments": ["--enforce_eager", "--seed"], "environment": ["MINE"]})

    assert ("vllm", "serve", "m", "--port", "8000") == step.process.command
    assert ("MINE",) == step.process.unset
    assert "MINE" not in step.process.environment
    assert [
        "--enforce-eager: taken away (was set)",
        "--seed: taken away (was 7)",
        "environment MINE: taken away (was 1)",
    ] == lines(step)


def test_what_is_set_again_later_is_there_again() -> None:
    """A later step brings the variable back with another value."""
    gone = {"change": "gone", "process": {"remove": {"environment": ["MINE"]}}}
    back = {"change": "back", "process": {"environment": {"MINE": "2"}}}

    _, steps = worked_out(base=BASE, steps=[gone, back], given=None)

    assert ((), "2") == (steps[2].process.unset, steps[2].process.environment["MINE"])


def test_another_engine_takes_the_place_of_the_first_words() -> None:
    """The arguments stay; another model with it would be a second change."""
    step = made(replaces_command=["/other/venv/bin/vllm", "serve", "m"])

    assert ("/other/venv/bin/vllm", "serve", "m", "--port") == step.process.command[:4]
    assert ["the words of the command: vllm serve -> /other/venv/bin/vllm serve"] == lines(step)
    assert {"command", "engine version"} <= set(declared(step))
    with pytest.raises(BadInput, match="more than one change: beside its own there is --model"):
        made(replaces_command=["/other/venv/bin/vllm", "serve", "m2"])


@pytest.mark.parametrize(
    ("remove", "words"),
    [
        ({"arguments": ["--seed", "--nothing"]}, "takes away what is not there: --nothing"),
        ({"arguments": ["--nothing"]}, "takes away what is not there: --nothing"),
        ({"environment": ["HOME"]}, "takes away what is not there: environment HOME"),
        ({"environment": ["MINE", "HOME"]}, "takes away what is not there: environment HOME"),
    ],
)
def test_what_is_not_there_cannot_be_taken_away(remove: dict[str, Any], words: str) -> None:
    """Else a name that is spelled wrong would be a change that changes less than it says."""
    with pytest.raises(BadInput, match=words):
        made(remove=remove)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"arguments": {"seed": "1"}}, "'seed' is no argument of a command"),
        ({"remove": {"arguments": ["seed"]}}, "'seed' is no argument of a command"),
        (
            {"arguments": {"--seed": "1"}, "remove": {"arguments": ["--seed"]}},
            "--seed is set and taken away in one step",
        ),
        (
            {"environment": {"A": "1"}, "remove": {"environment": ["A"]}},
            "A is set and taken away in one step",
        ),
        ({"replaces_command": ["--seed"]}, "the command begins with no program"),
        ({"replaces_command": ["vllm", "serve", "m", "--seed"]}, "before the first option"),
    ],
)
def test_words_that_cannot_be_meant_are_said(words: dict[str, Any], said: str) -> None:
    """With the line, and what to write instead."""
    error = refusal({"change": "own", "process": words})

    assert error.message.startswith("plan.yaml line ")
    assert said in error.message
    assert error.remedy


def test_what_a_step_says_that_it_moves_may_differ() -> None:
    """Under the names of a fingerprint."""
    own = {"change": "own", "changes": ["zone"], "process": {"environment": {"A": "1"}}}

    _, steps = worked_out(base=BASE, steps=[own], given=None)

    assert ("environment:A", "zone") == declared(steps[1])


def test_a_name_that_no_fingerprint_has_is_said() -> None:
    """With the one that was meant."""
    own = {"change": "own", "changes": ["compile_cache"], "process": {"environment": {"A": "1"}}}

    error = refusal(own)

    assert "no part of a fingerprint is called compile_cache" in error.message
    assert "did you mean compile cache?" == error.remedy


@pytest.mark.parametrize("name", ["*", "argument:*", "environment:V*", "z*", "zones"])
@pytest.mark.parametrize("at", ["changes", "may_vary"])
def test_what_may_differ_or_vary_is_said_by_its_name(name: str, at: str) -> None:
    """A star would let through what nobody named, in a step and between its rounds alike."""
    own: dict[str, Any] = {"change": "own", "process": {"environment": {"A": "1"}}}
    told = {"may_vary": [name]} if at == "may_vary" else {}
    step = own | ({"changes": [name]} if at == "changes" else {})
    plan, file = read_plan("plan.yaml", text(base=BASE, steps=[step], given=None, **told), {})

    with pytest.raises(BadInput, match=r"plan.yaml line \d+: no part of a fingerprint is called "):
        check_own_changes(plan, file)


@pytest.mark.parametrize(
    "words",
    [
        {"arguments": {"--port": "8001"}},
        {"arguments": {"--host": "127.0.0.2"}},
        {"remove": {"arguments": ["--port"]}},
    ],
)
def test_a_step_does_not_move_where_its_engine_is_asked(words: dict[str, Any]) -> None:
    """No start is shorter for that."""
    error = refusal({"change": "own", "process": words})

    assert "is where the engine is asked, and a step cannot move that" in error.message
    assert error.message.startswith("plan.yaml line ")


@pytest.mark.parametrize("name", ["container", "node"])
def test_the_folders_of_a_plan_are_nobodys_setting(name: str) -> None:
    """Neither beside the plan nor in it."""
    plain: dict[str, Any] = {"base": BASE, "steps": [], "given": None}
    _, inside = read_plan("plan.yaml", text(**plain, settings={name: "/tmp"}), {})
    _, beside = read_plan("plan.yaml", text(**plain), {})

    for file, given, where in ((inside, {}, "settings"), (beside, {name: "/tmp"}, "--set")):
        with pytest.raises(BadInput, match=f"and {where} cannot say another") as error:
            check_settings(file, given)
        assert "leave it out" == error.value.remedy


@pytest.mark.parametrize(
    "words",
    [
        {"remove": {"arguments": ["--enforce-eager"]}},
        {"arguments": {"--no-enforce-eager": None}},
        {"arguments": {"-O0": None}},
        {"arguments": {"--optimization-level": "0"}},
        {"arguments": {"--compilation-config": '{"mode": 0}'}},
        {"arguments": {"-cc.mode": "0"}},
        {"environment": {"VLLM_DISABLE_COMPILE_CACHE": "1"}},
        {"environment": {"VLLM_USE_AOT_COMPILE": "0"}},
    ],
)
def test_what_switches_the_cache_may_move_what_the_cache_does(words: dict[str, Any]) -> None:
    """Nobody has to say that `--enforce-eager` compiles nothing."""
    assert "compile cache" in declared(made(**words))


def test_other_words_may_not() -> None:
    """A cache that misses beside a placebo is a difference that nobody declared."""
    assert "compile cache" not in declared(made(arguments={"--max-model-len": "9"}))


def test_the_cards_cache_lies_on_the_node_where_the_plan_does_not_say() -> None:
    """Its own folder is a pod's, and on a host would outlive the plan."""
    _, steps = worked_out(base=BASE, steps=[CACHE], given=None)

    assert (
        "${node}/var/cache/firstlight/engine/vllm"
        == steps[1].process.environment["VLLM_CACHE_ROOT"]
    )


def test_the_cards_mount_is_where_it_is() -> None:
    """A path that is an argument is somebody else's, and is not moved."""
    _, steps = worked_out(base={**BASE, "technique": "fuse-mount"}, steps=[], given=None)

    assert "/models" == steps[0].process.command[2]
