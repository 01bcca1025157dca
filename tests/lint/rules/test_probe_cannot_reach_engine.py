"""Where the engine listens, and where probes and Services ask."""

from typing import Any

import pytest

from tests.lint.judging import judged
from tests.lint.rules.engines import engine, says, written

CODE = "probe-cannot-reach-engine"
LOOPBACK = "--host=127.0.0.1"


def asks(port: object, **fields: Any) -> dict[str, Any]:
    return {"httpGet": {"path": "/health", "port": port, **fields}}


def beside(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "gateway", "image": "gateway:2.1.0", **fields}]}


def service(port: object = 8000, **fields: Any) -> str:
    spec = {"selector": {"app": "qwen"}, "ports": [{"port": 80, "targetPort": port}], **fields}
    return written("Service", "qwen", spec)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
@pytest.mark.parametrize("kind", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_loopback_is_not_reached(host: str, kind: str) -> None:
    """The kubelet asks the pod's address."""
    [what] = says(CODE, engine("--host", host, container={kind: asks(8000)}))
    assert what.startswith(f"the {kind} asks port 8000 of the pod's address")
    assert f"it listens on {host}:8000 only" in what


@pytest.mark.parametrize(
    "probe",
    [asks(8000), {"tcpSocket": {"port": 8000}}, asks("http"), asks("8000")],
)
def test_another_port_is_not_reached(probe: dict[str, Any]) -> None:
    """A port that the engine's container declares opens none."""
    ports = [{"name": "http", "containerPort": 8000}]
    text = engine("--port=8080", container={"startupProbe": probe, "ports": ports})
    what = (
        "the startupProbe asks port 8000, and nothing listens there: the engine listens on port "
        "8080; the kubelet kills it again and again"
    )
    assert [what] == says(CODE, text)


def test_a_port_that_nobody_named_is_not_reached() -> None:
    """A probe's port may be a name of its own container only."""
    [what] = says(CODE, engine(container={"readinessProbe": asks("http")}))
    assert what.startswith("the readinessProbe asks the port http, which the container does not")


@pytest.mark.parametrize(
    ("args", "probe"),
    [
        ((), asks(8000)),
        (("--host=0.0.0.0",), asks(8000)),
        (("--port=8080",), asks(8080)),
        (("--port=$(PORT)",), asks(8080)),
        (("--port", "$(ELSEWHERE)"), asks(8080)),
        (("--host", "$(POD_IP)"), asks(8000)),
        ((LOOPBACK,), asks(8000, host="127.0.0.1")),
        ((LOOPBACK,), {"exec": {"command": ["curl", "127.0.0.1:8000/health"]}}),
        (("--uds=/run/vllm.sock",), asks(9000)),
        (("--headless",), asks(9000)),
        ((), asks("${PORT}")),
    ],
)
def test_what_is_reached_or_not_known_is_fine(args: tuple[str, ...], probe: dict[str, Any]) -> None:
    """So is a probe that runs in the container."""
    text = engine(*args, env={"PORT": "8080"}, container={"startupProbe": probe})
    assert [] == says(CODE, text)


@pytest.mark.parametrize(
    "pod",
    [
        beside(ports=[{"containerPort": 8000}]),
        beside(args=["--listen", ":8000"], ports=[{"containerPort": 9090}]),
        beside(env=[{"name": "LISTEN", "value": "0.0.0.0:8000"}]),
        beside(),
        {"initContainers": [{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}]},
    ],
)
def test_another_container_may_answer(pod: dict[str, Any]) -> None:
    """One that declares the port, says its number, or declares no port at all."""
    text = engine(LOOPBACK, "--port=8001", pod=pod, container={"startupProbe": asks(8000)})
    assert [] == says(CODE, text)


def test_a_container_with_other_ports_does_not_answer() -> None:
    """An exporter of metrics is no gateway."""
    pod = beside(ports=[{"containerPort": 9400}])
    [what] = says(CODE, engine(LOOPBACK, pod=pod, container={"startupProbe": asks(8000)}))
    assert "127.0.0.1:8000 only" in what


def test_a_script_that_starts_more_may_answer() -> None:
    """Whatever runs beside the engine in its container is not known."""
    script = "nginx & vllm serve /models/qwen --port 8001"
    assert [] == says(CODE, engine(script=script, container={"startupProbe": asks(8000)}))


@pytest.mark.parametrize(
    ("args", "port", "said"),
    [
        ((LOOPBACK,), 8000, "port 8000 of Deployment/qwen's pods, where the engine listens on 127"),
        (("--port=8080",), 8000, "port 8000 of Deployment/qwen's pods, where nothing listens: the"),
        ((), "http", "the port http, which no container of Deployment/qwen has"),
    ],
)
def test_a_service_that_goes_astray_is_a_warning(
    args: tuple[str, ...], port: object, said: str
) -> None:
    """It is found in the Service."""
    linted = judged("\n---\n".join([engine(*args), service(port)]), [CODE])
    [found] = linted.findings
    assert "warning" == found.severity
    assert "Service" == found.object.kind
    assert f"the Service sends requests to {said}" in found.what


@pytest.mark.parametrize(
    "one",
    [
        service(8000),
        service(8080, clusterIP="None"),
        service(8080, selector={"app": "other"}),
        service(8080, selector={}),
        service(8080, type="ExternalName"),
        service("${PORT}"),
    ],
)
def test_a_service_that_reaches_it_or_is_not_its_own_is_fine(one: str) -> None:
    """A headless one lends a name, whatever its ports are."""
    assert [] == says(CODE, engine(), one)
