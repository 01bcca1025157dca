"""
A run read back from its folder, and told: every number is worked out anew.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from firstlight.core.secrets import scrubbed
from firstlight.core.units import seconds
from firstlight.measure.order import POLL_EVERY_NS
from firstlight.wiring.comparing import require_statistics
from firstlight.wiring.experimenting import OpenRun, stored
from firstlight.wiring.experimenting_read import all_read


def report(run: Path, soon: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """
    The document of a run, also of one that is not at its end.

    Args:
        run: its folder.
        soon: begins what else is needed to tell of it, once most rounds are read.

    Raises:
        BadInput: the folder holds none, or a damaged one, or scipy is missing.
    """
    return told(stored(run), soon)


def told(one: OpenRun, soon: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """The document of a run that was read."""
    require_statistics()
    found = all_read(one, soon)
    from firstlight.experiment.document import Told, document  # noqa: PLC0415

    notes = list(found.notes)
    if one.ledger.torn:
        notes.append("the ledger's last line is cut off; that round is run again on resume")
    return document(
        Told(
            plan=one.prepared.plan,
            plan_text=scrubbed(one.prepared.source.decode("utf-8", "replace"))[0],
            steps=one.prepared.steps,
            ledger=one.ledger,
            rounds=found.rounds,
            poll_s=seconds(POLL_EVERY_NS),
            notes=notes,
        )
    )
