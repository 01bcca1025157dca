"""What a plan says that cannot be: each with its line, before anything is made of it."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.experiment.beforehand import said_beforehand
from firstlight.experiment.plan_file import read_plan
from firstlight.experiment.plan_secrets import REMEDY, refuse_secrets
from firstlight.experiment.schedule import schedule
from tests.experiment.plans import text, worked_out

SECRET = "hunter2hunter2"


def base(*command: str, **environment: str) -> dict[str, Any]:
    return {"process": {"command": list(command), "environment": environment}}


def own(*claims: str, **process: Any) -> dict[str, Any]:
    return {
        "change": "own",
        "claims": list(claims),
        "process": process or {"environment": {"A": "1"}},
    }


def refused(**changed: Any) -> str:
    with pytest.raises(BadInput) as error:
        worked_out(**changed)
    assert error.value.remedy
    return error.value.message


@pytest.mark.parametrize("port", ["99999999", "0", "65536", "-1", "80x", "", "٣", "9" * 5000])
def test_a_port_is_one(port: str) -> None:
    """In the base, and behind a setting."""
    at_base = base("vllm", "serve", "M", f"--port={port}")
    behind = base("vllm", "serve", "M", "--port", "${port}")

    for said in (
        refused(base=at_base, steps=[], given={}),
        refused(base=behind, steps=[], given={}, settings={"port": port}),
    ):
        assert "plan.yaml line " in said
        assert "is no port" in said
        assert 400 > len(said)


@pytest.mark.parametrize("port", ["1", "8000", "65535"])
def test_a_port_that_can_be_is_taken(port: str) -> None:
    plan, _ = worked_out(base=base("vllm", "serve", "M", "--port", port), steps=[], given={})

    assert plan.base.process is not None
    assert port == plan.base.process.command[-1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"base": base(""), "steps": [], "given": {}}, "the base's first word is no program"),
        ({"base": base(" ", "serve"), "steps": [], "given": {}}, "first word is no program"),
        ({"name": ""}, "the plan's name is empty"),
        ({"name": " \n"}, "the plan's name is empty"),
        ({"steps": [own("engine_init/../x")]}, "'engine_init/../x' names no part of engine_init"),
        ({"steps": [own("engine_init/")]}, "names no part of engine_init"),
        ({"steps": [own("engine_init//a")]}, "names no part of engine_init"),
        ({"steps": [own("engine_init/a\x1b")]}, "names no part of engine_init"),
        ({"steps": [own("engine_init", "engine_init")]}, "engine_init is claimed twice"),
    ],
)
def test_what_cannot_be_is_said(changed: dict[str, Any], words: str) -> None:
    said = refused(**changed)

    assert "plan.yaml line " in said
    assert words in said


def test_parts_of_phases_may_be_claimed() -> None:
    """As explain calls them."""
    claims = ("engine_init", "engine_init/compile", "weight_load/read weights")

    _, steps = worked_out(steps=[own(*claims)])

    assert claims == steps[1].claims


@pytest.mark.parametrize(
    "changed",
    [
        {"base": base("vllm", "serve", "M", HF_TOKEN=SECRET), "steps": [], "given": {}},
        {"base": base("vllm", "serve", "M", "--api-key", SECRET), "steps": [], "given": {}},
        {"base": base("env", f"HF_TOKEN={SECRET}", "vllm", "serve", "M"), "steps": [], "given": {}},
        {"steps": [own(environment={"DB_PWD": SECRET})]},
        {"steps": [own(arguments={"--api-key": SECRET})]},
        {"steps": [own(wrapper=["env", f"PGPASSWORD={SECRET}"])]},
        {"settings": {"hf_token": SECRET}},
    ],
)
def test_a_secret_does_not_stand_in_a_plan(changed: dict[str, Any]) -> None:
    """The sentence says the line and where to put it, and not the secret."""
    plan, file = read_plan("plan.yaml", text(**changed), {})

    with pytest.raises(BadInput, match=r"line .* is the name of a secret") as error:
        refuse_secrets(plan, file)

    assert REMEDY == error.value.remedy
    assert SECRET not in error.value.message


@pytest.mark.parametrize(
    "environment",
    [{"PWD": "/work"}, {"HF_TOKEN_PATH": "/run/token"}, {"HF_TOKEN": ""}, {"MAX_TOKENS": "12"}],
)
def test_what_only_sounds_like_a_secret_may_stand_there(environment: dict[str, str]) -> None:
    plan, file = read_plan("plan.yaml", text(steps=[own(environment=environment)]), {})

    refuse_secrets(plan, file)


@pytest.mark.parametrize(
    ("scenarios", "environment", "command", "named"),
    [
        (["cold"], {"HF_HOME": "/models/hf"}, [], ["at baseline HF_HOME is /models/hf: "]),
        (["cold"], {}, ["--download-dir", "/dl"], ["at baseline --download-dir is /dl: "]),
        (["cold"], {"HF_HOME": "${node}/hf"}, [], []),
        (["cold"], {"HF_HOME": "${node}/../hf"}, [], ["at baseline HF_HOME is ${node}/../hf: "]),
        (["warm"], {"HF_HOME": "/models/hf"}, [], []),
    ],
)
def test_a_cold_plan_says_what_it_never_empties(
    scenarios: list[str], environment: dict[str, str], command: list[str], named: list[str]
) -> None:
    """Weights that were fetched once would make a cold round warm; said once, at the first step."""
    plan, steps = worked_out(
        base=base("vllm", "serve", "M", *command, **environment),
        steps=[own()],
        given={},
        scenarios=scenarios,
    )

    said = said_beforehand(plan, steps, schedule(plan, steps))

    assert named == [one[: one.index(": ") + 2] for one in said if "never emptied" in one]
