"""
The few fields of raw objects that a measurement looks at.

Objects stay as the server sent them, because they are saved like that; absent and null
are the same, as they are to Kubernetes.
"""

from typing import Any

from firstlight.measure.pod.ports import Object

CONTROLLER_KINDS = {"ReplicaSet": "replicasets", "StatefulSet": "statefulsets"}


def metadata(object_: Object) -> dict[str, Any]:
    """What an object is called, and by whom it is owned."""
    return object_.get("metadata") or {}


def uid(object_: Object) -> str:
    """What tells an object from all others, also from a later one of its name."""
    return str(metadata(object_).get("uid") or "")


def name(object_: Object) -> str:
    """Its name, which a later one may have too."""
    return str(metadata(object_).get("name") or "")


def annotations(object_: Object) -> dict[str, str]:
    """Free texts on an object."""
    return metadata(object_).get("annotations") or {}


def labels(object_: Object) -> dict[str, str]:
    """What selectors look at."""
    return metadata(object_).get("labels") or {}


def spec(object_: Object) -> dict[str, Any]:
    """What is wanted of it."""
    return object_.get("spec") or {}


def status(object_: Object) -> dict[str, Any]:
    """What is so."""
    return object_.get("status") or {}


def controller(object_: Object) -> dict[str, Any] | None:
    """The owner that makes another when this one goes; None where nobody does."""
    owners = metadata(object_).get("ownerReferences") or []
    return next((owner for owner in owners if owner.get("controller")), None)


def node_of(pod: Object) -> str | None:
    """The node a pod is bound to; None while it waits for one."""
    return spec(pod).get("nodeName") or None


def condition(object_: Object, kind: str) -> dict[str, Any]:
    """A condition; empty where there is none of this kind."""
    found = status(object_).get("conditions") or []
    return next((one for one in found if one.get("type") == kind), {})


def is_ready(pod: Object) -> bool:
    """Whether the kubelet says that it serves."""
    return condition(pod, "Ready").get("status") == "True"


def lost_readiness(pod: Object) -> bool:
    """Whether a pod that is not Ready was so before: then its start is long over.

    A pod that never was has the condition from before its containers ran.
    """
    since = str(condition(pod, "Ready").get("lastTransitionTime") or "")
    running = [((one.get("state") or {}).get("running") or {}) for one in _container_statuses(pod)]
    began = [str(one["startedAt"]) for one in running if one.get("startedAt")]
    return bool(since and began) and since > max(began) and not is_ready(pod)


def is_leaving(pod: Object) -> bool:
    """Whether it has been told to end."""
    return bool(metadata(pod).get("deletionTimestamp"))


def is_over(pod: Object) -> bool:
    """Whether it ended for good: evicted, refused by the kubelet, or completed."""
    return status(pod).get("phase") in {"Failed", "Succeeded"}


def why_over(pod: Object) -> str:
    """What is said about a pod that ended."""
    told = status(pod)
    words = [str(told.get(key)) for key in ("reason", "message") if told.get(key)]
    return ": ".join(words) or str(told.get("phase") or "it is gone")


def restarts(pod: Object) -> int:
    """How often its containers were started again."""
    return sum(int(one.get("restartCount") or 0) for one in _container_statuses(pod))


def unscheduled_words(pod: Object) -> str | None:
    """The scheduler's reason for leaving a pod without a node; None where it gave none."""
    told = condition(pod, "PodScheduled")
    return (
        str(told.get("message")) if told.get("status") == "False" and told.get("message") else None
    )


def troubles(pod: Object) -> tuple[str, ...]:
    """Which containers are not up, and what is said about each."""
    said = []
    for one in _container_statuses(pod):
        state = one.get("state") or {}
        waiting, ended = state.get("waiting"), state.get("terminated")
        if waiting and waiting.get("reason"):
            said.append(f"{one.get('name')} waits ({_words(waiting)})")
        elif ended and ended.get("exitCode"):
            said.append(f"{one.get('name')} ended with exit code {ended['exitCode']}")
        elif state.get("running") and not one.get("ready"):
            said.append(f"{one.get('name')} runs and is not ready")
    return tuple(said)


def _words(told: dict[str, Any]) -> str:
    return ": ".join(str(told[key]) for key in ("reason", "message") if told.get(key))


def _container_statuses(pod: Object) -> list[dict[str, Any]]:
    told = status(pod)
    running = (told.get("initContainerStatuses") or []) + (told.get("containerStatuses") or [])
    # An init container that did its work is nobody's trouble.
    return [one for one in running if not _is_done(one)]


def _is_done(one: dict[str, Any]) -> bool:
    ended = (one.get("state") or {}).get("terminated") or {}
    return ended.get("exitCode") == 0
