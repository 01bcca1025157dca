"""
How long somebody's measured starts take, for whoever sets or judges a probe.
"""

from collections.abc import Sequence

from firstlight.core.errors import BadInput, NothingFound
from firstlight.manifests.measured_p95 import MeasuredP95, measured_p95
from firstlight.wiring.explaining import explain_inputs


def p95_of(records: Sequence[str], *, instead: str) -> MeasuredP95:
    """
    The 95th percentile of the starts in some records.

    Args:
        records: whatever `explain` reads.
        instead: what to do where they tell nothing, to end a remedy with.

    Raises:
        BadInput: they cannot be read, or none of them tells it.
    """
    try:
        # Each by itself: nodes of two clusters, or of two weeks, may have one name.
        found = measured_p95([start for path in records for start in explain_inputs([path])])
    except NothingFound as e:
        # Exit code 1 means that somebody's files differ, or are wrong.
        raise BadInput(
            e.message,
            remedy="give starts that were measured or captured: run folders, bundles, logs of the "
            f"engine's container; no manifests; or {instead}",
        ) from e
    if found is None:
        raise BadInput(
            f"{', '.join(records)}: no start in it shows how long it took from the container's "
            "start to its server",
            remedy=f"give starts that came up, with the pod's objects, or {instead}",
        )
    return found
