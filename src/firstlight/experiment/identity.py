"""
Which plan a run folder is of.

The digest is over what is carried out, not over the file: a comment may be changed, a step
may not. A card that changed with a newer firstlight changes it too, for then the same name is
another change.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from firstlight.experiment.plan import ENGINE, Plan
from firstlight.experiment.step import Step


def digest(plan: Plan, steps: Sequence[Step]) -> str:
    """What two runs must have in common to be one."""
    carried_out: dict[str, Any] = {
        "steps": [
            {"name": step.name, "claims": step.claims, **step.setup.digested} for step in steps
        ],
        "scenarios": plan.scenarios,
        "rounds": plan.rounds,
        "serving": plan.serving_check,
    }
    if plan.wake_through != ENGINE:
        # Plans from before it could be said are what they were.
        carried_out["wake_through"] = plan.wake_through
    encoded = msgspec.json.encode(carried_out, order="sorted")
    return f"sha256:{hashlib.sha256(encoded).hexdigest()}"
