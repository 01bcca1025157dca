"""
The description of a pod, as a pod.

`kubectl describe pod` gives container states with stamps in the reader's own zone, and
conditions without any. Creation is not printed. What is not printed stays None.
"""

import re

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.described import Field, Section
from firstlight.readers.kube.described_stamps import field_stamp
from firstlight.readers.kube.gpus import gpus
from firstlight.readers.kube.model import (
    Condition,
    Container,
    ContainerKind,
    Pod,
    Probe,
    Run,
)
from firstlight.readers.kube.printed_moments import UNKNOWN

_GROUPS = ("Init Containers", "Containers")
_STATES = ("Running", "Waiting", "Terminated")
_PROBE = re.compile(
    r"(http-get|tcp-socket|exec|grpc)\b(.*?) delay=([0-9]{1,9})s timeout=[0-9]{1,9}s "
    r"period=([0-9]{1,9})s #success=[0-9]{1,9} #failure=([0-9]{1,9})"
)
_PORT_AND_PATH = re.compile(r"(:[A-Za-z0-9-]{1,63}) ?(/\S{0,1000})?")
_CELL_GAP = re.compile(r"\s{2,}")

POD_CONDITIONS = frozenset(
    {"PodScheduled", "ContainersReady", "PodReadyToStartContainers", "PodHasNetwork"}
)


def is_pod(section: Section) -> bool:
    """Whether a section describes a pod, or is a piece of such a description."""
    if section.has("Init Containers", "Containers", "Start Time", "Node-Selectors"):
        return True
    if any(c.type in POD_CONDITIONS for c in table_conditions(section)):
        return True
    return any(f.key in ("State", "Last State") and f.value in _STATES for f in section.fields)


def described_pod(artefact: str, section: Section) -> Pod:
    """The pod of a section."""
    status = section.top("Status")
    conditions = table_conditions(section)
    return Pod(
        artefact=artefact,
        name=_said(section.top("Name")),
        namespace=_said(section.top("Namespace")),
        node=_said(section.top("Node")).partition("/")[0],
        phase="" if status.startswith("Terminating") else status,
        reason=_said(section.top("Reason")),
        message=_said(section.top("Message")),
        conditions=conditions,
        containers=_containers(artefact, section),
        labels=section.pairs("Labels"),
        owner=_said(section.top("Controlled By")),
    )


def table_conditions(section: Section) -> tuple[Condition, ...]:
    """Conditions in two columns, Type and Status."""
    rows = [_CELL_GAP.split(f.text) for f in section.below("Conditions") if not f.key]
    return tuple(
        Condition(type=cells[0], status=cells[1])
        for cells in rows
        if len(cells) >= 2 and cells[1] in ("True", "False", "Unknown")  # noqa: PLR2004
    )


def _said(value: str) -> str:
    return "" if value in UNKNOWN else value


def _containers(artefact: str, section: Section) -> tuple[Container, ...]:
    found: list[Container] = []
    for group in _GROUPS:
        for name in dict.fromkeys(f.key for f in section.below(group) if f.key):
            inside = [f for f in section.fields if (group, name) == f.path[:2]]
            found.append(_container(artefact, name, group, [_within(f, 2) for f in inside]))
    loose = [f for f in section.fields if f.path[:1] not in (("Containers",), ("Init Containers",))]
    if not found and any(f.key in ("State", "Last State") for f in loose if not f.path):
        found.append(_container(artefact, "", "Containers", loose))
    return tuple(found)


def _within(field: Field, depth: int) -> Field:
    """The same field as its container sees it."""
    return Field(
        line=field.line,
        path=field.path[depth:],
        key=field.key,
        value=field.value,
        text=field.text,
    )


def _container(artefact: str, name: str, group: str, fields: list[Field]) -> Container:
    own = {f.key: f.value for f in reversed(fields) if not f.path and f.key}
    resources = {
        field: {f.key: f.value for f in fields if f.path == (field.capitalize(),)}
        for field in ("requests", "limits")
    }
    kind = ContainerKind.MAIN if group == "Containers" else ContainerKind.INIT
    if kind is ContainerKind.INIT and own.get("Restart Policy") == "Always":
        kind = ContainerKind.SIDECAR
    waiting = {f.key: f.value for f in fields if f.path == ("State",)}
    waits = own.get("State") == "Waiting"
    return Container(
        name=name,
        kind=kind,
        image=_said(own.get("Image", "")),
        image_id=_said(own.get("Image ID", "")),
        command=tuple(f.text for f in fields if f.path == ("Command",)),
        args=tuple(f.text for f in fields if f.path == ("Args",)),
        ready=own.get("Ready") == "True",
        restarts=_number(own.get("Restart Count", "")) or 0,
        current=None if waits else _run(artefact, fields, "State"),
        previous=_run(artefact, fields, "Last State"),
        waiting_reason=waiting.get("Reason", "") if waits else "",
        waiting_message=waiting.get("Message", "") if waits else "",
        startup_probe=_probe(own.get("Startup", "")),
        readiness_probe=_probe(own.get("Readiness", "")),
        liveness_probe=_probe(own.get("Liveness", "")),
        memory_limit=resources["limits"].get("memory", ""),
        gpus=gpus(resources),
    )


def _run(artefact: str, fields: list[Field], which: str) -> Run | None:
    """The run that `State` or `Last State` tells of."""
    head = next((f for f in fields if not f.path and f.key == which), None)
    if head is None or head.value not in ("Running", "Terminated"):
        return None
    said = {f.key: f for f in reversed(fields) if f.path == (which,) and f.key}
    words = {key: field.value for key, field in said.items()}
    ended = head.value == "Terminated"
    told = [head.text, *(said[k].text for k in ("Reason", "Exit Code", "Signal") if k in said)]
    return Run(
        started=field_stamp(artefact, said.get("Started"), Clock.NODE),
        finished=field_stamp(artefact, said.get("Finished"), Clock.NODE),
        exit_code=_number(words.get("Exit Code", "")) if ended else None,
        reason=words.get("Reason", ""),
        message=words.get("Message", ""),
        evidence=Evidence(artefact=artefact, line=head.line, text="; ".join(told))
        if ended
        else None,
    )


def _number(digits: str) -> int | None:
    return int(digits) if re.fullmatch(r"[0-9]{1,9}", digits) else None


def _probe(text: str) -> Probe | None:
    found = _PROBE.search(text[:2000])
    if not found:
        return None
    how, where, *numbers = found.groups()
    delay, period, failure = map(int, numbers)
    place = _PORT_AND_PATH.search(where.partition("//")[2] if how == "http-get" else where)
    port = place[1] if place else ""
    path = (place[2] or "") if place else ""
    words = {"http-get": f"GET {port}{path}", "tcp-socket": f"tcp {port}", "grpc": f"grpc {port}"}
    return Probe(
        what=words.get(how, how).strip(),
        initial_delay_s=delay,
        period_s=period,
        failure_threshold=failure,
    )
