"""
Where an object has its pod, and which of its containers is the engine's.

Every kind that makes pods has a template of one at some depth. Those of Kubernetes and the
well-known custom ones are listed; of any other kind, one that has containers where a
Deployment has them is taken for what it looks like.

A word of vLLM in a name is a weak sign: exporters, routers and clients have it too. So a
container whose command starts the engine, or that gives vLLM's own image its arguments,
comes first, then one that speaks of vLLM and asks for GPUs, then one that speaks of it,
then one that asks for GPUs.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.manifests.engine_program import engine_at, script_at
from firstlight.manifests.json_pointer import value_at
from firstlight.manifests.shell_words import UnclosedQuote, commands

_TEMPLATES = {
    "Pod": ("/spec",),
    "CronJob": ("/spec/jobTemplate/spec/template/spec",),
    "LeaderWorkerSet": (
        "/spec/leaderWorkerTemplate/leaderTemplate/spec",
        "/spec/leaderWorkerTemplate/workerTemplate/spec",
    ),
}
_DEFAULT = ("/spec/template/spec",)
_GPU_ENDINGS = ("/gpu", "/xpu", "/tpu", "/neuron", "/neuroncore")
_NONE, _GPU, _MENTIONED, _LIKELY, _STARTED = range(5)


def pod_pointers(value: dict[str, Any]) -> tuple[str, ...]:
    """Where the object has pods; empty where it has none."""
    pointers = _TEMPLATES.get(str(value.get("kind")), _DEFAULT)
    return tuple(p for p in pointers if _containers(value_at(value, p)))


def engine_likelihood(container: dict[str, Any]) -> int:
    """How much speaks for a container being the engine's; 0 is nothing."""
    words = [str(w) for f in ("command", "args") for w in container.get(f) or []]
    gpus = _asks_gpus(container)
    if _starts_engine(words) or (words and _is_engines_entrypoint(container, words, gpus=gpus)):
        return _STARTED
    said = any("vllm" in w.lower() for w in (str(container.get("name")), _image(container), *words))
    return (_LIKELY if gpus else _MENTIONED) if said else (_GPU if gpus else _NONE)


def engine_containers(pod: dict[str, Any]) -> tuple[int, ...]:
    """The containers that may be the engine's: one, or several that nothing tells apart."""
    rated = [engine_likelihood(c) for c in _containers(pod)]
    best = max(rated, default=0)
    if best == _NONE:
        return (0,) if len(rated) == 1 else tuple(range(len(rated)))
    return tuple(at for at, rate in enumerate(rated) if rate == best)


def all_containers(pod: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those that run before, then those that run together."""
    yield from pod.get("initContainers") or []
    yield from pod.get("containers") or []


def _containers(pod: Any) -> list[dict[str, Any]]:
    found = pod.get("containers") if isinstance(pod, dict) else None
    good = isinstance(found, list) and all(isinstance(c, dict) for c in found)
    return list(found) if found and good else []


def _starts_engine(words: list[str]) -> bool:
    if engine_at(words):
        return True
    script = script_at(words)
    if script is None:
        return False
    try:
        return any(engine_at([w.text for w in c]) for c in commands(words[script]))
    except UnclosedQuote:
        return False


def _is_engines_entrypoint(container: dict[str, Any], words: list[str], *, gpus: bool) -> bool:
    """Whether its arguments go to vLLM, because its image is vLLM's and nothing else is started."""
    name = _image(container).lower().rpartition("/")[2]
    own = name.startswith("vllm-openai") or ("vllm" in name and gpus)
    return own and not container.get("command") and script_at(words) is None


def _image(container: dict[str, Any]) -> str:
    return str(container.get("image") or "")


def _asks_gpus(container: dict[str, Any]) -> bool:
    resources = container.get("resources") or {}
    asked = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    return any(name.endswith(_GPU_ENDINGS) and str(n) != "0" for name, n in asked.items())
