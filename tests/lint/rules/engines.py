"""Engines as text, for rules: a Deployment with one vLLM, and what a test puts into it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from firstlight.lint.scene import Stated
from tests.lint.judging import judged

IMAGE = "vllm/vllm-openai:v0.26.0"
HOST_PATH = {"hostPath": {"path": "/data/cache"}}
EMPTY_DIR: dict[str, Any] = {"emptyDir": {}}
CLAIM = {"persistentVolumeClaim": {"claimName": "cache"}}
VERSIONS = {
    "CronJob": "batch/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "StatefulSet": "apps/v1",
    "StorageClass": "storage.k8s.io/v1",
}
"""Of kinds that are not in the core group."""
CACHES = {
    "VLLM_CACHE_ROOT": "/cache/vllm",
    "TRITON_CACHE_DIR": "/cache/triton",
    "FLASHINFER_WORKSPACE_BASE": "/cache/flashinfer",
}


def engine(
    *args: str,
    name: str = "qwen",
    kind: str = "Deployment",
    image: str = IMAGE,
    model: str = "s3://models/qwen",
    env: Mapping[str, Any] | None = None,
    volumes: Mapping[str, Mapping[str, Any]] | None = None,
    mount: Mapping[str, Any] | None = None,
    script: str | None = None,
    limits: Mapping[str, str] | None = None,
    pod: Mapping[str, Any] | None = None,
    container: Mapping[str, Any] | None = None,
    namespace: str = "",
) -> str:
    """
    One object.

    Args:
        args: of the engine, behind the model.
        env: variables, each a value or a `valueFrom`.
        volumes: by the path where each is mounted.
        mount: fields of each mount.
        script: for a shell, instead of the arguments.
        pod: fields of the pod's spec; `containers` of it run beside the engine.
        container: fields of the engine's container.
    """
    entries = [
        {"name": k, "valueFrom": v} if isinstance(v, dict) else {"name": k, "value": v}
        for k, v in (env or {}).items()
    ]
    paths = list(volumes or {})
    names = {path: f"volume-{number}" for number, path in enumerate(paths)}
    started = (
        {"command": ["/bin/sh", "-c"], "args": [script]}
        if script is not None
        else {"command": ["vllm", "serve"], "args": [model, *args]}
    )
    beside = list((pod or {}).get("containers") or [])
    spec = {
        **(pod or {}),
        "containers": [
            {
                "name": "engine",
                "image": image,
                **started,
                "env": entries,
                "resources": {"limits": {"nvidia.com/gpu": "1", **(limits or {})}},
                "volumeMounts": [
                    {"name": names[path], "mountPath": path, **(mount or {})} for path in paths
                ],
                **(container or {}),
            },
            *beside,
        ],
        "volumes": [{"name": names[path], **(volumes or {})[path]} for path in paths],
    }
    return written(
        kind,
        name,
        {"template": {"metadata": {"labels": {"app": name}}, "spec": spec}},
        namespace=namespace,
    )


def written(kind: str, name: str, spec: Any = None, *, namespace: str = "", **fields: Any) -> str:
    """An object as a document."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    version = VERSIONS.get(kind, "v1")
    value = {
        "apiVersion": version,
        "kind": kind,
        "metadata": metadata,
        "spec": spec or {},
        **fields,
    }
    return json.dumps(value, indent=1)


def says(code: str, *objects: str, stated: Stated | None = None) -> list[str]:
    """What one rule says of these objects; every other is left out."""
    linted = judged("\n---\n".join(objects), [code], stated=stated)
    assert () == linted.not_judged
    return [one.what for one in linted.findings]


def hits(code: str, *objects: str, stated: Stated | None = None) -> bool:
    """Whether it says anything."""
    return bool(says(code, *objects, stated=stated))


def beside(name: str, volume: str, path: str) -> dict[str, Sequence[Any]]:
    """Fields of a pod in which an initContainer mounts a volume."""
    container = {"name": name, "image": "busybox:1.37", "volumeMounts": [_mount(volume, path)]}
    return {"initContainers": [container]}


def _mount(volume: str, path: str) -> dict[str, str]:
    return {"name": volume, "mountPath": path}
