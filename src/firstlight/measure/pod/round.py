"""
One start in a cluster: look, say, act, watch, put back, ask for a token, save.

Everything that is refused is refused before anything is changed, and before there is a
folder. The watch begins before the deletion, from the version of the list that was looked
at, so nothing falls between. Nodes are opened as soon as the new pod has one, and again, to
be sure, whatever way this ends. What was saved and what was seen go into one folder;
measured.json comes last.
"""

from dataclasses import dataclass

from firstlight.core.errors import EngineFailed, FirstlightError, OutsideFailed
from firstlight.measure.anchor import Anchor
from firstlight.measure.pod.cordons import Cordons, Mark
from firstlight.measure.pod.failures import never_ready
from firstlight.measure.pod.fields import is_leaving, name, uid
from firstlight.measure.pod.first_token import ask_first_token
from firstlight.measure.pod.following import Followed, Following
from firstlight.measure.pod.order import PodOrder
from firstlight.measure.pod.plan import Plan
from firstlight.measure.pod.ports import Changes, PodInstruments
from firstlight.measure.pod.preparing import Prepared, prepared
from firstlight.measure.pod.record import MEASURED_FILE, Measured
from firstlight.measure.pod.refusals import not_allowed
from firstlight.measure.pod.remarks import not_as_asked, remarks
from firstlight.measure.pod.server_port import engine_container, server_port
from firstlight.measure.ports import RoundFolder

_GONE = frozenset({404, 409})
_PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRound:
    """What came of one start; the folder holds the rest."""

    folder: str
    index: int
    measured: Measured
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
        self._record = Measured(target=order.target, asked=order.scenario, anchor=anchor)
        self._record.notes += made.plan.notes if made.plan else []
        self._cordons = Cordons(
            instruments.cluster,
            Mark(
                run=order.run,
                at=instruments.clock_text(anchor.unix_ns),
                target=f"{order.target.namespace}/{order.target}",
            ),
        )
        self._following = Following(known=made.known, owns=made.workload.owns)
        self._captured = False

    def carried_out(self) -> PodRound:
        try:
            self._watched()
            self._saved()
        except OutsideFailed as problem:
            self._record.problem = self._record.problem or problem
            self._record.as_asked = False
            self._saved()
        except KeyboardInterrupt:
            # It may have come in the very middle of putting back.
            self._put_back()
            self._record.as_asked = False
            self._record.problem = EngineFailed(
                "the measurement was interrupted", remedy="measure again"
            )
            self._finish()
            raise
        self._finish()
        return PodRound(
            folder=self._folder.path,
            index=self._folder.index,
            measured=self._record,
            captured=self._captured,
        )

    def _watched(self) -> None:
        """Cause the start where that is asked for, and watch it to its end."""
        listing, record = self._made.listing, self._record
        changes = self._with.watch(
            listing.path, listing.params, since_version=listing.version, known=listing.pods
        )
        try:
            began_ns = self._with.clock.monotonic_ns()
            for change in self._made.under_way(began_ns):
                self._following.learn(change)
            if self._made.plan is not None:
                self._cause(self._made.plan)
            self._follow(changes, until_ns=began_ns + self._order.timeout_ns)
        finally:
            try:
                self._put_back()
            finally:
                # Being told to stop looks like a cut.
                record.reconnected, record.relisted = changes.reconnected, changes.relisted
                changes.stop()
        self._judge(began_ns)

    def _cause(self, plan: Plan) -> None:
        for node in plan.to_close:
            self._with.progress(f"cordoning {name(node)}")
            with self._with.undisturbed():
                self._cordons.close([node])
        self._with.progress(f"deleting {name(plan.pod)}")
        self._delete(plan)

    def _delete(self, plan: Plan) -> None:
        cluster, pod = self._with.cluster, plan.pod
        where = cluster.path("pods", namespace=plan.namespace, name=name(pod))
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
            if one is not None and one.ready_ns is not None and one.over_ns is None:
                self._record.outcome = "ready"
                return
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
        record, one, plan = self._record, self._following.current, self._made.plan
        record.notes += remarks(
            self._following, plan, reconnected=record.reconnected, relisted=record.relisted
        )
        if one is not None:
            record.pod, record.pod_uid, record.node = one.name, uid(one.pod), one.node
            record.container = engine_container(one.pod)
            record.created_seen_ns = None if one.listed else one.seen_ns
            record.ready_seen_ns = one.ready_ns
            if plan is not None and one.node and (why := not_as_asked(plan, one)):
                record.as_asked = False
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
        port = server_port(one.pod, container=record.container, given=self._order.port)
        if port is None:
            record.first_token_problem = (
                "neither a probe nor a port of the pod says where its server is; name it with "
                "--port"
            )
            return
        self._with.progress(f"{one.name} is Ready; asking for one token")
        token = ask_first_token(
            self._with.server,
            namespace=self._order.target.namespace,
            pod=one.name,
            port=port,
            ready_ns=one.ready_ns or 0,
            timeout_ns=self._order.first_token_timeout_ns,
        )
        record.first_token_ns, record.first_token_problem = token.after_ns, token.problem

    def _saved(self) -> None:
        """Save what the start left behind; of one that never had a pod there is nothing."""
        record, order = self._record, self._order
        if record.pod is None and self._following.current is not None:
            record.pod = self._following.current.name
            record.pod_uid = uid(self._following.current.pod)
        if record.pod is None:
            return
        where = {"namespace": order.target.namespace, "pod": record.pod}
        try:
            record.notes += self._with.capture(**where, folder=self._folder.path)
            self._captured = True
        except FirstlightError as problem:
            record.notes.append(f"no bundle could be saved: {problem.message}")
            record.problem = record.problem or problem
        if order.probe_from is not None and record.outcome == "ready":
            self._with.progress("fetching the probe's records")
            into = self._folder.make_folder(_PROBE)
            record.notes += self._with.fetch_probe(
                **where, container=record.container, source=order.probe_from, folder=into
            )

    def _finish(self) -> None:
        self._folder.write(MEASURED_FILE, self._record.as_json())
