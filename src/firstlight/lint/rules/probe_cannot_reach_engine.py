"""A probe or a Service that asks where nobody listens."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import said, same_namespace
from firstlight.lint.listening import Listens, declared, listens, may_answer, others
from firstlight.lint.pod_metadata import pod_labels
from firstlight.lint.probes import LIVENESS, READINESS, STARTUP, Probe, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import counted, mapping, mappings, text, within
from firstlight.readers.kube.label_selectors import selects
from firstlight.techniques.sources import Origin, Source

_ENDS = {
    STARTUP: "the kubelet kills it again and again",
    LIVENESS: "the kubelet kills it again and again",
    READINESS: "the pod never becomes ready",
}


def _check(scene: Scene) -> Iterator[Hit]:
    services = _by_label(s for s in scene.of_kind("Service", group="") if _forwards(s))
    for engine in scene.engines:
        at = listens(engine)
        if at is None:
            continue
        for kind in (STARTUP, LIVENESS, READINESS):
            probe = probe_of(engine, kind)
            if probe is not None:
                yield from _of_probe(engine, at, probe)
        labels = pod_labels(engine)
        for service in (one for label in labels.items() for one in services.get(label, ())):
            if same_namespace(engine, service) and _selects(service, labels):
                yield from _of_service(engine, at, service)


def _of_probe(engine: Engine, at: Listens, probe: Probe) -> Iterator[Hit]:
    how = next((h for h in ("httpGet", "tcpSocket") if mapping(probe.value.get(h))), None)
    if how is None or probe.value[how].get("host"):
        return
    asked = probe.value[how].get("port")
    port = _number(asked, [engine.container])
    pointer = f"{probe.pointer}/{how}/port"
    if port is None and _is_name(asked):
        why = f"the {probe.kind} asks the port {asked}, which the container does not have"
    elif port is None or _is_reached(engine, at, port):
        return
    elif port == at.port:
        why = f"the {probe.kind} asks port {port} of the pod's address, where the engine does not "
        why += f"answer: it listens on {at.says}"
    else:
        why = f"the {probe.kind} asks port {port}, and nothing listens there: the engine listens "
        why += f"on {at.says}"
    yield Hit(
        manifest=engine.manifest,
        pointer=pointer,
        what=f"{why}; {_ENDS[probe.kind]}",
        remedy=_remedy(at),
    )


def _of_service(engine: Engine, at: Listens, service: Manifest) -> Iterator[Hit]:
    everyone = [engine.container, *others(engine)]
    for index, one in enumerate(mappings(within(service.value, "spec", "ports"))):
        if text(one.get("protocol")) not in ("", "TCP"):
            continue
        asked = one.get("targetPort", one.get("port"))
        port = _number(asked, everyone)
        if port is None and _is_name(asked):
            why = f"the port {asked}, which no container of {said(engine)} has"
        elif port is None or _is_reached(engine, at, port):
            continue
        elif port == at.port:
            why = f"port {port} of {said(engine)}'s pods, where the engine listens on {at.says}"
        else:
            why = f"port {port} of {said(engine)}'s pods, where nothing listens: the engine is on "
            why += f"{at.says}"
        yield Hit(
            manifest=service,
            pointer=f"/spec/ports/{index}",
            what=f"the Service sends requests to {why}",
            severity=Severity.WARNING,
            remedy=_remedy(at),
        )


def _is_reached(engine: Engine, at: Listens, port: int) -> bool:
    """Whether something may answer at a port of the pod's address."""
    return (port == at.port and not at.on_loopback) or may_answer(engine, port)


def _number(asked: object, containers: list[Mapping[str, Any]]) -> int | None:
    """A port as a number; None where no container names it, or nobody can read it."""
    written = text(asked)
    if not written or written.isdecimal():
        return counted(asked) or None
    return next((n for c in containers if (n := declared(c, written)) is not None), None)


def _is_name(asked: object) -> bool:
    written = text(asked)
    return bool(written) and not written.isdecimal() and "$" not in written and "{" not in written


def _remedy(at: Listens) -> str:
    if at.on_loopback:
        return (
            "put a gateway beside the engine and name its port in the probes and the Service, or "
            "listen on all addresses where the engine has no development endpoints"
        )
    return f"name port {at.port}, or give the engine the --port that is asked"


def _forwards(service: Manifest) -> bool:
    """Whether it has an address of its own: others only lend a name to the pods."""
    spec = mapping(service.value.get("spec"))
    return (
        spec.get("clusterIP") != "None"
        and spec.get("type") != "ExternalName"
        and bool(mapping(spec.get("selector")))
    )


def _by_label(services: Iterable[Manifest]) -> Mapping[tuple[str, str], Sequence[Manifest]]:
    """Services by the first label that they ask for: thousands of them, each asked rarely."""
    found: dict[tuple[str, str], list[Manifest]] = {}
    for service in services:
        name, value = next(iter(mapping(within(service.value, "spec", "selector")).items()))
        found.setdefault((text(name), text(value)), []).append(service)
    return found


def _selects(service: Manifest, labels: Mapping[str, str]) -> bool:
    chosen = mapping(within(service.value, "spec", "selector"))
    return selects({"matchLabels": dict(chosen)}, labels)


RULE = Rule(
    code="probe-cannot-reach-engine",
    severity=Severity.ERROR,
    title="Probes and the Service must ask a port where something listens",
    why=(
        "The kubelet and a Service come to the pod's own address. An engine on --host 127.0.0.1 "
        "answers neither of them, nor does one on another --port; that a container declares a port "
        "opens none. The engine is up and fine, and is killed when the startup probe's budget is "
        "over, or never called ready. It happens with --host and --port that were changed for a "
        "gateway, and with the probes left behind. A Service that goes astray is a warning: "
        "probes do not notice."
    ),
    remedy="name the port of whatever listens on the pod's address: the engine's, or the gateway's",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/tasks/configure-pod-container/"
            "configure-liveness-readiness-startup-probes: host defaults to the pod's IP",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1: ports "
            "are informational",
        ),
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/cli/serve: --host, --port"),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
