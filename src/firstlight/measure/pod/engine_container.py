"""
Which container of a pod is the engine's.

Pods have sidecars. Whoever explains the start decides by the same words in the same order,
so that the figures measured and the log explained are of one container.
"""

from typing import Any

from firstlight.core.objects import Object, spec
from firstlight.readers.kube.gpus import gpus


def containers(pod: Object) -> list[dict[str, Any]]:
    """Those that run together; what runs before them is no engine."""
    return spec(pod).get("containers") or []


def engine_container(pod: Object) -> str | None:
    """
    The name of the container that the engine runs in; None where there is none at all.

    The one that speaks of vLLM; else the one that asks for GPUs; else the only one, or the
    first.
    """
    mains = containers(pod)
    for is_it in (_mentions_vllm, _asks_gpus):
        if found := [one for one in mains if is_it(one)]:
            return str(found[0].get("name"))
    return str(mains[0].get("name")) if mains else None


def _mentions_vllm(container: dict[str, Any]) -> bool:
    words = [container.get("name"), container.get("image")]
    words += (container.get("command") or []) + (container.get("args") or [])
    return any("vllm" in str(word).lower() for word in words)


def _asks_gpus(container: dict[str, Any]) -> bool:
    return gpus((container.get("resources") or {}).get("limits")) > 0
