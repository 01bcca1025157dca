"""A Service whose name makes Kubernetes set variables that vLLM reads as its own."""

from collections.abc import Iterator
from typing import Any

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import same_namespace
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import mapping
from firstlight.techniques.sources import Origin, Source

_READ_AS_NUMBERS = frozenset(
    {
        "VLLM_PORT",
        "VLLM_DP_MASTER_PORT",
        "VLLM_NIXL_SIDE_CHANNEL_PORT",
        "VLLM_P2P_SIDE_CHANNEL_PORT",
        "VLLM_EC_SIDE_CHANNEL_PORT",
        "VLLM_MOONCAKE_BOOTSTRAP_PORT",
    }
)
"""Every variable of vLLM that a link can have the name of."""
_STRICT = "--fail-on-environ-validation"


def _check(scene: Scene) -> Iterator[Hit]:
    # Knative has a Service too, and makes no links.
    services = scene.of_kind("Service", group="")
    linked = [s for s in services if _prefix(s).startswith("VLLM") and _has_address(s.value)]
    read = [s for s in linked if _port(s) in _READ_AS_NUMBERS]
    for engine in scene.engines:
        if not linked or engine.pod.get("enableServiceLinks") is False:
            continue
        for service in linked if engine.has(_STRICT) is True else read:
            if same_namespace(engine, service):
                yield from _of(engine, service)


def _of(engine: Engine, service: Manifest) -> Iterator[Hit]:
    port, name = _port(service), service.identity.name
    if port in engine.variables or not port.startswith("VLLM_"):
        # What a container sets itself wins over a link.
        return
    ends = (
        f"{port}=tcp://ADDRESS:PORT in this pod, and vLLM takes that for its own port and ends"
        if port in _READ_AS_NUMBERS
        else f"{port} and others in this pod, and with {_STRICT} vLLM ends at a variable that it "
        "does not know"
    )
    mine, its = engine.workload.namespace, service.identity.namespace
    # One of them goes to whatever namespace it is applied to.
    applied = mine or its if mine != its else ""
    lone = "the engine" if its else "the Service"
    yield Hit(
        manifest=engine.manifest,
        pointer=engine.workload.pod_pointer,
        what=f"the Service {name} ({_where(service)}) makes Kubernetes set {ends}"
        + (f", if {lone} is applied to namespace {applied}, too" if applied else ""),
        severity=Severity.WARNING if applied else None,
    )


def _where(service: Manifest) -> str:
    namespace = service.identity.namespace
    said = f"namespace {namespace}, " if namespace else ""
    return said + service.place()


def _port(service: Manifest) -> str:
    return f"{_prefix(service)}_PORT"


def _prefix(service: Manifest) -> str:
    return service.identity.name.upper().replace("-", "_")


def _has_address(service: dict[str, Any]) -> bool:
    """Whether it has an address of its own: Kubernetes links no other."""
    spec = mapping(service.get("spec"))
    return spec.get("clusterIP") != "None" and spec.get("type") != "ExternalName"


RULE = Rule(
    code="service-named-vllm",
    severity=Severity.ERROR,
    title="A Service must not be called vllm where service links are on",
    why=(
        "For each Service of a namespace Kubernetes sets variables in every pod that starts after "
        "it, named after the Service. One called vllm gives VLLM_PORT, which vLLM reads for ports "
        "of its own and which is no number: the engine ends while it starts. The first pod may "
        "have come before the Service, so it shows with the second start. From 0.20 on other names "
        "that begin with vllm bring a warning for each variable."
    ),
    remedy="set enableServiceLinks: false in the pod's spec, or call the Service otherwise",
    sources=(
        Source(origin=Origin.UPSTREAM, where="vllm/envs.py get_vllm_port, 0.32"),
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/configuration/env_vars"),
        Source(origin=Origin.REPORTED, where="github.com/vllm-project/vllm/issues/34199"),
        Source(
            origin=Origin.MEASURED,
            where="VLLM_PORT=tcp://10.0.0.1:80 with vLLM 0.32: enable_envs_cache raises ValueError",
        ),
    ),
    check=_check,
    techniques=("compile-cache-local",),
)
