"""
Going on with a run by a plan that is not the same to the letter.

What was measured must stay what it was called: a step that has rounds may not become another.
But more rounds can be added, and a step that never came up can be mended: a night's work is not
lost to a typo in its last step. What was tried of a step as it was before is put aside.
"""

from collections.abc import Collection, Sequence

from firstlight.core.errors import BadInput
from firstlight.experiment.ledger import Ledger, RoundEntry
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.plan import Plan
from firstlight.experiment.schedule import Slot, schedule
from firstlight.experiment.step import Step

_REMEDY = "name a new folder with --into; rounds of two plans are not mixed"


def put_aside(
    before: tuple[Plan, Sequence[Step]],
    after: tuple[Plan, Sequence[Step]],
    ledger: Ledger,
    *,
    emptied: Collection[int],
) -> tuple[str, ...]:
    """
    The folders of rounds that no longer count when a run goes on by another plan.

    Args:
        before: the plan as it was, and its steps.
        after: as it is now.
        ledger: what was run.
        emptied: numbers of steps whose node is gone; their fills are run again.

    Raises:
        BadInput: it may not go on by that plan.
    """
    (old, old_steps), (new, new_steps) = before, after
    for what in ("scenarios", "wake_through", "serving_check", "substrate"):
        if getattr(old, what) != getattr(new, what):
            raise _another(what.partition("_")[0], "is another")
    if new.rounds < old.rounds:
        raise BadInput(
            f"the run was begun with {old.rounds} rounds, and the plan says {new.rounds} now",
            remedy="say as many or more; what was measured is not taken away",
        )
    changed = {n for n, step in enumerate(old_steps) if _is_other(step, new_steps)}
    if 0 in changed and isinstance(old_steps[0].setup, ObjectSetup):
        raise _another("base", "is another")
    slots = {slot.id: slot for slot in schedule(old, old_steps, every_fill=True)}
    aside = []
    for entry in ledger.rounds:
        slot = slots.get(entry.slot)
        if slot is None:
            continue
        if slot.step in changed and slot.number and entry.is_ready:
            raise _another(f"step {old_steps[slot.step].name}", "has rounds and is another now")
        if slot.step in changed or _is_spent(entry, slot, emptied):
            aside.append(entry.folder)
    return tuple(aside)


def _is_other(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a step is not among the new ones as it was."""
    if step.number >= len(steps):
        return True
    now = steps[step.number]
    return (step.name, step.claims, step.setup.digested) != (
        now.name,
        now.claims,
        now.setup.digested,
    )


def _is_spent(entry: RoundEntry, slot: Slot, emptied: Collection[int]) -> bool:
    """Whether a fill has to be run again: what it wrote is gone."""
    return not slot.number and entry.is_ready and slot.step in emptied


def _another(what: str, how: str) -> BadInput:
    return BadInput(
        f"it is the run of another plan, or its steps are others now: the {what} {how}",
        remedy=_REMEDY,
    )
