"""
What a measurement looks at in raw pods and nodes, beyond what everybody does.
"""

from typing import Any

from firstlight.core.objects import Object, condition, metadata, spec, status


def annotations(object_: Object) -> dict[str, str]:
    """Free texts on an object."""
    return metadata(object_).get("annotations") or {}


def labels(object_: Object) -> dict[str, str]:
    """What selectors look at."""
    return metadata(object_).get("labels") or {}


def node_of(pod: Object) -> str | None:
    """The node a pod is bound to; None while it waits for one."""
    return spec(pod).get("nodeName") or None


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
