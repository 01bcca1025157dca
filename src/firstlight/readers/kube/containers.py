"""
The containers of a pod: what its spec asks for, and what its status says became of them.

The two are lists that are matched by name. An initContainer that restarts always is a
sidecar (1.28 and later). The status keeps the present state and the last run before
it; runs before that are gone. A fragment without a spec has its statuses only.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.core.marks import Clock
from firstlight.readers.kube.fields import mapping, mappings, natural, text, whole, within, words
from firstlight.readers.kube.gpus import gpus
from firstlight.readers.kube.model import Container, ContainerKind, Run
from firstlight.readers.kube.mounts import read_mounts
from firstlight.readers.kube.probes import read_probe
from firstlight.readers.kube.stamps import Origin
from firstlight.readers.kube.variables import read_environment


def read_containers(pod: Mapping[str, Any], origin: Origin) -> tuple[Container, ...]:
    """Those that run before the others first, each list in its order."""
    init = _containers(pod, origin, "initContainers", "initContainerStatuses")
    main = _containers(pod, origin, "containers", "containerStatuses")
    return (*init, *main)


def _containers(
    pod: Mapping[str, Any], origin: Origin, in_spec: str, in_status: str
) -> Iterator[Container]:
    statuses = {
        text(status.get("name")): status for status in mappings(within(pod, "status", in_status))
    }
    asked = {text(spec.get("name")): spec for spec in mappings(within(pod, "spec", in_spec))}
    for name in asked | statuses:
        if name:
            yield _container(
                origin,
                f"status.{in_status}[{name}]",
                name=name,
                kind=_kind(asked.get(name, {}), in_spec),
                spec=asked.get(name, {}),
                status=statuses.get(name, {}),
                pod=pod,
            )


def _kind(spec: Mapping[str, Any], in_spec: str) -> ContainerKind:
    if in_spec == "containers":
        return ContainerKind.MAIN
    return ContainerKind.SIDECAR if spec.get("restartPolicy") == "Always" else ContainerKind.INIT


def _container(
    origin: Origin,
    path: str,
    *,
    name: str,
    kind: ContainerKind,
    spec: Mapping[str, Any],
    status: Mapping[str, Any],
    pod: Mapping[str, Any],
) -> Container:
    resources = mapping(spec.get("resources"))
    waiting = mapping(within(status, "state", "waiting"))
    return Container(
        name=name,
        kind=kind,
        image=text(spec.get("image")) or text(status.get("image")),
        image_id=text(status.get("imageID")),
        command=words(spec.get("command")),
        args=words(spec.get("args")),
        ready=status.get("ready") is True,
        restarts=natural(status.get("restartCount")) or 0,
        current=_run(status, origin, path, "state"),
        previous=_ended(status, origin, path, "lastState"),
        waiting_reason=text(waiting.get("reason")),
        waiting_message=text(waiting.get("message")),
        startup_probe=read_probe(spec, "startupProbe"),
        readiness_probe=read_probe(spec, "readinessProbe"),
        liveness_probe=read_probe(spec, "livenessProbe"),
        memory_limit=text(within(resources, "limits", "memory")),
        cpu_limit=_cpus(within(resources, "limits", "cpu")),
        gpus=gpus(resources),
        environment=read_environment(spec) if spec else None,
        mounts=read_mounts(pod, spec),
    )


def _cpus(written: object) -> str:
    number = natural(written)
    return text(written) if number is None else str(number)


def _run(status: Mapping[str, Any], origin: Origin, path: str, key: str) -> Run | None:
    state = mapping(status.get(key))
    if "running" in state and state["running"] is not None:
        place = f"{path}.{key}.running"
        running = mapping(state["running"])
        return Run(started=origin.stamp(running, "startedAt", Clock.NODE, within=place))
    return _ended(status, origin, path, key)


def _ended(status: Mapping[str, Any], origin: Origin, path: str, key: str) -> Run | None:
    end = mapping(within(status, key, "terminated"))
    if not end:
        return None
    place = f"{path}.{key}.terminated"
    code, signal, reason = whole(end.get("exitCode")), whole(end.get("signal")), end.get("reason")
    said = [f"exitCode: {code}" if code is not None else "", f"signal: {signal}" if signal else ""]
    said.append(f'reason: "{text(reason)}"' if text(reason) else "")
    return Run(
        started=origin.stamp(end, "startedAt", Clock.NODE, within=place),
        finished=origin.stamp(end, "finishedAt", Clock.NODE, within=place),
        exit_code=code,
        reason=text(reason),
        message=text(end.get("message")),
        evidence=origin.evidence(place, ", ".join(filter(None, said))),
    )
