"""A cold round finds nothing, and a plan that cannot see to that is refused."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.experiment.kept_paths import check_kept, keeps_something
from firstlight.experiment.plan_file import read_plan
from firstlight.experiment.steps import steps
from firstlight.wiring.cards import deck
from tests.experiment.plans import CACHE, CARDS, PLACEBO, text


def checked(**changed: Any) -> None:
    plan, file = read_plan("plan.yaml", text(**{"scenarios": ["cold"], **changed}), {})
    check_kept(plan, steps(plan, deck(), file), file)


def base(environment: dict[str, str] | None = None, *words: str) -> dict[str, Any]:
    command = ["vllm", "serve", "m", *words]
    return {"process": {"command": command, "environment": environment or {}}}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"given": {**CARDS, "cache_dir": "/var/cache/x"}},
            "line 20: at compile-cache-local VLLM_CACHE_ROOT is /var/cache/x/vllm",
        ),
        (
            {"base": base({"TRITON_CACHE_DIR": "/home/me/triton"}), "given": None, "steps": []},
            "at baseline TRITON_CACHE_DIR is /home/me/triton",
        ),
        (
            {"base": base({"CUDA_CACHE_PATH": "${node}/../x"}), "given": None, "steps": []},
            "at baseline CUDA_CACHE_PATH is ${node}/../x",
        ),
        (
            {"base": base({"CUDA_CACHE_PATH": "${node}x"}), "given": None, "steps": []},
            "at baseline CUDA_CACHE_PATH is ${node}x",
        ),
        (
            {
                "base": base({}, "--compilation-config", '{"cache_dir": "/data/c", "mode": 3}'),
                "given": None,
                "steps": [],
            },
            "at baseline --compilation-config is /data/c",
        ),
        (
            {"base": base({}, "-cc.cache_dir=/data/c"), "given": None, "steps": []},
            "at baseline -cc.cache_dir is /data/c",
        ),
        (
            {
                "steps": [
                    {
                        "change": "own",
                        "process": {"remove": {"environment": ["VLLM_CACHE_ROOT"]}},
                    }
                ],
            },
            "at own VLLM_CACHE_ROOT is not said",
        ),
    ],
)
def test_a_cache_that_nobody_empties_is_refused(changed: dict[str, Any], words: str) -> None:
    """With the line of its step, and where to put it."""
    with pytest.raises(BadInput) as error:
        checked(**changed)

    assert words in error.value.message
    assert "${node}" in error.value.remedy


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"scenarios": ["warm"], "given": {**CARDS, "cache_dir": "/var/cache/x"}},
        {"base": base({"VLLM_CACHE_ROOT": "${container}"}), "given": None, "steps": [PLACEBO]},
        {
            "base": base({}, "--compilation-config", '{"cache_dir": "${node}/c"}'),
            "given": None,
            "steps": [],
        },
    ],
)
def test_what_is_emptied_or_not_cold_is_not(changed: dict[str, Any]) -> None:
    """Below the two folders, and in a plan of warm rounds."""
    checked(**changed)


def test_whether_a_step_keeps_something_is_seen_in_its_words() -> None:
    """From the step on that names the node's disk."""
    plan, file = read_plan("plan.yaml", text(steps=[PLACEBO, CACHE]), {})

    found = steps(plan, deck(), file)

    assert [False, False, True] == [keeps_something(step) for step in found]
