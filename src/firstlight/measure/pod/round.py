"""
One start in a cluster: look, say, act, watch, put back, ask for a token, save.

Everything that is refused is refused before anything is changed, and before there is a
folder. The watch begins before the deletion, from the version of the list that was looked
at, so nothing falls between. Nodes are opened as soon as the new pod has one, and again, to
be sure, whatever way this ends. What was saved and what was seen go into one folder;
measured.json comes last, and comes whatever went wrong before it.
"""

from dataclasses import dataclass

from firstlight.core.errors import FirstlightError, Interrupted, OutsideFailed
from firstlight.core.moments import rfc3339
from firstlight.core.objects import name, uid
from firstlight.core.records import MEASURED
from firstlight.core.workloads import Target
from firstlight.measure.anchor import Anchor
from firstlight.measure.pod.asking import ask_ready
from firstlight.measure.pod.cordons import Cordons, Signature
from firstlight.measure.pod.engine_container import engine_container
from firstlight.measure.pod.failures import never_ready
from firstlight.measure.pod.fields import is_leaving
from firstlight.measure.pod.following import Followed, Following
from firstlight.measure.pod.intervention import Intervention
from firstlight.measure.pod.order import PodOrder
from firstlight.measure.pod.ports import Changes, PodInstruments
from firstlight.measure.pod.preparing import Prepared, prepared
from firstlight.measure.pod.record import PodRecord
from firstlight.measure.pod.refusals import not_allowed
from firstlight.measure.pod.remarks import not_as_asked, remarks
from firstlight.measure.ports import RoundFolder
from firstlight.measure.record import INTERRUPTED

_GONE = frozenset({404, 409})
_PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRound:
    """What came of one start; the folder holds the rest."""

    folder: str
    index: int
    record: PodRecord
    captured: bool
    """Whether there is a bundle to explain."""


def measure_pod(order: PodOrder, instruments: PodInstruments) -> PodRound:
    """
    Measure one start of a pod.

    Raises:
        BadInput: it cannot be measured, or nobody said yes; nothing was changed.
        OutsideFailed: the cluster refuses what it takes; nothing was changed.
    """
    ready_to_go = prepared(order, instruments.cluster, instruments.say)
    folder = instruments.store.new_round(order.label)
    return _Round(order, instruments, ready_to_go, folder).carried_out()


