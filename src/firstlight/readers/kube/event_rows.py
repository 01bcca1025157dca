"""
One row of a table of events, before its ages mean anything.

Tables come with headers and without, with columns that their author chose, with blank
cells, cut at any column, copied until nothing is aligned. A row is read by its header
where that fits, and otherwise by the shapes that only a row has. Which moment an age is
counted from is decided later, in `capture_moment`.
"""

import re
from dataclasses import dataclass

from firstlight.readers.kube.event_messages import named_in
from firstlight.readers.kube.printed_moments import UNKNOWN, Occurrences, Printed, named_ns

REPEATING = frozenset(
    {
        *("Unhealthy", "BackOff", "FailedScheduling", "FailedMount", "FailedAttachVolume"),
        *("FailedCreatePodSandBox", "Failed", "FailedSync", "FailedCreate", "NotTriggerScaleUp"),
        *("Nominated", "DisruptionBlocked", "Unconsolidatable", "ProbeWarning", "FailedKillPod"),
    }
)
"""One object counts many of these: where it was last seen is not where it began."""

_KINDS = {
    "pod": "Pod",
    "node": "Node",
    "nodeclaim": "NodeClaim",
    "nodepool": "NodePool",
    "replicaset": "ReplicaSet",
    "deployment": "Deployment",
    "statefulset": "StatefulSet",
    "daemonset": "DaemonSet",
    "job": "Job",
    "persistentvolumeclaim": "PersistentVolumeClaim",
    "horizontalpodautoscaler": "HorizontalPodAutoscaler",
}
_OBJECT = re.compile(r"([A-Za-z][A-Za-z0-9.]{0,80})/([A-Za-z0-9][A-Za-z0-9.:_-]{0,252})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An event as a table shows it."""

    line: int
    text: str
    """The row, verbatim."""
    reason: str
    message: str = ""
    type: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    container: str = ""
    image: str = ""
    """That the message names; a pod's description knows whose it is."""
    component: str = ""
    first: Printed | None = None
    last: Printed | None = None
    count: int = 1
    named_ns: int | None = None
    """From the end of the event's own name."""
    recorded: Printed | None = None


def row(
    *,
    line: int,
    text: str,
    cells: dict[str, str],
    seen: Occurrences,
    recorded: Printed | None = None,
) -> Row:
    """A row from its cells by what they hold: reason, message, object, source, ..."""
    message = _cell(cells, "message")
    named = named_in(message)
    kind, name = split_object(_cell(cells, "object"))
    kind = kind or capitalised(_cell(cells, "kind"))
    event_name = _cell(cells, "name")
    finest = named_ns(event_name)
    if not name:
        name = event_name if finest is None else event_name.rpartition(".")[0]
    about_pod = kind in ("", "Pod")
    if about_pod and not name and named.pod:
        kind, name = "Pod", named.pod
    return Row(
        line=line,
        text=text,
        reason=_cell(cells, "reason"),
        message=message,
        type=_cell(cells, "type"),
        kind=kind,
        name=name,
        namespace=_cell(cells, "namespace") or (named.namespace if about_pod else ""),
        uid=named.uid if about_pod else "",
        container=_in_braces(_cell(cells, "subobject")) or named.container,
        image=named.image,
        component=_cell(cells, "source").partition(",")[0].strip(),
        first=seen.first,
        last=seen.last,
        count=seen.count,
        named_ns=finest,
        recorded=recorded,
    )


def split_object(text: str) -> tuple[str, str]:
    """`pod/vllm-0` as kind and name; a bare name has no kind."""
    found = _OBJECT.fullmatch(text)
    return (capitalised(found[1]), found[2]) if found else ("", text)


def capitalised(kind: str) -> str:
    """A kind as the API writes it, from a table's lower case and without its group."""
    plain = kind.partition(".")[0]
    return _KINDS.get(plain.lower(), plain[:1].upper() + plain[1:])


def _cell(cells: dict[str, str], role: str) -> str:
    text = cells.get(role, "")
    return "" if text in UNKNOWN else text


def _in_braces(field_path: str) -> str:
    """The container of `spec.containers{vllm}`."""
    _, brace, rest = field_path.partition("{")
    return rest.rstrip("}") if brace else ""
