"""
Joining `measure` to a cluster.

Several starts may be measured one after another through one connection. Being told to end
raises once, and the round that is on puts back what it changed.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from firstlight import __version__
from firstlight.capture.collect import Order as CaptureOrder
from firstlight.capture.collect import capture
from firstlight.core.errors import NothingFound
from firstlight.core.objects import Object
from firstlight.core.starts import Start
from firstlight.core.workloads import Target
from firstlight.edges.bundle_folder import BundleFolder
from firstlight.edges.clock import SystemClock
from firstlight.edges.interrupts import Interrupts
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_server import PodServer
from firstlight.edges.kube.probe_records import ProbeRecords
from firstlight.edges.queued_changes import QueuedChanges
from firstlight.edges.run_store import RunStore
from firstlight.measure.pod.order import PodOrder
from firstlight.measure.pod.ports import Changes, PodInstruments
from firstlight.measure.pod.refusals import not_allowed
from firstlight.measure.pod.restoring import Restored, restore
from firstlight.measure.pod.round import PodRound, measure_pod
from firstlight.measure.ports import Progress
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.explaining import explain_inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPod:
    """A start that was measured, and what explains it."""

    result: PodRound
    starts: tuple[Start, ...]
    """Empty where nothing of a start was saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodMeasurements:
    """One cluster, to measure starts in."""

    api: KubeApi
    say: Callable[[str], None]
    """Told what is going to be done."""
    interrupts: Interrupts = field(default_factory=Interrupts)

    @classmethod
    @contextmanager
    def open(cls, access: ClusterAccess, *, say: Callable[[str], None]) -> Iterator[Self]:
        """
        The cluster that is meant.

        Raises:
            BadInput: no such context, or the extra is missing.
            OutsideFailed: nothing says where a cluster is.
        """
        with access.open() as api:
            yield cls(api=api, say=say)

    def restore(self) -> Restored:
        """Open the nodes that measurements left closed.

        Raises:
            OutsideFailed: nodes may not be listed, or nobody answers.
        """
        with self.interrupts.raising():
            return restore(self.api)

    def measure(self, order: PodOrder, *, into: Path, progress: Progress) -> MeasuredPod:
        """Measure one start, save it, and explain it.

        Raises:
            BadInput: it cannot be measured, or nobody said yes.
            OutsideFailed: the cluster refuses what it takes.
        """
        target = replace(order.target, namespace=order.target.namespace or self.api.namespace)
        with self.interrupts.raising():
            result = measure_pod(replace(order, target=target), self._instruments(into, progress))
        return MeasuredPod(result=result, starts=_explained(result))

    def _instruments(self, into: Path, progress: Progress) -> PodInstruments:
        def captured(target: Target, *, folder: str) -> None:
            capture(
                CaptureOrder(
                    target=target, captured_at_ns=SystemClock().unix_ns(), version=__version__
                ),
                cluster=self.api,
                new_bundle=lambda: _the_round(Path(folder)),
                progress=progress,
            )

        return PodInstruments(
            run=secrets.token_hex(8),
            clock=SystemClock(),
            cluster=self.api,
            watch=self._watch,
            server=PodServer(self.api),
            capture=captured,
            fetch_probe=ProbeRecords(self.api).fetch,
            store=RunStore(into),
            progress=progress,
            say=self.say,
            undisturbed=self.interrupts.held,
        )

    def _watch(
        self, path: str, params: Mapping[str, str], *, since_version: str, known: Iterable[Object]
    ) -> Changes:
        watching = self.api.watch(path, params, since_version=since_version, known=known)
        if isinstance(watching, Refused):
            raise not_allowed(watching)
        return QueuedChanges(watching)


@contextmanager
def _the_round(folder: Path) -> Iterator[BundleFolder]:
    """The round's folder, which is there to be seen while it fills."""
    yield BundleFolder(folder)


def _explained(result: PodRound) -> tuple[Start, ...]:
    if not result.captured:
        return ()
    try:
        return tuple(explain_inputs([result.folder]))
    except NothingFound:
        return ()
