"""A live object, as somebody could have written it, and what it leans on."""

from typing import Any

from firstlight.manifests.karpenter_references import class_of
from firstlight.manifests.live import as_written
from firstlight.manifests.live_references import claims_of, node_pools_of, volume_of

SERVERS = {
    "uid": "1",
    "resourceVersion": "2",
    "generation": 3,
    "creationTimestamp": "2026-03-04T05:06:07Z",
    "managedFields": [{}],
    "selfLink": "/x",
}


def deployment(pod: dict[str, Any], **annotations: str) -> dict[str, Any]:
    """As a server sends it."""
    return {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {"name": "vllm", "namespace": "serving", **SERVERS, "annotations": annotations},
        "spec": {
            "replicas": 1,
            "template": {
                "metadata": {"labels": {"a": "b"}, "creationTimestamp": None},
                "spec": {"containers": [{"name": "vllm"}], **pod},
            },
        },
        "status": {"replicas": 1},
    }


def test_what_the_server_added_is_gone() -> None:
    """What the user wrote stays, defaults included; kind and name come first."""
    live = deployment(
        {"restartPolicy": "Always"},
        **{
            "deployment.kubernetes.io/revision": "4",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "mine": "kept",
        },
    )

    written = as_written(live)

    assert {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "vllm",
            "namespace": "serving",
            "annotations": {"mine": "kept"},
        },
        "spec": {
            "replicas": 1,
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [{"name": "vllm"}], "restartPolicy": "Always"},
            },
        },
    } == written
    assert ["apiVersion", "kind", "metadata", "spec"] == list(written)
    assert "status" in live


def test_no_annotation_is_no_map() -> None:
    """Where all of them were others' words."""
    written = as_written(deployment({}, **{"deployment.kubernetes.io/revision": "4"}))

    assert "annotations" not in written["metadata"]


def test_a_volume_waits_for_a_claim_of_that_name() -> None:
    """Not for the one that was there, whose uid never comes back."""
    claim = {"name": "model", "namespace": "serving", "uid": "1", "resourceVersion": "2"}
    volume = {"kind": "PersistentVolume", "metadata": {}, "spec": {"claimRef": claim}}

    assert {"name": "model", "namespace": "serving"} == as_written(volume)["spec"]["claimRef"]


def test_a_job_can_be_made_again() -> None:
    """Its selector and labels name its uid; the server makes new ones."""
    job = {
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {
            "selector": {"matchLabels": {"controller-uid": "1"}},
            "template": {
                "metadata": {"labels": {"controller-uid": "1", "job-name": "j", "a": "b"}}
            },
        },
    }

    spec = as_written(job)["spec"]

    assert {"template": {"metadata": {"labels": {"a": "b"}}}} == spec


def test_a_cronjob_has_a_template_further_in() -> None:
    """With a stamp of the server's as well."""
    cron = {
        "kind": "CronJob",
        "metadata": {"name": "j"},
        "spec": {"jobTemplate": {"metadata": {"creationTimestamp": None}, "spec": {}}},
    }

    assert {"jobTemplate": {"metadata": {}, "spec": {}}} == as_written(cron)["spec"]


def test_claims_and_pools_by_name() -> None:
    """Each once; a pool may be asked for in either of two ways."""
    term = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["gpu", "other"]}
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [term]}]
            }
        }
    }
    live = deployment(
        {
            "volumes": [
                {"name": "a", "persistentVolumeClaim": {"claimName": "model"}},
                {"name": "b", "emptyDir": {}},
                {"name": "c", "persistentVolumeClaim": {"claimName": "model"}},
            ],
            "nodeSelector": {"karpenter.sh/nodepool": "gpu"},
            "affinity": affinity,
        }
    )

    assert ("model",) == claims_of(live)
    assert ("gpu", "other") == node_pools_of(live)
    assert () == node_pools_of(deployment({}))
    assert () == claims_of(deployment({}))


def test_what_is_behind_a_claim_and_a_pool() -> None:
    """A claim may wait, and a class be of another cloud."""
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}

    def pool(reference: dict[str, str]) -> dict[str, Any]:
        return {"spec": {"template": {"spec": {"nodeClassRef": reference}}}}

    assert "pv" == volume_of({"spec": {"volumeName": "pv"}})
    assert None is volume_of({"spec": {}})
    assert "gpu" == class_of(pool(reference))
    assert None is class_of(pool({**reference, "kind": "AKSNodeClass"}))
    assert None is class_of({})
