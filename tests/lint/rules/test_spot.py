"""Nodes that the cloud takes back, and a compile cache that goes with them."""

from typing import Any

import pytest

from firstlight.lint.rules import spot_without_published_cache
from tests.lint.rules.around import IN_POOL, deployment, engine, pool, said_by

SPOT = spot_without_published_cache.RULE
CAPACITY = "karpenter.sh/capacity-type"
ENGINE = deployment(pod=IN_POOL)


def cached(volume: dict[str, Any], *, init: bool = False, **changes: Any) -> dict[str, Any]:
    """An engine whose compile cache lies on a volume."""
    mount = {"name": "cache", "mountPath": "/cache"}
    container = engine(
        env=[{"name": "VLLM_CACHE_ROOT", "value": "/cache/vllm"}], volumeMounts=[mount], **changes
    )
    pod: dict[str, Any] = IN_POOL | {"volumes": [{"name": "cache"} | volume]}
    if init:
        restore = {"name": "restore", "image": "tools:1", "volumeMounts": [mount]}
        pod |= {"initContainers": [restore]}
    return deployment(container, pod=pod)


ON_NODE = {"hostPath": {"path": "/var/cache/vllm"}}
ON_SPOT = pool(required={CAPACITY: ["spot", "on-demand"]})


@pytest.mark.parametrize("made", [ENGINE, cached(ON_NODE), cached({"emptyDir": {}})])
def test_a_cache_that_goes_with_a_spot_node(made: dict[str, Any]) -> None:
    """In the container, on a volume of the pod, in a directory of the node."""
    assert 1 == len(said_by(SPOT, ON_SPOT, made))


def test_the_pod_itself_may_ask_for_spot() -> None:
    """Without a pool among the objects."""
    made = deployment(pod={"nodeSelector": {CAPACITY: "spot"}})

    assert 1 == len(said_by(SPOT, made))


@pytest.mark.parametrize(
    "made",
    [
        cached(ON_NODE, init=True),
        cached({"persistentVolumeClaim": {"claimName": "cache"}}),
        cached(ON_NODE, args=["s3://models/qwen", "--enforce-eager"]),
        cached(ON_NODE, args=["s3://models/qwen", "-O0"]),
        cached(
            ON_NODE,
            command=["bash", "-c"],
            args=["aws s3 sync s3://models/cache /cache && vllm serve s3://models/qwen"],
        ),
        cached(ON_NODE, args=["s3://models/qwen", "$(EXTRA_ARGS)"]),
        deployment(engine(image="registry.example/vllm:1"), pod=IN_POOL),
    ],
)
def test_a_cache_that_stays_or_is_restored(made: dict[str, Any]) -> None:
    """Or nothing is compiled, or nobody knows."""
    assert [] == said_by(SPOT, ON_SPOT, made)


@pytest.mark.parametrize("required", [{CAPACITY: ["on-demand"]}, {}])
def test_nodes_that_stay(required: dict[str, list[str]]) -> None:
    """A pool that says nothing may have both, and is not guessed at."""
    assert [] == said_by(SPOT, pool(required=required), cached(ON_NODE))


def affinity(*terms: dict[str, list[str]], operator: str = "In") -> dict[str, Any]:
    """A pod that asks for one of these, each by labels and their values."""
    written = [
        {"matchExpressions": [{"key": k, "operator": operator, "values": v} for k, v in t.items()]}
        for t in terms
    ]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": written}}
    return {"affinity": {"nodeAffinity": required}}


LABELS = {
    CAPACITY: "spot",
    "eks.amazonaws.com/capacityType": "SPOT",
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-provisioning": "spot",
    "kubernetes.azure.com/scalesetpriority": "spot",
}


@pytest.mark.parametrize(("key", "value"), LABELS.items())
def test_each_cloud_has_a_label_for_it(key: str, value: str) -> None:
    """In the selector or in the affinity; another value, or what is only wished for, is not it."""
    wished = {"preference": affinity({key: [value]}), "weight": 1}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [wished]}

    assert 1 == len(said_by(SPOT, deployment(pod={"nodeSelector": {key: value}})))
    assert 1 == len(said_by(SPOT, deployment(pod=affinity({key: [value, "other"]}))))
    assert [] == said_by(SPOT, deployment(pod={"nodeSelector": {key: "other"}}))
    assert [] == said_by(SPOT, deployment(pod=affinity({key: [value]}, operator="NotIn")))
    assert [] == said_by(SPOT, deployment(pod={"affinity": {"nodeAffinity": preferred}}))


