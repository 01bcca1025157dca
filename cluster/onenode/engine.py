"""
The real vLLM in a pod: Debian's Python in the image, vLLM from the machine.

`engine/prepare.py` makes an environment whose interpreter is a link to one of
the machine, which no image has. But what is installed there is only files for
Python 3.11, so the image's own 3.11 runs them when it is told where they lie.
The folder is mounted at the path it has on the machine, read-only, because
such an environment has its own path written into it.

What a start caches is in the container and goes with it, unless a volume is
mounted where VLLM_CACHE_ROOT and TORCHINDUCTOR_CACHE_DIR point.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

IMAGE = "localhost:5000/engine-base:1"
PYTHON = "/usr/bin/python3.11"
PORT = 8000
SERVED_AS = "tiny"
# `vllm` is a script whose first line names the machine's interpreter; this is what it calls.
COMMAND = (PYTHON, "-m", "vllm.entrypoints.cli.main", "serve")


def engine_pod(
    engine: Path,
    *,
    image: str = IMAGE,
    arguments: Sequence[str] = ("--max-model-len", "512"),
    environment: Mapping[str, str] | None = None,
    volumes: Sequence[Mapping[str, Any]] = (),
    mounts: Sequence[Mapping[str, Any]] = (),
    probe_period_s: int = 1,
) -> dict[str, Any]:
    """Give a pod's `spec` that serves the tiny model of the engine in `engine`."""
    given = {
        "PYTHONPATH": str(engine / "venv/lib/python3.11/site-packages"),
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        **(environment or {}),
    }
    served = ["--host", "0.0.0.0", "--port", str(PORT), "--served-model-name", SERVED_AS]  # noqa: S104 - the pod's own network
    container = {
        "name": "engine",
        "image": image,
        "command": [*COMMAND, str(engine / "model"), *served, *arguments],
        "env": [{"name": name, "value": value} for name, value in given.items()],
        "ports": [{"containerPort": PORT}],
        "readinessProbe": {
            "httpGet": {"path": "/health", "port": PORT},
            "periodSeconds": probe_period_s,
        },
        "volumeMounts": [
            {"name": "engine", "mountPath": str(engine), "readOnly": True},
            # A container is given 64 MB of shared memory, and vLLM's processes want more.
            {"name": "memory", "mountPath": "/dev/shm"},  # noqa: S108 - the container's own
            *mounts,
        ],
    }
    return {
        # Variables for each Service would reach vLLM too, which takes VLLM_PORT for its own.
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 10,
        "containers": [container],
        "volumes": [
            {"name": "engine", "hostPath": {"path": str(engine), "type": "Directory"}},
            {"name": "memory", "emptyDir": {"medium": "Memory"}},
            *volumes,
        ],
    }


def deployment(name: str, spec: Mapping[str, Any], *, namespace: str = "default") -> dict[str, Any]:
    """Give a Deployment of one pod that is replaced whole, never beside its successor."""
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": dict(spec)},
        },
    }
