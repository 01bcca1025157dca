"""
Steps held against what they come from, or against what somebody made of them.

Either way it is one set of objects beside another, so both are told in one form: which step
it is, what stands on either side, and every value that is not the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.manifests.difference_lines import difference_document
from firstlight.manifests.differences import Difference
from firstlight.manifests.steps import Step

SCHEMA = "firstlight.steps/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedStep:
    """A step, and what differs between two sets of its objects."""

    step: Step
    before: str
    """What the first set is: `step 1`."""
    after: str
    """What the second set is: `step 2`, or the files that somebody gave."""
    differences: tuple[Difference, ...]


def steps_document(compared: Sequence[ComparedStep]) -> dict[str, Any]:
    """For machines."""
    return {
        "schema": SCHEMA,
        "steps": [
            {
                "step": one.step.number,
                "technique": one.step.technique,
                "left_out": one.step.left_out,
                "before": one.before,
                "after": one.after,
                "differences": [difference_document(found) for found in one.differences],
            }
            for one in compared
        ],
    }
