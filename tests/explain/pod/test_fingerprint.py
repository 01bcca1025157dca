"""What a pod, its node and its claim say that must be alike in two starts."""

from typing import Any

from tests.explain.pod import cluster
from tests.explain.telling import whole

CONTAINER: dict[str, Any] = {
    "image": "registry.example/vllm:v0.26.0",
    "args": ["--model", "$(MODEL)", "--port=8000", "--enforce-eager"],
    "env": [
        {"name": "MODEL", "value": "org/m"},
        {"name": "HF_TOKEN", "value": "hidden-1"},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s3", "key": "id"}}},
        {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ],
    "resources": {"limits": {"memory": "24Gi", "cpu": 7, "nvidia.com/gpu": "1"}},
    "volumeMounts": [
        {"name": "weights", "mountPath": "/models"},
        {"name": "cache", "mountPath": "/root/.cache", "subPath": "v1"},
        {"name": "shm", "mountPath": "/dev/shm"},
        {"name": "token", "mountPath": "/var/run/secrets/x"},
    ],
}
VOLUMES: list[dict[str, Any]] = [
    {"name": "cache", "hostPath": {"path": "/var/cache", "type": ""}},
    {"name": "weights", "persistentVolumeClaim": {"claimName": "w"}},
    {"name": "shm", "emptyDir": {"medium": "Memory"}},
    {"name": "token", "projected": {"sources": []}},
]
LABELS = {
    "node.kubernetes.io/instance-type": "g6.2xlarge",
    "topology.kubernetes.io/region": "us-east-1",
    "topology.kubernetes.io/zone": "us-east-1a",
    "nvidia.com/gpu.product": "NVIDIA-L4",
    "nvidia.com/cuda.driver.major": "570",
    "nvidia.com/cuda.driver.minor": "86",
    "nvidia.com/cuda.driver.rev": "10",
}
INFO = {
    "kubeletVersion": "v1.33.1",
    "containerRuntimeVersion": "containerd://1.7.27",
    "kernelVersion": "6.1.140",
    "osImage": "Amazon Linux 2023",
    "architecture": "amd64",
    "bootID": "b-1",
}


def node(labels: dict[str, str], **status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "node-1", "labels": LABELS | labels},
        "status": {"nodeInfo": INFO, **status},
    }


def engine_pod(**container: Any) -> dict[str, Any]:
    state = {"imageID": "registry.example/vllm@sha256:" + "4c" * 32}
    made = cluster.pod(ready=80, container=CONTAINER | container, state=state)
    made["spec"]["volumes"] = VOLUMES
    return made


def values(*objects: dict[str, Any]) -> dict[str, str]:
    """Of the one start that these objects tell of."""
    (start,) = cluster.told(*objects)
    return dict(start.fingerprint.values)


def test_a_pod_its_node_and_its_claim_tell_all_of_it() -> None:
    """What runs, with what, on what, and what that was made from; secrets are blacked out."""
    claim = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": "gpu-1", "labels": {"karpenter.sh/capacity-type": "spot"}},
        "status": {"nodeName": "node-1", "imageID": "ami-0abc", "conditions": []},
    }
    controller = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "karpenter-1",
            "labels": {"app.kubernetes.io/name": "karpenter", "helm.sh/chart": "karpenter-1.6.2"},
        },
    }

    assert {
        "image": "registry.example/vllm:v0.26.0",
        "image digest": "sha256:" + "4c" * 32,
        "model": "org/m",
        "accelerator": "NVIDIA-L4",
        "accelerators": "1",
        "driver": "570.86.10",
        "node type": "g6.2xlarge",
        "machine image": "ami-0abc",
        "region": "us-east-1",
        "zone": "us-east-1a",
        "capacity type": "spot",
        "kubelet": "v1.33.1",
        "container runtime": "containerd://1.7.27",
        "node provisioner": "Karpenter 1.6.2",
        "kernel": "6.1.140",
        "architecture": "amd64",
        "processors": "7",
        "memory limit": "24Gi",
        "volumes": "/dev/shm: emptyDir Memory; /models: persistentVolumeClaim w; "
        "/root/.cache: hostPath /var/cache at v1",
        "timed": "pod_created to pod_ready",
        "argument:--enforce-eager": "",
        "environment:HF_TOKEN": "***",
        "environment:KEY": "(secretKeyRef s3 id)",
        "environment:MODEL": "org/m",
        "environment:POD_NAME": "(fieldRef metadata.name)",
    } == values(engine_pod(), node({"karpenter.sh/nodepool": "gpu"}), claim, controller)


def test_a_node_group_without_a_claim() -> None:
    """What a managed node tells by its labels; its system stands for its image."""
    group = {
        "eks.amazonaws.com/nodegroup": "gpu",
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
        "nvidia.com/cuda.driver-version.full": "580.1.2",
    }
    found = values(engine_pod(), node(group))

    told = ("node provisioner", "capacity type", "driver", "machine image")
    assert ("EKS node group", "on-demand", "580.1.2", "Amazon Linux 2023") == tuple(
        found[name] for name in told
    )


def test_without_a_node_only_the_pod_tells() -> None:
    """Nothing is guessed from the names."""
    found = values(engine_pod())

    told = {"node type", "kubelet", "zone", "region", "node provisioner", "driver", "host"}
    assert not told & found.keys()


def test_the_log_tells_the_arguments_where_the_image_has_them() -> None:
    """A container without words starts what its image says."""
    (start,) = cluster.told(engine_pod(args=[], env=[]), logs={"vllm-0.log": "\n".join(whole())})

    assert "m" == start.fingerprint.values["model"]
    assert {"argument:", "environment:"} == start.fingerprint.whole


def test_two_pods_of_one_workload_are_alike() -> None:
    """Names that each pod has for itself are no difference."""
    one, other = engine_pod(), engine_pod()
    other["metadata"] |= {"name": "vllm-1", "uid": "uid-vllm-1"}
    (first,), (second,) = cluster.told(one), cluster.told(other)

    assert {} == first.fingerprint.differences(second.fingerprint)
