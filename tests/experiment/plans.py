"""Plans as text, worked out without a file."""

from collections.abc import Mapping
from typing import Any

import yaml

from firstlight.experiment.plan import Plan
from firstlight.experiment.plan_file import read_plan
from firstlight.experiment.step import Step
from firstlight.experiment.steps import steps
from firstlight.wiring.cards import deck

CARDS = {"model_uri": "s3://bucket/m", "model_mount": "/mnt/m", "cache_dir": "${node}/cache"}
STREAM = {"technique": "stream-weights"}
CACHE = {"technique": "compile-cache-local"}
PLACEBO = {"change": "placebo", "process": {"environment": {"NOBODY_READS": "1"}}}


def text(**changed: Any) -> bytes:
    """A plan of three steps on a base, or what a test makes of it."""
    whole: dict[str, Any] = {
        "schema": "firstlight.plan/1",
        "name": "a plan",
        "base": {
            "technique": "fuse-mount",
            "process": {"command": ["vllm", "serve", "MODEL", "--port", "8000"]},
        },
        "given": CARDS,
        "steps": [STREAM, CACHE, PLACEBO],
    }
    whole |= changed
    return yaml.safe_dump({n: v for n, v in whole.items() if v is not None}).encode()


def worked_out(
    settings: Mapping[str, str] | None = None, **changed: Any
) -> tuple[Plan, tuple[Step, ...]]:
    """The plan and its steps."""
    plan, file = read_plan("plan.yaml", text(**changed), settings or {})
    return plan, steps(plan, deck(), file)
