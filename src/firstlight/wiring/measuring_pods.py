"""
Joining `measure` to a cluster.

Several starts may be measured one after another through one connection. Being told to end
raises once, and the round that is on puts back what it changed.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

from firstlight import __version__
from firstlight.capture.collect import Order as CaptureOrder
from firstlight.capture.collect import capture
from firstlight.capture.stamps import rfc3339
from firstlight.capture.targets import Target as CaptureTarget
from firstlight.core.errors import NothingFound
from firstlight.core.starts import Start
from firstlight.edges.bundle_folder import BundleFolder
from firstlight.edges.clock import SystemClock
from firstlight.edges.held_interrupts import HeldInterrupts
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.client import client_of
from firstlight.edges.kube.config import find_access
from firstlight.edges.kube.exec import run_in_pod
from firstlight.edges.queued_changes import QueuedChanges
from firstlight.edges.run_store import RunStore
from firstlight.measure.pod.order import PodOrder, Scenario
from firstlight.measure.pod.ports import Changes, Object, PodInstruments
from firstlight.measure.pod.refusals import not_allowed
from firstlight.measure.pod.restoring import Restored, restore
from firstlight.measure.pod.round import PodRound, measure_pod
from firstlight.measure.pod.target import parsed_target
from firstlight.measure.ports import Progress
from firstlight.wiring.explaining import explain_inputs
from firstlight.wiring.pod_server import PodServer
from firstlight.wiring.probe_in_pod import ProbeInPod


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPod:
    """A start that was measured, and what explains it."""

    result: PodRound
    starts: tuple[Start, ...]
    """Empty where nothing of a start was saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    target: str
    scenario: str | None
    """cold or warm; None to wait for a start that somebody else causes."""
    confirmed: bool
    into: Path
    label: str
    timeout_ns: int
    first_token: bool
    port: int | None = None
    probe_from: str | None = None


@dataclass(slots=True, kw_only=True)
class PodMeasurements:
    """One cluster, to measure starts in."""

    api: KubeApi
    progress: Progress
    say: Callable[[str], None]
    where: Mapping[str, str | None]
    """Which cluster, in the words of the command line."""
    interrupts: HeldInterrupts = field(default_factory=HeldInterrupts)

    @classmethod
    @contextmanager
    def open(
        cls, *, progress: Progress, say: Callable[[str], None], **where: str | None
    ) -> Iterator[Self]:
        """
        The cluster that kubectl would speak to.

        Args:
            progress: told what is waited for.
            say: told what is going to be done.
            where: kubeconfig, context and namespace, as kubectl has them.

        Raises:
            BadInput: no such context, or the extra is missing.
            OutsideFailed: nothing says where a cluster is.
        """
        with KubeApi.open(**where) as api:
            yield cls(api=api, progress=progress, say=say, where=where)

    def restore(self) -> Restored:
        """Open the nodes that measurements left closed.

        Raises:
            OutsideFailed: nodes may not be listed, or nobody answers.
        """
        with self.interrupts.raising_once():
            return restore(self.api)

    def measure(self, wanted: Wanted) -> MeasuredPod:
        """Measure one start, save it, and explain it.

        Raises:
            BadInput: it cannot be measured, or nobody said yes.
            OutsideFailed: the cluster refuses what it takes.
        """
        order = PodOrder(
            target=parsed_target(
                wanted.target, namespace=self.api.namespace, follow=wanted.scenario is None
            ),
            scenario=Scenario(wanted.scenario) if wanted.scenario else None,
            label=wanted.label,
            run=secrets.token_hex(8),
            confirmed=wanted.confirmed,
            timeout_ns=wanted.timeout_ns,
            first_token=wanted.first_token,
            port=wanted.port,
            probe_from=wanted.probe_from,
        )
        with self.interrupts.raising_once():
            result = measure_pod(order, self._instruments(wanted.into))
        return MeasuredPod(result=result, starts=_explained(result))

    def _instruments(self, into: Path) -> PodInstruments:
        return PodInstruments(
            clock=SystemClock(),
            clock_text=rfc3339,
            cluster=self.api,
            watch=self._watch,
            server=PodServer(self.api),
            capture=self._capture,
            fetch_probe=self._fetch_probe,
            store=RunStore(into),
            progress=self.progress,
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

    def _capture(self, *, namespace: str, pod: str, folder: str) -> Sequence[str]:  # noqa: ARG002
        @contextmanager
        def the_round() -> Iterator[BundleFolder]:
            yield BundleFolder(Path(folder))

        order = CaptureOrder(
            target=CaptureTarget(kind="pod", name=pod),
            captured_at_ns=SystemClock().unix_ns(),
            version=__version__,
        )
        capture(order, cluster=self.api, new_bundle=the_round, progress=self.progress)
        # What is missing in it, and why, stands in the bundle.
        return ()

    def _fetch_probe(
        self, *, namespace: str, pod: str, container: str | None, source: str, folder: str
    ) -> Sequence[str]:
        with client_of(find_access(**self._options())) as client:
            return ProbeInPod(run=partial(run_in_pod, client))(
                namespace=namespace, pod=pod, container=container, source=source, folder=folder
            )

    def _options(self) -> dict[str, str | None]:
        return {name: self.where.get(name) for name in ("kubeconfig", "context", "namespace")}


def _explained(result: PodRound) -> tuple[Start, ...]:
    if not result.captured:
        return ()
    try:
        return tuple(explain_inputs([result.folder]))
    except NothingFound:
        return ()
