"""
The Deployment that runs the engine.

Recreate, because a second pod beside the first would need a second GPU. The command is
written out: what the official image runs by itself has changed between versions. Service
links stay off, because a Service called vllm would set VLLM_PORT, which the engine reads. A
start may take longer than the ten minutes after which Kubernetes calls a rollout failed, so
the deadline follows the probes.
"""

import re

from firstlight.manifests.intent import Intent
from firstlight.manifests.karpenter_references import POOL_LABEL
from firstlight.manifests.objects import Value
from firstlight.manifests.set.node_pool import GPU
from firstlight.manifests.set.part import Part, labels
from firstlight.manifests.set.probes import Probes, probes
from firstlight.manifests.set.shared_memory import shared_memory
from firstlight.readers.engine_program import DEFAULT_PORT

ENGINE = "vllm"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - where the kernel has it, inside the container
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
_BEFORE_CONTAINER_S = 600
"""For a node to come and an image to arrive: six times the reference case's."""
_VERSION = re.compile(r":v?0\.([0-9]+)\.[0-9]")
_OFFLINE_FROM_MINOR = 20
"""Older engines take an s3:// model for a name on the hub when they are told to stay offline."""


def workload(intent: Intent) -> Part:
    """The Deployment."""
    asks = probes(intent, port=DEFAULT_PORT)
    pod: Value = {"metadata": {"labels": labels(intent.name)}, "spec": _pod(intent, asks)}
    if intent.experiment:
        pod["metadata"]["annotations"] = {DO_NOT_DISRUPT: "true"}
    return Part(
        objects=(
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {
                    "name": intent.name,
                    "namespace": intent.namespace,
                    "labels": labels(intent.name),
                },
                "spec": {
                    "replicas": intent.replicas,
                    "strategy": {"type": "Recreate"},
                    "progressDeadlineSeconds": _BEFORE_CONTAINER_S + asks.allowed_s,
                    "selector": {"matchLabels": labels(intent.name)},
                    "template": pod,
                },
            },
        ),
        assumptions=(*asks.assumptions, *_assumptions(intent)),
    )


def _pod(intent: Intent, asks: Probes) -> Value:
    return {
        "serviceAccountName": intent.name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": {POOL_LABEL: intent.cluster_wide_name},
        "tolerations": [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}],
        "containers": [_engine(intent, asks)],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": shared_memory(intent)}},
        ],
    }


def _engine(intent: Intent, asks: Probes) -> Value:
    return {
        "name": ENGINE,
        "image": intent.image,
        "command": ["vllm", "serve"],
        "args": [
            intent.model.rstrip("/"),
            f"--served-model-name={intent.model_name}",
            *intent.arguments,
        ],
        "env": [{"name": name, "value": value} for name, value in _environment(intent).items()],
        "ports": [{"name": "http", "containerPort": DEFAULT_PORT}],
        "resources": _resources(intent),
        "startupProbe": asks.startup,
        "readinessProbe": asks.readiness,
        "livenessProbe": asks.liveness,
        "volumeMounts": [
            {"name": "shm", "mountPath": _SHARED_MEMORY},
        ],
    }


def _environment(intent: Intent) -> dict[str, str]:
    given = {"AWS_REGION": intent.region}
    if _stays_offline(intent):
        given["HF_HUB_OFFLINE"] = "1"
    return given | intent.environment


def _stays_offline(intent: Intent) -> bool:
    version = _VERSION.search(intent.image)
    return version is None or int(version[1]) >= _OFFLINE_FROM_MINOR


def _resources(intent: Intent) -> Value:
    gpus = str(intent.gpu.count)
    requests, limits = {GPU: gpus}, {GPU: gpus}
    if intent.cpu:
        requests["cpu"] = intent.cpu
    if intent.memory:
        requests["memory"] = limits["memory"] = intent.memory
    return {"requests": requests, "limits": limits}


def _assumptions(intent: Intent) -> tuple[str, ...]:
    found = []
    if intent.served_model_name is None:
        found.append(
            f"served_model_name was not stated: clients call the model {intent.model_name}"
        )
    if intent.shm is None:
        found.append(
            f"shm was not stated: /dev/shm has {shared_memory(intent)}, taken from the pod's memory"
        )
    missing = [name for name in ("cpu", "memory") if getattr(intent, name) is None]
    if missing:
        verb = "was" if len(missing) == 1 else "were"
        found.append(
            f"{' and '.join(missing)} {verb} not stated: the pod asks for none and may share the "
            "node's with others"
        )
    if not _stays_offline(intent):
        found.append(
            f"HF_HUB_OFFLINE is not set: before 0.{_OFFLINE_FROM_MINOR} the engine then refuses "
            "a model in s3://"
        )
    if intent.gpu.count > 1 and not _is_parallel(intent):
        found.append(
            f"the pod has {intent.gpu.count} GPUs and no argument uses them: add "
            f"--tensor-parallel-size={intent.gpu.count} to arguments"
        )
    return tuple(found)


def _is_parallel(intent: Intent) -> bool:
    return any(
        word.partition("=")[0].replace("_", "-")
        in {
            "-tp",
            "--tensor-parallel-size",
            "-pp",
            "--pipeline-parallel-size",
            "-dp",
            "--data-parallel-size",
        }
        for word in intent.arguments
    )