def test_every_alternative_has_to_be_spot() -> None:
    """Else the pod may stay where nothing is taken."""
    spot, zone = {CAPACITY: ["spot"]}, {"topology.kubernetes.io/zone": ["a"]}

    assert 1 == len(said_by(SPOT, deployment(pod=affinity(spot, spot | zone))))
    assert [] == said_by(SPOT, deployment(pod=affinity(spot, zone)))


def test_a_pool_that_an_affinity_asks_for() -> None:
    """By its name or by a label that it gives."""
    labelled = pool(labels={"tier": "gpu"}, required={CAPACITY: ["spot"]})

    assert 1 == len(said_by(SPOT, labelled, deployment(pod=affinity({"tier": ["gpu"]}))))
    by_name = affinity({"karpenter.sh/nodepool": ["gpu"]})
    assert 1 == len(said_by(SPOT, labelled, deployment(pod=by_name)))
    assert [] == said_by(SPOT, labelled, deployment(pod=affinity({"tier": ["cpu"]})))
    assert [] == said_by(SPOT, labelled, deployment())


def eksctl(*groups: dict[str, Any], field: str = "managedNodeGroups") -> dict[str, Any]:
    meta = {"name": "inference", "region": "us-east-1"}
    return {
        "apiVersion": "eksctl.io/v1alpha5",
        "kind": "ClusterConfig",
        "metadata": meta,
        field: list(groups),
    }


def group(api_version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "gpu", "namespace": "infra"},
        "spec": spec,
    }


TIER = {"tier": "gpu"}
ALL_SPOT = {"onDemandPercentageAboveBaseCapacity": 0}
CLUSTER_API = "infrastructure.cluster.x-k8s.io/v1beta2"
GROUPS = [
    eksctl({"name": "gpu", "spot": True, "labels": TIER}),
    eksctl({"name": "gpu", "labels": TIER, "instancesDistribution": ALL_SPOT}, field="nodeGroups"),
    group("eks.services.k8s.aws/v1alpha1", "Nodegroup", {"capacityType": "SPOT", "labels": TIER}),
    group(
        "eks.aws.upbound.io/v1beta1",
        "NodeGroup",
        {"forProvider": {"capacityType": "SPOT", "labels": TIER}},
    ),
    group(CLUSTER_API, "AWSManagedMachinePool", {"capacityType": "spot", "labels": TIER}),
    group(CLUSTER_API, "AzureManagedMachinePool", {"scaleSetPriority": "Spot", "nodeLabels": TIER}),
    group(
        "container.cnrm.cloud.google.com/v1beta1",
        "ContainerNodePool",
        {"nodeConfig": {"spot": True, "labels": TIER}},
    ),
]


@pytest.mark.parametrize("made", GROUPS, ids=[one["kind"] for one in GROUPS])
def test_a_group_of_nodes_that_is_spot(made: dict[str, Any]) -> None:
    """Chosen by a label of its own; who asks for nothing, or another label, is not on it."""
    assert 1 == len(said_by(SPOT, made, deployment(pod={"nodeSelector": TIER})))
    assert [] == said_by(SPOT, made, deployment())
    assert [] == said_by(SPOT, made, deployment(pod={"nodeSelector": {"tier": "cpu"}}))


@pytest.mark.parametrize(
    ("made", "label"),
    [
        (GROUPS[0], "eks.amazonaws.com/nodegroup"),
        (GROUPS[0], "alpha.eksctl.io/nodegroup-name"),
        (GROUPS[2], "eks.amazonaws.com/nodegroup"),
        (GROUPS[5], "kubernetes.azure.com/agentpool"),
        (GROUPS[6], "cloud.google.com/gke-nodepool"),
    ],
)
def test_a_group_that_is_chosen_by_its_name(made: dict[str, Any], label: str) -> None:
    """Each cloud has a label for that."""
    assert 1 == len(said_by(SPOT, made, deployment(pod={"nodeSelector": {label: "gpu"}})))
    assert [] == said_by(SPOT, made, deployment(pod={"nodeSelector": {label: "cpu"}}))


def test_a_group_that_is_not_spot_or_one_of_two() -> None:
    """Half of a group, or one of two with the label, may be where the pod runs."""
    spot, stays = {"name": "a", "spot": True, "labels": TIER}, {"name": "b", "labels": TIER}
    half = {"onDemandPercentageAboveBaseCapacity": 50}
    mixed = stays | {"instancesDistribution": half}
    made = deployment(pod={"nodeSelector": TIER})

    assert [] == said_by(SPOT, eksctl(stays), made)
    assert [] == said_by(SPOT, eksctl(spot, stays), made)
    assert [] == said_by(SPOT, eksctl(mixed, field="nodeGroups"), made)
