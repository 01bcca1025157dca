"""Claims that one node can have, and more pods than one."""

from typing import Any

import pytest

from firstlight.lint.rules import rollout_waits_for_volume, single_node_volume_shared
from tests.lint.rules.around import CLAIMED, claim, deployment, engine, said_by

SHARED = single_node_volume_shared.RULE
WAITS = rollout_waits_for_volume.RULE
RWO = "ReadWriteOnce"


def scaler(kind: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "keda.sh/v1alpha1" if kind == "ScaledObject" else "autoscaling/v2",
        "kind": kind,
        "metadata": {"name": "scale", "namespace": "serving"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "qwen"}} | spec,
    }


@pytest.mark.parametrize("mode", [RWO, "ReadWriteOncePod"])
def test_more_pods_than_one(mode: str) -> None:
    """By the Deployment's own number."""
    said = said_by(SHARED, claim(mode), deployment(pod=CLAIMED, replicas=2))

    assert 1 == len(said)
    assert f"is {mode}" in said[0]
    assert "2 pods" in said[0]


@pytest.mark.parametrize(
    ("kind", "spec", "pods"),
    [
        ("HorizontalPodAutoscaler", {"maxReplicas": 4}, 4),
        ("ScaledObject", {"maxReplicaCount": 3}, 3),
        ("ScaledObject", {}, 100),
    ],
)
def test_an_autoscaler_makes_more(kind: str, spec: dict[str, Any], pods: int) -> None:
    """KEDA goes up to a hundred where nobody says a number."""
    said = said_by(SHARED, claim(RWO), deployment(pod=CLAIMED), scaler(kind, **spec))

    assert 1 == len(said)
    assert f"{pods} pods ({kind}/scale)" in said[0]


def test_a_group_of_pods_shares_it_too() -> None:
    """Leader and workers of a LeaderWorkerSet are pods of their own."""
    template = deployment(pod=CLAIMED)["spec"]["template"]
    group = {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "qwen", "namespace": "serving"},
        "spec": {
            "replicas": 1,
            "leaderWorkerTemplate": {"size": 2, "leaderTemplate": template},
        },
    }

    assert 1 == len(said_by(SHARED, claim(RWO), group))


@pytest.mark.parametrize(
    "changed",
    [
        claim("ReadWriteMany"),
        claim(RWO, "ReadWriteMany"),
        claim(),
        claim(RWO, name="other"),
        claim(RWO, storageClassName="local-path"),
        claim(RWO, storageClassName="efs-sc"),
    ],
)
def test_claims_that_are_no_disk_of_one_node(changed: dict[str, Any]) -> None:
    """Many nodes may have it, it is not there, it lies on the node, or is a network's."""
    assert [] == said_by(SHARED, changed, deployment(pod=CLAIMED, replicas=2))
    assert [] == said_by(WAITS, changed, deployment(pod=CLAIMED))


def test_a_claim_of_another_namespace_is_another() -> None:
    """Names are the namespace's."""
    elsewhere = claim(RWO) | {"metadata": {"name": "cache", "namespace": "other"}}

    assert [] == said_by(SHARED, elsewhere, deployment(pod=CLAIMED, replicas=2))


def test_what_a_volume_is_made_of_is_looked_up() -> None:
    """By the class's driver, or the volume that is bound."""
    made = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "shared"},
        "provisioner": "efs.csi.aws.com",
    }
    bound = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "models"},
        "spec": {"nfs": {"server": "10.0.0.1", "path": "/"}},
    }
    two = deployment(pod=CLAIMED, replicas=2)

    assert [] == said_by(SHARED, claim(RWO, storageClassName="shared"), made, two)
    assert [] == said_by(SHARED, claim(RWO, volumeName="models"), bound, two)


def test_pods_that_stay_together() -> None:
    """One node can mount a disk as often as it likes; one pod cannot."""
    here = CLAIMED | {"nodeSelector": {"kubernetes.io/hostname": "gpu-1"}}

    assert [] == said_by(SHARED, claim(RWO), deployment(pod=here, replicas=2))
    assert 1 == len(said_by(SHARED, claim("ReadWriteOncePod"), deployment(pod=here, replicas=2)))


def test_one_pod_is_no_sharing() -> None:
    """Nor is a StatefulSet's own claim for each."""
    each = deployment(replicas=3) | {"kind": "StatefulSet"}
    each["spec"]["volumeClaimTemplates"] = [claim(RWO)]

    assert [] == said_by(SHARED, claim(RWO), deployment(pod=CLAIMED))
    assert [] == said_by(SHARED, each)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (None, 1),
        ({"type": "RollingUpdate"}, 1),
        ({"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}, 1),
        ({"rollingUpdate": {"maxSurge": "100%", "maxUnavailable": "0%"}}, 1),
        ({"type": "Recreate"}, 0),
        ({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}, 0),
        ({"rollingUpdate": {"maxUnavailable": "100%"}}, 0),
        ({"rollingUpdate": {"maxUnavailable": "${MORE}"}}, 0),
    ],
)
def test_a_rollout_that_waits(strategy: dict[str, Any] | None, expected: int) -> None:
    """Only where no old pod goes before a new one is ready."""
    spec: dict[str, Any] = {"strategy": strategy} if strategy else {}

    assert expected == len(said_by(WAITS, claim(RWO), deployment(pod=CLAIMED, **spec)))


def test_several_pods_are_said_by_the_other_rule() -> None:
    """One finding for one volume."""
    many = deployment(engine(), pod=CLAIMED, replicas=2)

    assert [] == said_by(WAITS, claim(RWO), many)
