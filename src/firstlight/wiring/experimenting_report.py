"""
A run read back from its folder, and told: every number is worked out anew.
"""

from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.core.secrets import scrubbed
from firstlight.core.units import seconds
from firstlight.experiment.ledger import RoundEntry
from firstlight.experiment.rounds import Round
from firstlight.experiment.schedule import Slot
from firstlight.measure.order import POLL_EVERY_NS
from firstlight.report.json_contract import explanation
from firstlight.wiring.comparing import require_statistics
from firstlight.wiring.experimenting import OpenRun, stored
from firstlight.wiring.experimenting_rounds import read_back, shown_effect


def report(run: Path) -> dict[str, Any]:
    """
    The document of a run, also of one that is not at its end.

    Raises:
        BadInput: the folder holds none, or a damaged one, or scipy is missing.
    """
    return told(stored(run))


def told(one: OpenRun) -> dict[str, Any]:
    """The document of a run that was read."""
    require_statistics()
    from firstlight.experiment.document import Told, document  # noqa: PLC0415

    slots = {slot.id: slot for slot in one.prepared.slots}
    notes: list[str] = []
    rounds: list[Round] = []
    for order, entry in enumerate(one.ledger.rounds, start=1):
        slot = slots.get(entry.slot)
        if slot is None:
            notes.append(f"{entry.slot} is no round of this plan, and is left out")
            continue
        try:
            rounds.append(_round(one, entry, slot, order))
        except BadInput as missing:
            notes.append(f"{entry.folder} is left out: {missing.message}")
    if one.ledger.torn:
        notes.append("the ledger's last line is cut off; that round is run again on resume")
    return document(
        Told(
            plan=one.prepared.plan,
            plan_text=scrubbed(one.prepared.source.decode("utf-8", "replace"))[0],
            steps=one.prepared.steps,
            ledger=one.ledger,
            rounds=rounds,
            poll_s=seconds(POLL_EVERY_NS),
            notes=notes,
        )
    )


def _round(one: OpenRun, entry: RoundEntry, slot: Slot, order: int) -> Round:
    found = read_back(one.folder, one.folder.path / entry.folder, slot)
    return Round(
        slot=slot,
        entry=entry,
        start=found.start,
        explained=explanation([found.start])["starts"][0],
        effect=shown_effect(one.prepared.steps[slot.step], slot.purpose, found.start),
        served=found.served,
        order=order,
    )
