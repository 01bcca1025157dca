"""
What has to be so in a cluster before a plan's rounds begin, and what is put back after them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.objects import Object, name
from firstlight.core.scenarios import COLD
from firstlight.core.workloads import Target
from firstlight.edges.clock import SystemClock
from firstlight.edges.kube.api import KubeApi
from firstlight.experiment.estimate import estimate
from firstlight.experiment.in_cluster.standing import Standing
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.plan import BaseKubernetes
from firstlight.measure.pod.cordons import opened as node_opened
from firstlight.measure.pod.cordons import signature_on
from firstlight.measure.pod.rights import Right, require
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.experimenting.opening import OpenRun, Prepared
from firstlight.wiring.experimenting.pod_rounds import PodRounds
from firstlight.wiring.measuring_pods import PodMeasurements

_CHANGED = ("get", "create", "patch")
_BRING_NODES = ("nodepools.karpenter.sh", "nodeclaims.karpenter.sh")


def where(access: ClusterAccess, plan: Prepared) -> Mapping[str, str]:
    """
    In which cluster and namespace a plan would be run, for the ledger; nothing is asked of it.

    Raises:
        BadInput: no such context, the extra is missing, or the objects are of another namespace.
        OutsideFailed: nothing says where a cluster is.
    """
    setup = plan.steps[0].objects
    written = setup.target.namespace
    if written and access.namespace not in (None, written):
        raise BadInput(
            f"{setup.target} is written for namespace {written}, and -n says {access.namespace}",
            remedy="leave -n out, or take the namespace out of the objects",
        )
    with access.open() as api:
        return {
            "context": api.context or "",
            "server": api.server,
            "namespace": written or api.namespace,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class InCluster:
    """A run that has its cluster."""

    one: OpenRun
    target: Target
    base: BaseKubernetes
    cluster: PodMeasurements
    standing: Standing
    says: tuple[str, ...]

    @contextmanager
    def rounds(self) -> Iterator[PodRounds]:
        """
        Within, the workload is this run's and being told to end raises; then it is put back.

        Raises:
            OutsideFailed: another run has it, or something is refused.
        """
        with self.cluster.interrupts.raising():
            self._mend()
            self.standing.take()
            try:
                yield PodRounds(
                    folder=self.one.folder,
                    plan=self.one.prepared.plan,
                    base=self.base,
                    baseline=self.one.prepared.steps[0],
                    target=self.target,
                    cluster=self.cluster,
                    standing=self.standing,
                    now_ns=SystemClock().unix_ns,
                )
            finally:
                with self.cluster.interrupts.held():
                    self._put_back()

    def _put_back(self) -> None:
        """What cannot be put back is said: why the rounds ended must not be lost in it."""
        try:
            for sentence in self.standing.put_back():
                self.cluster.say(sentence)
        except OutsideFailed as problem:
            self.cluster.say(
                f"{self.target} is not as at the base: {problem.message}; `kubectl apply -f "
                f"{self.one.folder.objects}` makes it so"
            )

    def _mend(self) -> None:
        """Open nodes that a round of this workload closed before it was killed."""
        if COLD not in self.one.prepared.plan.scenarios:
            return
        ours = f"{self.target.namespace}/{self.target}"
        for node in _listed(self.cluster.api, "nodes"):
            signature = signature_on(node)
            if signature is not None and signature.target == ours:
                node_opened(self.cluster.api, name(node), run=signature.run)


@contextmanager
def connected(
    one: OpenRun, access: ClusterAccess, *, say: Callable[[str], None]
) -> Iterator[InCluster]:
    """
    The cluster of a run, once it is sure that it can be run there.

    Raises:
        BadInput: it is another cluster than the run's.
        OutsideFailed: it cannot be reached, or a right is missing.
    """
    base = one.prepared.plan.base.kubernetes
    if base is None:
        raise ValueError("this is a plan of a process")
    begun = one.ledger.plan.where
    meant = replace(access, context=access.context or begun.get("context") or None)
    with PodMeasurements.open(meant, say=say) as cluster:
        _check_same(one, cluster.api, access)
        namespace = begun["namespace"]
        setups = [step.objects for step in one.prepared.steps]
        run = f"{one.ledger.plan.digest[-12:]}-{one.ledger.plan.began_ns}"
        standing = Standing(cluster.api, setups, namespace=namespace, run=run)
        workload = setups[0].target
        target = Target(kind="deployment", name=workload.name, namespace=namespace)
        require(cluster.api, _rights(one, standing, setups, namespace))
        yield InCluster(
            one=one,
            target=target,
            base=base,
            cluster=cluster,
            standing=standing,
            says=tuple(_says(one, cluster.api, target)),
        )


def _check_same(one: OpenRun, api: KubeApi, access: ClusterAccess) -> None:
    begun = one.ledger.plan.where
    for what, here in (("server", api.server), ("namespace", access.namespace)):
        if here is not None and begun.get(what) not in (None, here):
            raise BadInput(
                f"{one.folder.path} is a run in {what} {begun[what]}, and this is {here}",
                remedy="give the context and namespace that it was begun with, or name a new "
                "folder with --into",
            )


def _says(one: OpenRun, api: KubeApi, target: Target) -> Iterator[str]:
    plan, slots = one.prepared.plan, one.prepared.slots
    left = estimate(plan, slots, one.ledger.rounds)
    context = f"context {api.context}, {api.server}" if api.context else api.server
    yield (
        f"going to replace the pod of {target} in namespace {target.namespace} {left.rounds} times "
        f"({context}); nobody is served meanwhile"
    )
    yield "at the end it stands as at the base, and what the run made beside it is removed"
    if COLD in plan.scenarios:
        yield (
            "for each cold round every node that could take the pod is cordoned until the pod has "
            "a new one; no node is deleted"
        )
        if not any(_listed(api, resource) for resource in _BRING_NODES):
            yield (
                "no NodePool and no NodeClaim is seen here: unless something else brings nodes, "
                f"each cold round waits {plan.timeout_s:g} s for one and fails"
            )


def _listed(api: KubeApi, resource: str) -> list[Object]:
    """Empty also where one may not know, or where there is no such kind."""
    answer = api.items(api.path(resource))
    return list(answer["items"]) if isinstance(answer, dict) else []


def _rights(
    one: OpenRun, standing: Standing, setups: list[ObjectSetup], namespace: str
) -> list[Right]:
    rights = {
        Right(verb=verb, resource=resource, namespace=namespace)
        for resource, verbs in {
            "pods": ("list", "watch"),
            "pods/log": ("get",),
            "pods/proxy": ("get", "create"),
            "replicasets.apps": ("get",),
        }.items()
        for verb in verbs
    }
    for setup in setups:
        for manifest in setup.objects:
            place = standing.places.of(manifest.value)
            kept = setups[0].objects.get(manifest.identity) is not None
            rights |= {
                Right(verb=verb, resource=place.resource, namespace=place.namespace)
                for verb in (*_CHANGED, *(() if kept else ("delete",)))
            }
    if COLD in one.prepared.plan.scenarios:
        rights |= {Right(verb=verb, resource="nodes") for verb in ("list", "patch")}
    return sorted(rights, key=str)
