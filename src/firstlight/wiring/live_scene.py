"""
Everything of a cluster that rules look at.

The workloads that were named, or all of a namespace, and what stands around them: Services,
policies, claims and volumes, Karpenter's pools and classes, and who reads which ConfigMap.
Secrets are not read. Rights end where they end: what may not be read is said, and rules that
need it stay silent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from firstlight.core.errors import NothingFound, OutsideFailed
from firstlight.core.objects import Object, controller, metadata, name
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.lint.config_maps import config_maps_of
from firstlight.lint.engine import engines_of
from firstlight.lint.policy_enforcement import PolicyEnforcement, policy_enforcement
from firstlight.manifests.live import as_written
from firstlight.manifests.live_references import volume_of
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.live_objects import live_objects

_WORKLOADS = (
    "deployments",
    "statefulsets",
    "daemonsets.apps",
    "jobs.batch",
    "cronjobs.batch",
    "pods",
    "leaderworkersets.leaderworkerset.x-k8s.io",
)
_AROUND = (
    "services",
    "networkpolicies.networking.k8s.io",
    "poddisruptionbudgets.policy",
    "horizontalpodautoscalers.autoscaling",
    "scaledobjects.keda.sh",
    "resourcequotas",
)
_OF_CLUSTER = (
    "nodepools.karpenter.sh",
    "ec2nodeclasses.karpenter.k8s.aws",
    "storageclasses.storage.k8s.io",
)
_CLAIMS, _VOLUMES = "persistentvolumeclaims", "persistentvolumes"
_MADE_BY = frozenset({"CronJob", "Deployment", "Job", "LeaderWorkerSet", "ReplicaSet"})
"""Owners that are read themselves, so that what they make need not be."""
_PLUGINS, _PLUGIN_CONFIGS = "kube-system", ("amazon-vpc-cni", "cilium-config")


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveScene:
    """Objects of a cluster, and what it does with policies."""

    objects: ObjectSet
    notes: tuple[str, ...]
    policies: PolicyEnforcement


def live_scene(
    targets: Sequence[str], *, access: ClusterAccess, all_namespaces: bool = False
) -> LiveScene:
    """
    What there is in a cluster, for rules to look at.

    Args:
        targets: workloads, as deployment/NAME; empty for every one of the namespace.
        access: which cluster and namespace.
        all_namespaces: every namespace, where no workload is named.

    Raises:
        BadInput: a target is no workload that is written by people.
        NothingFound: there is none of that name, or none in which vLLM runs.
        OutsideFailed: the cluster cannot be reached, or not read.
    """
    named = [live_objects(target, access=access) for target in targets]
    with access.open() as api:
        reading = _Reading(api=api, namespace=None if all_namespaces else api.namespace)
        for given in named:
            reading.found += [one.value for one in given.objects]
            reading.notes += given.notes
        return reading.read(whole=not targets)


@dataclass(slots=True, kw_only=True)
class _Reading:
    api: KubeApi
    namespace: str | None
    """None for all."""
    found: list[Object] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, *, whole: bool) -> LiveScene:
        if whole:
            self._workloads()
        for resource in _AROUND:
            self.found += self._list(resource, namespace=self.namespace)
        if whole:
            self._volumes()
        for resource in _OF_CLUSTER:
            self.found += self._list(resource)
        agents = self._agents()
        self._namespaces()
        self._config_maps()
        policies = policy_enforcement(agents, self._plugin_configs())
        return LiveScene(
            objects=self._objects(), notes=tuple(dict.fromkeys(self.notes)), policies=policies
        )

    def _objects(self) -> ObjectSet:
        """Each object once, without what the server added."""
        kept: dict[object, Manifest] = {}
        for value in self.found:
            manifest = Manifest(value=as_written(value))
            kept.setdefault(manifest.identity, manifest)
        return ObjectSet(manifests=tuple(kept.values()))

    def _workloads(self) -> None:
        refused = 0
        for resource in _WORKLOADS:
            answer = self._asked(resource, namespace=self.namespace)
            refused += answer is None
            for one in answer or []:
                owner = controller(one)
                if owner is None or owner.get("kind") not in _MADE_BY:
                    self.found.append(one)
        where = f"namespace {self.namespace}" if self.namespace else "this cluster"
        if not any(self._engines()):
            if refused == len(_WORKLOADS):
                raise OutsideFailed(
                    f"no workload of {where} may be read",
                    remedy="allow what docs/rbac/lint.yaml lists, or give the manifests as files",
                )
            raise NothingFound(
                f"no workload of {where} that could be read runs vLLM",
                remedy="say the namespace with -n, all of them with -A, or name the workload",
            )

    def _engines(self) -> Iterator[object]:
        everything = ObjectSet(manifests=tuple(Manifest(value=value) for value in self.found))
        for manifest in everything:
            yield from engines_of(manifest, everything)

    def _volumes(self) -> None:
        claims = self._list(_CLAIMS, namespace=self.namespace)
        self.found += claims
        bound = {volume for claim in claims if (volume := volume_of(claim))}
        if bound:
            self.found += [one for one in self._list(_VOLUMES) if name(one) in bound]

    def _agents(self) -> list[Object]:
        """DaemonSets of all namespaces: the network plugin's, and those that pull images."""
        agents = self._list("daemonsets.apps")
        for one in agents:
            manifest = Manifest(value=one)
            if not any(engines_of(manifest, ObjectSet(manifests=(manifest,)))):
                self.found.append(one)
        return agents

    def _namespaces(self) -> None:
        for namespace in sorted({m.identity.namespace for m in self._objects()} - {""}):
            if namespace != _PLUGINS:
                self._get("namespaces", namespace)

    def _config_maps(self) -> None:
        for namespace, one in config_maps_of(self._objects()):
            self._get("configmaps", one, namespace=namespace)

    def _plugin_configs(self) -> list[Object]:
        paths = [self.api.path("configmaps", namespace=_PLUGINS, name=n) for n in _PLUGIN_CONFIGS]
        answers = [self.api.get(path) for path in paths]
        return [one for one in answers if not isinstance(one, Refused)]

    def _get(self, resource: str, named: str, *, namespace: str | None = None) -> None:
        answer = self.api.get(self.api.path(resource, namespace=namespace, name=named))
        if not isinstance(answer, Refused):
            self.found.append(answer)
        elif not answer.absent:
            self.notes.append(f"{resource} {named} could not be read ({answer.words})")

    def _list(self, resource: str, *, namespace: str | None = None) -> list[Object]:
        return self._asked(resource, namespace=namespace) or []

    def _asked(self, resource: str, *, namespace: str | None) -> list[Object] | None:
        """The objects of a resource, empty where the cluster has none; None where it says no."""
        answer = self.api.items(self.api.path(resource, namespace=namespace))
        if not isinstance(answer, Refused):
            items: list[Object] = [one for one in answer["items"] if metadata(one)]
            return items
        if answer.absent:
            return []
        self.notes.append(f"{resource} could not be read ({answer.words})")
        return None
