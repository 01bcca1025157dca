"""
One round of a plan as a pod: the objects of its step put in place, and `measure` on what comes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from firstlight.core.records import MEASURED
from firstlight.core.scenarios import COLD, WARM
from firstlight.core.units import NS_PER_S
from firstlight.core.workloads import Target
from firstlight.edges.kube.pod_door import pod_door
from firstlight.edges.run_folder import Moments, RunFolder
from firstlight.experiment.in_cluster.standing import Standing
from firstlight.experiment.plan import BaseKubernetes, Plan
from firstlight.experiment.ports import Progress, Taken
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.step import Step
from firstlight.manifests.operations.ending import GRACE_S
from firstlight.measure.pod.order import PodOrder, PodReached, Scenario
from firstlight.wiring.experimenting.answers import ANSWER_WITHIN_NS, asked_more
from firstlight.wiring.experimenting.pod_back import cause, measured_in, read_back_pod
from firstlight.wiring.experimenting.round_back import taken
from firstlight.wiring.measuring_pods import PodMeasurements

_SLACK_S = 60
"""What a pod is given to end where it does not say, and what a kubelet takes beyond that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRounds:
    """Rounds of one plan, in one cluster."""

    folder: RunFolder
    plan: Plan
    base: BaseKubernetes
    baseline: Step
    target: Target
    cluster: PodMeasurements
    standing: Standing
    now_ns: Callable[[], int]

    def left_behind(self, slot: Slot, step: Step, known: frozenset[str]) -> Taken | None:
        """
        A try that was measured to its end and not written down; others are put aside.

        Raises:
            BadInput: what is recorded of it is damaged.
            OutsideFailed: another cannot be put aside.
        """
        found = self.folder.left_behind(slot.label(step), known, _moments)
        return None if found is None else self._taken(found[0], slot, step, found[1])

    def carried_out(self, slot: Slot, step: Step, progress: Progress) -> Taken:
        """
        One try.

        Raises:
            OutsideFailed: the cluster refuses an object or the change, or the disk the record.
        """
        begun_ns = self.now_ns()
        progress("putting the objects of its step in place")
        self.standing.bring(step.number)
        order = PodOrder(
            target=self.target,
            scenario=Scenario.COLD if slot.scenario == COLD else Scenario.WARM,
            label=slot.label(step),
            confirmed=True,
            timeout_ns=round(self.plan.timeout_s * NS_PER_S),
            old_ends_within_ns=(_grace_s(step) + _SLACK_S) * NS_PER_S,
            begin=partial(self.standing.start, step.number, f"{slot.id} {begun_ns}"),
            node=self._node(slot),
            after_answer=lambda reached: self._asked(reached, slot),
            port=self.base.port,
            probe_from=self.base.probe_from,
        )
        measured = self.cluster.measure(order, into=self.folder.rounds, progress=progress)
        moments = begun_ns, self.now_ns()
        return self._taken(Path(measured.result.folder), slot, step, moments)

    def _node(self, slot: Slot) -> str | None:
        """Where warm rounds have to go: where the first of them went; None before that."""
        if slot.scenario == COLD:
            return None
        for scenario in (WARM, slot.scenario):
            first = Slot(step=0, scenario=scenario, purpose=Purpose.FILL, number=0)
            label = first.label(self.baseline)
            for folder in self.folder.tries(label):
                measured = measured_in(folder)
                if measured is not None and cause(measured) is None:
                    return measured.node
        return None

    def _asked(self, reached: PodReached, slot: Slot) -> Mapping[str, Mapping[str, object]]:
        with pod_door(
            self.cluster.api,
            reached.namespace,
            reached.pod,
            reached.port,
            https=reached.https,
            timeout_ns=ANSWER_WITHIN_NS,
        ) as url:
            return asked_more(
                self.plan, slot, url, model=reached.model, api_key=None, chat=reached.chat
            )

    def _taken(self, folder: Path, slot: Slot, step: Step, moments: Moments) -> Taken:
        """What came of it, read back from what was written."""
        name = self.folder.name_of(folder)
        return taken(read_back_pod(self.folder, folder, slot), name, slot, step, moments)


def _moments(folder: Path) -> Moments | None:
    """When a round began and ended; None of one that was cut off."""
    measured = measured_in(folder)
    if measured is None or measured.cut_off or measured.began_ns is None:
        return None
    return measured.began_ns, (folder / MEASURED.file).stat().st_mtime_ns


def _grace_s(step: Step) -> int:
    """How long a pod of the plan may take to end, as its step says; the others say the same."""
    told = step.objects.workload.pod.get("terminationGracePeriodSeconds")
    return told if isinstance(told, int) else GRACE_S
