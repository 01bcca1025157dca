"""
Joining `capture` to a cluster and to the disk.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from firstlight import __version__
from firstlight.capture.bundle import default_name
from firstlight.capture.collect import Order, capture
from firstlight.capture.targets import parsed_target
from firstlight.core.moments import rfc3339
from firstlight.edges.bundle_folder import check_free, new_bundle
from firstlight.edges.clock import SystemClock
from firstlight.edges.interrupts import Interrupts
from firstlight.wiring.cluster_access import ClusterAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """A bundle in its place."""

    path: Path
    document: dict[str, Any]
    """What its bundle.json says."""


def capture_bundle(
    target: str,
    *,
    into: Path | None,
    progress: Callable[[str], None],
    access: ClusterAccess,
    most_log_bytes: int | None = None,
) -> Captured:
    """Save everything `explain` wants of a target, without secrets.

    Raises:
        BadInput: wrong target, context, namespace or place.
        NothingFound: the target has no pod.
        OutsideFailed: the cluster cannot be reached or read, or the disk not written.
    """
    wanted = parsed_target(target)
    now_ns = SystemClock().unix_ns()
    place = into or Path(default_name(wanted.name, rfc3339(now_ns)))
    check_free(place.absolute())
    order = Order(
        target=wanted, captured_at_ns=now_ns, version=__version__, most_log_bytes=most_log_bytes
    )
    with (
        access.open() as api,
        Interrupts().raising(),
    ):
        document = capture(
            order, cluster=api, new_bundle=partial(new_bundle, place), progress=progress
        )
    return Captured(path=place, document=document)
