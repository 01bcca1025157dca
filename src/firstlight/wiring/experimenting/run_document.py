"""
A run read back from its folder, and told: every number is worked out anew.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from firstlight.core.secrets import scrubbed
from firstlight.core.units import seconds
from firstlight.measure.order import POLL_EVERY_NS
from firstlight.wiring.comparing import require_statistics
from firstlight.wiring.experimenting.all_rounds import all_read
from firstlight.wiring.experimenting.opening import OpenRun, stored


def run_document(run: Path, meanwhile: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """
    The document of a run, also of one that is not at its end.

    Args:
        run: its folder.
        meanwhile: loads what else will be needed, while rounds are read.

    Raises:
        BadInput: the folder holds none, or a damaged one, or scipy is missing.
    """
    one = stored(run)
    require_statistics()
    with _nothing_thrown_away():
        return _document(one, meanwhile)


def _document(one: OpenRun, meanwhile: Callable[[], object]) -> dict[str, Any]:
    def loading() -> None:
        import_module("firstlight.experiment.document")
        meanwhile()

    found = all_read(one, loading)
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


@contextmanager
def _nothing_thrown_away() -> Iterator[None]:
    """All that is made of rounds is kept: looking for garbage in it takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
