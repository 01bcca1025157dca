"""
A plan before it is run, as JSON, schema `firstlight.planned/1`: steps, proofs, rounds.
"""

from collections.abc import Sequence
from typing import Any

from firstlight.experiment.beforehand import said_beforehand
from firstlight.experiment.estimate import Estimate
from firstlight.experiment.plan import Plan
from firstlight.experiment.schedule import Slot
from firstlight.experiment.step import Step


def plan_document(
    plan: Plan, steps: Sequence[Step], slots: Sequence[Slot], left: Estimate, *, digest: str
) -> dict[str, Any]:
    """What would be run, and how long that takes."""
    return {
        "schema": "firstlight.planned/1",
        "name": plan.name,
        "digest": digest,
        "scenarios": list(plan.scenarios),
        "rounds": plan.rounds,
        "steps": [
            {
                "number": step.number,
                "name": step.name,
                "technique": step.technique,
                "title": step.card.title if step.card else "",
                "says": step.says,
                "change": [one.line for one in step.difference],
                "claims": list(step.claims),
                "beforehand": list(step.beforehand),
            }
            for step in steps
        ],
        "slots": [slot.id for slot in slots],
        "notes": list(said_beforehand(plan, steps, slots)),
        "estimate": {
            "rounds": left.rounds,
            "fills": left.fills,
            "seconds": left.seconds,
            "cost": left.cost,
            "currency": left.price.currency if left.price else None,
            "says": left.says,
        },
    }