class _Round:
    def __init__(
        self, order: PodOrder, instruments: PodInstruments, made: Prepared, folder: RoundFolder
    ) -> None:
        self._order = order
        self._with = instruments
        self._made = made
        self._folder = folder
        anchor = Anchor.taken(instruments.clock)
        self._record = PodRecord(target=order.target, asked=order.scenario, anchor=anchor)
        self._record.notes += made.intervention.notes if made.intervention else []
        self._cordons = Cordons(
            instruments.cluster,
            Signature(
                run=instruments.run,
                at=rfc3339(anchor.unix_ns),
                target=f"{order.target.namespace}/{order.target}",
            ),
        )
        self._following = Following(known=made.known, owns=made.workload.owns)
        self._captured = False

    def carried_out(self) -> PodRound:
        try:
            self._watched_and_saved()
        except BaseException as why:
            # It may have come in the very middle of putting back.
            self._put_back()
            self._name_the_pod()
            record = self._record
            record.as_asked = False
            record.notes += [record.problem.message] if record.problem else []
            record.problem = _broken_off(why)
            record.cut_off = True
            raise
        finally:
            # Half a record says less than a second that is waited for.
            with self._with.undisturbed():
                self._folder.write(MEASURED.file, self._record.as_json())
        return PodRound(
            folder=self._folder.path,
            index=self._folder.index,
            record=self._record,
            captured=self._captured,
        )

    def _watched_and_saved(self) -> None:
        try:
            self._watched()
        except FirstlightError as problem:
            self._record.problem = self._record.problem or problem
            self._record.as_asked = False
        self._saved()

    def _watched(self) -> None:
        """Cause the start where that is asked for, and watch it to its end."""
        listing, record = self._made.listing, self._record
        changes = self._with.watch(
            listing.path, listing.params, since_version=listing.version, known=listing.pods
        )
        try:
            began_ns = self._with.clock.monotonic_ns()
            for pod in self._made.starting:
                self._following.find(pod, at_ns=began_ns)
            if self._made.intervention is not None:
                self._cause(self._made.intervention)
            self._follow(
                changes, until_ns=began_ns + self._order.timeout_ns + self._order.old_ends_within_ns
            )
        finally:
            try:
                self._put_back()
            finally:
                # Being told to stop looks like a cut.
                record.reconnected, record.relisted = changes.reconnected, changes.relisted
                changes.stop()
        self._judge(began_ns)

    def _cause(self, intervention: Intervention) -> None:
        for node in intervention.to_close:
            self._with.progress(f"cordoning {name(node)}")
            with self._with.undisturbed():
                self._cordons.close([node])
        if self._order.begin is not None:
            self._with.progress("putting the workload in place")
            with self._with.undisturbed():
                self._order.begin()
            return
        self._with.progress(f"deleting {name(intervention.pod)}")
        self._delete(intervention)

    def _delete(self, intervention: Intervention) -> None:
        cluster, pod = self._with.cluster, intervention.pod
        where = cluster.path("pods", namespace=intervention.namespace, name=name(pod))
        self._record.deleted_ns = self._with.clock.monotonic_ns()
        try:
            with self._with.undisturbed():
                answer = cluster.delete(where, uid=uid(pod))
        except OutsideFailed:
            # The answer is lost; the deletion may be done.
            there = cluster.get(where)
            if isinstance(there, dict) and uid(there) == uid(pod) and not is_leaving(there):
                self._record.deleted_ns = None
                raise
        else:
            if not isinstance(answer, dict):
                self._record.deleted_ns = None
                if answer.status in _GONE:
                    raise OutsideFailed(
                        f"{name(pod)} went away before it was deleted: somebody else restarts it",
                        remedy="measure again when that is over, or measure theirs with --follow",
                    )
                raise not_allowed(answer)

    def _follow(self, changes: Changes, *, until_ns: int) -> None:
        """Take in changes until the new pod is Ready, has failed for good, or time is up."""
        following = self._following
        while True:
            self._with.progress(following.words)
            one = following.current
            if following.node is not None and self._cordons.is_closing:
                self._with.progress("the new pod has a node; uncordoning")
                with self._with.undisturbed():
                    # What cannot be opened now is tried again, and told, at the end.
                    self._cordons.open_all()
            if one is not None and one.ready is not None and one.over_ns is None:
                self._record.outcome = "ready"
                return
            if self._order.begin is not None and one is not None:
                # How long the old pod took to end is nothing of the new one's.
                first = (*following.replaced, one)[0]
                until_ns = first.made.at_ns + self._order.timeout_ns
            wait_ns = until_ns
            if one is not None and one.has_failed and one.over_ns is not None:
                wait_ns = min(until_ns, one.over_ns + self._order.replaced_within_ns)
            change = changes.next(until_ns=wait_ns)
            if change is None:
                self._record.outcome = "timeout" if wait_ns == until_ns else "failed"
                return
            following.learn(change)

    def _put_back(self) -> None:
        """Open every node that is still closed by us, and say where that failed."""
        self._record.cordoned = list(self._cordons.closed)
        if not self._cordons.is_closing:
            return
        self._with.progress("uncordoning")
        with self._with.undisturbed():
            problems = self._cordons.open_all()
        for problem in problems:
            self._with.say(f"{problem.message}; {problem.remedy}")
            self._record.problem = self._record.problem or problem

    def _judge(self, began_ns: int) -> None:
        """From what was seen to what is recorded."""
        record, one, intervention = self._record, self._following.current, self._made.intervention
        record.notes += remarks(
            self._following, intervention, reconnected=record.reconnected, relisted=record.relisted
        )
        if one is not None:
            self._name_the_pod()
            record.node = one.node
            record.container = engine_container(one.pod)
            record.created_seen_ns = one.made.moment_ns
            record.ready_seen_ns = one.ready.moment_ns if one.ready else None
            if intervention is not None and one.node and (why := not_as_asked(intervention, one)):
                record.as_asked = False
                record.not_as_asked = why
                record.notes.append(why)
        if record.outcome != "ready" or one is None:
            waited_ns = self._with.clock.monotonic_ns() - began_ns
            record.as_asked = record.as_asked and one is not None and one.node is not None
            record.problem = record.problem or never_ready(self._order, one, waited_ns=waited_ns)
            return
        if self._order.first_token:
            self._ask_for_a_token(one)

    def _ask_for_a_token(self, one: Followed) -> None:
        record = self._record
        asked = ask_ready(
            self._order,
            one,
            container=record.container,
            ready_ns=record.ready_seen_ns,
            server=self._with.server,
            progress=self._with.progress,
        )
        record.first_token_ns = asked.token.after_ns
        record.first_token_problem = asked.token.problem
        record.notes += asked.token.notes
        for file, told in asked.files.items():
            self._folder.write(file, told)

    def _saved(self) -> None:
        """Save what the start left behind; of one that never had a pod there is nothing."""
        record, order = self._record, self._order
        self._name_the_pod()
        if record.pod is None:
            return
        pod = Target(kind="pod", name=record.pod, namespace=order.target.namespace)
        try:
            self._with.capture(pod, folder=self._folder.path)
            self._captured = True
        except FirstlightError as problem:
            self._not_saved("no bundle", problem)
        if order.probe_from is not None and record.outcome == "ready":
            self._with.progress("fetching the probe's records")
            try:
                record.notes += self._with.fetch_probe(
                    namespace=pod.namespace,
                    pod=pod.name,
                    container=record.container,
                    source=order.probe_from,
                    folder=self._folder.make_folder(_PROBE),
                )
            except FirstlightError as problem:
                self._not_saved("no records of the probe", problem)

    def _name_the_pod(self) -> None:
        """Say which it is, also where nothing came of it."""
        one = self._following.current
        if one is not None:
            self._record.pod, self._record.pod_uid = one.name, uid(one.pod)

    def _not_saved(self, what: str, problem: FirstlightError) -> None:
        self._record.notes.append(f"{what} could be saved: {problem.message}")
        self._record.problem = self._record.problem or problem


def _broken_off(why: BaseException) -> FirstlightError:
    """What ended a measurement that nobody can go on with, for its record."""
    if isinstance(why, KeyboardInterrupt):
        return Interrupted(INTERRUPTED, remedy="measure again")
    return FirstlightError(
        f"the measurement broke off: {type(why).__name__}: {why}",
        remedy="this is a bug of firstlight; please report it",
    )
