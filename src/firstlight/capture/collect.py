"""
One capture, from a name to a bundle.

What vanishes first is fetched first: the pods, then the events, then the rest, and the
logs last, because they are long. Everything is asked for; what is refused or gone is
noted, and the bundle is made of what there is. Secrets are learnt from all specs
before anything is written.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.capture.bundle import as_list
from firstlight.capture.logs import Logs, fetch_logs
from firstlight.capture.lookup import Workload, found
from firstlight.capture.ports import (
    BundleFolder,
    ClockDifference,
    Cluster,
    NewBundle,
    Progress,
)
from firstlight.capture.redaction import Redaction
from firstlight.capture.stamps import created_ns, event_ns, length
from firstlight.capture.surroundings import (
    EVENTS,
    EVENTS_NEW,
    NODE_CLAIMS,
    Surroundings,
    subject,
    surroundings,
)
from firstlight.core.moments import rfc3339
from firstlight.core.objects import Object, name, uid
from firstlight.core.records import BUNDLE
from firstlight.core.units import NS_PER_S
from firstlight.core.workloads import Target

_EVENTS_LIVE_NS = 3600 * NS_PER_S
_LATE_NS = 60 * NS_PER_S
_SKEW_NS = 2 * NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to capture."""

    target: Target
    captured_at_ns: int
    """Our wall clock."""
    version: str
    """firstlight's own."""
    most_log_bytes: int | None = None
    """Of each log; None for all of it."""


def capture(
    order: Order, *, cluster: Cluster, new_bundle: NewBundle, progress: Progress
) -> dict[str, Any]:
    """
    Make a bundle; what bundle.json says is the answer.

    Raises:
        BadInput: there is no such target.
        NothingFound: it has no pod.
        OutsideFailed: the target may not be read, the cluster is gone, or the disk is full.
    """
    progress("asking the API server")
    server_version = cluster.server_version()
    progress(f"looking for {order.target} in namespace {cluster.namespace}")
    workload = found(cluster, order.target)
    progress(f"reading what happened around {_pods(workload)}")
    seen = surroundings(cluster, workload)
    redaction = Redaction()
    tops = [workload.top] if workload.top else []
    redaction.learn([*workload.pods, *workload.replica_sets, *tops])
    with new_bundle() as folder:
        files = _write_objects(folder, workload, seen, redaction)
        logs = fetch_logs(
            cluster,
            workload.pods,
            folder,
            redaction,
            most_bytes=order.most_log_bytes,
            progress=progress,
        )
        notes = [
            *_clock_notes(cluster.clock_difference),
            *_event_notes(order, workload, seen, cluster.clock_difference),
            *seen.notes,
            *logs.notes,
        ]
        document = {
            "schema": BUNDLE.schema,
            "captured_at": rfc3339(order.captured_at_ns),
            "captured_at_ns": order.captured_at_ns,
            "firstlight": order.version,
            "target": str(order.target),
            "namespace": cluster.namespace,
            "server_version": server_version,
            "clock_difference_ns": _difference(cluster.clock_difference),
            "pods": [name(pod) for pod in workload.pods],
            "files": [*files, *(kept["file"] for kept in logs.kept)],
            "logs": logs.kept,
            "karpenter": seen.has_karpenter,
            "not_allowed": _refused(workload, seen, logs),
            "notes": [redaction.text(note, where=f"{BUNDLE.file}: notes") for note in notes],
        }
        document["removed"] = redaction.as_json()
        folder.write(BUNDLE.file, document)
    return document


def _write_objects(
    folder: BundleFolder, workload: Workload, seen: Surroundings, redaction: Redaction
) -> list[str]:
    refused = {one.resource for one in [*workload.refused, *seen.refused]}
    lists: list[tuple[str, list[Object], bool]] = [
        ("pods.json", workload.pods, True),
        ("events.json", seen.events, EVENTS not in refused),
        ("events.v1.json", seen.events_new, EVENTS_NEW not in refused),
        ("nodes.json", seen.nodes, "nodes" not in refused),
        ("nodeclaims.json", seen.node_claims, seen.has_karpenter and NODE_CLAIMS not in refused),
        ("replicasets.json", workload.replica_sets, "replicasets" not in refused),
    ]
    files = []
    for file, objects, readable in lists:
        if objects or readable:
            cleaned = (redaction.cleaned(one, file=file) for one in objects)
            folder.write(file, as_list(cleaned))
            files.append(file)
    if workload.top is not None:
        file = f"{str(workload.top.get('kind', 'deployment')).lower()}.json"
        folder.write(file, redaction.cleaned(workload.top, file=file))
        files.append(file)
    return files


def _refused(workload: Workload, seen: Surroundings, logs: Logs) -> list[dict[str, str]]:
    refused = dict.fromkeys([*workload.refused, *seen.refused, *logs.refused])
    return [one.as_json() for one in refused]


def _clock_notes(difference: ClockDifference | None) -> Iterator[str]:
    if difference is None:
        return
    if not difference.agreed:
        yield "the API server's answers disagree about the time: a clock was set, or several answer"
    ahead = difference.lowest_ns > _SKEW_NS
    if ahead or difference.highest_ns < -_SKEW_NS:
        by_ns = difference.lowest_ns if ahead else -difference.highest_ns
        yield (
            f"the API server's clock is at least {length(by_ns)} "
            f"{'ahead of' if ahead else 'behind'} this machine's"
        )


def _event_notes(
    order: Order, workload: Workload, seen: Surroundings, difference: ClockDifference | None
) -> Iterator[str]:
    """Which pods are older than what is left of their events."""
    if any(one.resource == EVENTS and one.namespace for one in seen.refused):
        return
    now_ns = order.captured_at_ns + (difference.lowest_ns if difference else 0)
    for pod in workload.pods:
        born_ns = created_ns(pod)
        if born_ns is None or now_ns - born_ns < _EVENTS_LIVE_NS:
            continue
        first_ns = min(_first_moments(pod, seen.events), default=None)
        age = length(now_ns - born_ns)
        kept = "events are kept for one hour unless the API server was told otherwise"
        if first_ns is None:
            yield (
                f"no event about {name(pod)} is left, which is {age} old ({kept}): "
                "scheduling, image_pull and container_setup come from the pod's conditions alone"
            )
        elif first_ns - born_ns > _LATE_NS:
            yield (
                f"the events about {name(pod)} begin {length(first_ns - born_ns)} after it was "
                f"created ({kept}): those of its start have expired"
            )


def _first_moments(pod: Object, events: Iterable[Object]) -> Iterator[int]:
    for event in events:
        moment = event_ns(event)
        if subject(event)[2] == uid(pod) and moment is not None:
            yield moment


def _difference(difference: ClockDifference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "lowest": difference.lowest_ns,
        "highest": difference.highest_ns,
        "agreed": difference.agreed,
    }


def _pods(workload: Workload) -> str:
    first, *more = (name(pod) for pod in workload.pods)
    return f"{first} and {len(more)} more" if more else first
