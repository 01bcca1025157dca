"""
Where an object has its pod, and which of its containers is the engine's.

Every kind that makes pods has a template of one at some depth. Those of Kubernetes and the
well-known custom ones are listed; of any other kind, one that has containers where a
Deployment has them is taken for what it looks like. KServe's kinds hold a part of a pod: its
controller adds to it what another object says. That part is looked at, and not changed.

Which container is the engine's is rated by `readers.engine_likelihood`, as it is for a pod
that ran; here is what of a manifest goes into that.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.manifests.forms import LIKE_A_POD, first_wrong
from firstlight.manifests.kinds import is_known, kind_of
from firstlight.readers.engine_likelihood import Likelihood, engine_likelihood
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.gpus import gpus

_TEMPLATES = {
    "Pod": ("/spec",),
    "CronJob": ("/spec/jobTemplate/spec/template/spec",),
    "LeaderWorkerSet": (
        "/spec/leaderWorkerTemplate/leaderTemplate/spec",
        "/spec/leaderWorkerTemplate/workerTemplate/spec",
    ),
}
_PARTS = {
    "ServingRuntime": ("/spec",),
    "ClusterServingRuntime": ("/spec",),
    "InferenceService": ("/spec/predictor",),
}
_ANY = _TEMPLATES | _PARTS
_DEFAULT = ("/spec/template/spec",)
COMMAND_FIELDS = ("command", "args")
"""Where a container's words stand, in the order in which they are started."""


def pod_pointers(value: dict[str, Any]) -> tuple[str, ...]:
    """Where the object has pods; empty where it has none."""
    pointers = _ANY.get(kind_of(value), _DEFAULT)
    found = tuple(p for p in pointers if _containers(value_at(value, p)))
    if found and not is_known(value) and first_wrong(value_at(value, found[0]), LIKE_A_POD):
        # It has containers where a Deployment has them, and they are something else.
        return ()
    return found


def is_part(value: dict[str, Any]) -> bool:
    """Whether the object holds a part of a pod, which its controller makes a whole one of."""
    return kind_of(value) in _PARTS


def lone_container(value: dict[str, Any]) -> str:
    """
    The field of a part of a pod that is a container by itself; empty where there is none.

    KServe puts such a `model` on top of the container that a ServingRuntime says: resources and
    some arguments stand here, the image and the others there.
    """
    model = value_at(value, "/spec/predictor/model")
    return "model" if kind_of(value) == "InferenceService" and isinstance(model, dict) else ""


def command_items(container: dict[str, Any]) -> list[str]:
    """The words of command and args together."""
    return [item for field in COMMAND_FIELDS for item in _items(container, field)]


def likelihood(container: dict[str, Any]) -> Likelihood:
    """How much speaks for a container being the engine's."""
    command, args = (_items(container, field) for field in COMMAND_FIELDS)
    return engine_likelihood(
        name=str(container.get("name")),
        image=str(container.get("image") or ""),
        command=command,
        args=args,
        gpus=gpus(container.get("resources")) > 0,
    )


def engine_containers(pod: dict[str, Any]) -> tuple[int, ...]:
    """The containers that may be the engine's: one, several that nothing tells apart, or none."""
    rated = [likelihood(c) for c in _containers(pod)]
    best = max(rated, default=Likelihood.NONE)
    if best < Likelihood.LIKELY:
        # One that speaks of vLLM and one that asks for GPUs: either may be a client or a trainer.
        return tuple(at for at, rate in enumerate(rated) if rate > Likelihood.NONE)
    return tuple(at for at, rate in enumerate(rated) if rate == best)


def is_sidecar(container: dict[str, Any]) -> bool:
    """Whether an initContainer goes on running beside the others."""
    return container.get("restartPolicy") == "Always"


def sidecars(pod: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """The initContainers that go on running beside the others."""
    return tuple(c for c in pod.get("initContainers") or [] if is_sidecar(c))


def all_containers(pod: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those that run before, then those that run together."""
    yield from pod.get("initContainers") or []
    yield from pod.get("containers") or []


def _containers(pod: Any) -> list[dict[str, Any]]:
    found = pod.get("containers") if isinstance(pod, dict) else None
    good = isinstance(found, list) and all(isinstance(c, dict) for c in found)
    return list(found) if found and good else []


def _items(container: dict[str, Any], field: str) -> list[str]:
    return [str(item) for item in container.get(field) or []]
