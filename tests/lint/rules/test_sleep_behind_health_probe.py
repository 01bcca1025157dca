"""Readiness by `/health` of an engine that may sleep."""

from typing import Any

import pytest

from firstlight.lint.rules.sleep_behind_health_probe import RULE
from tests.lint.rules.around import deployment, engine, health, said_by

DEV = [{"name": "VLLM_SERVER_DEV_MODE", "value": "1"}]
SLEEPS = ["s3://models/qwen", "--enable-sleep-mode"]


def sleeping(**changes: Any) -> dict[str, Any]:
    return engine(**({"args": SLEEPS, "env": DEV, "readinessProbe": health()} | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"args": [*SLEEPS[:1], "--enable_sleep_mode"]},
        {"args": [*SLEEPS, "--port=9000"], "readinessProbe": {"tcpSocket": {"port": 9000}}},
        {
            "ports": [{"name": "http", "containerPort": 8000}],
            "readinessProbe": {"httpGet": {"path": "/health", "port": "http"}},
        },
        {"args": [*SLEEPS, "--host", "0.0.0.0"]},  # noqa: S104 - what people write
    ],
)
def test_a_probe_that_a_sleeping_engine_answers(changes: dict[str, Any]) -> None:
    """By name or number, HTTP or TCP."""
    assert 1 == len(said_by(RULE, deployment(sleeping(**changes))))


@pytest.mark.parametrize(
    "changes",
    [
        {"args": SLEEPS[:1]},
        {"env": []},
        {"env": [{"name": "VLLM_SERVER_DEV_MODE", "value": "0"}]},
        {"env": [{"name": "VLLM_SERVER_DEV_MODE", "valueFrom": {"secretKeyRef": {}}}]},
        {"args": [*SLEEPS, "--host=127.0.0.1", "--port=8001"]},
        {"args": [*SLEEPS, "--port=8001"]},
        {"readinessProbe": {"httpGet": {"path": "/ready", "port": 8000}}},
        {"readinessProbe": {"exec": {"command": ["curl", "localhost:8000/is_sleeping"]}}},
        {"readinessProbe": None},
        {"args": [*SLEEPS, "$(EXTRA_ARGS)"]},
    ],
)
def test_nobody_can_make_it_sleep_or_another_answers(changes: dict[str, Any]) -> None:
    """No sleep mode, no calls, a gateway's port, a probe that asks more, or unknown arguments."""
    assert [] == said_by(RULE, deployment(sleeping(**changes)))


def test_another_container_may_know() -> None:
    """The pod is ready only when its gateway is."""
    gateway = {"name": "gate", "image": "gate:1", "readinessProbe": {"httpGet": {"port": 8080}}}
    made = deployment(sleeping(), pod={"containers": [sleeping(), gateway]})

    assert [] == said_by(RULE, made)


@pytest.mark.parametrize("path", ["/ping", "/v1/models", "/version", "/metrics"])
def test_what_else_a_sleeping_engine_answers(path: str) -> None:
    """The server does, without asking the engine."""
    probe = {"httpGet": {"path": path, "port": 8000}}
    assert 1 == len(said_by(RULE, deployment(sleeping(readinessProbe=probe))))


@pytest.mark.parametrize(("value", "expected"), [("2", 1), ("01", 1), ("00", 0), ("true", 0)])
def test_the_switch_is_a_number(value: str, expected: int) -> None:
    """As vLLM reads it."""
    env = [{"name": "VLLM_SERVER_DEV_MODE", "value": value}]
    assert expected == len(said_by(RULE, deployment(sleeping(env=env))))


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [("0.0.0.0", "8000", 1), ("127.0.0.1", "8000", 0), ("0.0.0.0", "8001", 0)],  # noqa: S104
)
def test_host_and_port_may_stand_in_variables(host: str, port: str, expected: int) -> None:
    """Kubernetes puts them in."""
    env = [*DEV, {"name": "HOST", "value": host}, {"name": "PORT", "value": port}]
    made = sleeping(args=[*SLEEPS, "--host=$(HOST)", "--port=$(PORT)"], env=env)
    assert expected == len(said_by(RULE, deployment(made)))


def test_a_host_that_nobody_knows_is_no_hit() -> None:
    """A variable that comes from elsewhere."""
    assert [] == said_by(RULE, deployment(sleeping(args=[*SLEEPS, "--host=$(ELSEWHERE)"])))
