"""An engine behind `firstlight gate`: who asks how it is, and who waits for whom at the end."""

from typing import Any

import pytest

from firstlight.cli.gate import command
from firstlight.lint.gateways import DRAIN_DELAY_S, DRAIN_S
from firstlight.lint.rules import engine_liveness_behind_gateway, gateway_drain_cut
from firstlight.lint.rules.liveness_without_startup_probe import RULE as NEEDS_STARTUP
from tests.lint.rules.around import deployment, engine, linted_by, said_by

LIVENESS, DRAIN = engine_liveness_behind_gateway.RULE, gateway_drain_cut.RULE
WORDS = ["gate", "--engine", "http://127.0.0.1:8001", "--listen", ":8000"]


def asks(path: str, port: int | str = 8000) -> dict[str, Any]:
    return {"httpGet": {"path": path, "port": port}}


def gateway(*more: str, **changes: Any) -> dict[str, Any]:
    return {"name": "gateway", "image": "firstlight:1", "args": [*WORDS, *more]} | changes


def behind(
    *beside: dict[str, Any], grace_s: Any = 110, pod: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """A pod with a gateway where all is right, but for what a test changes."""
    right = {
        "args": ["s3://models/qwen", "--host=127.0.0.1", "--port=8001", "--shutdown-timeout=30"],
        "startupProbe": asks("/-/engine-livez") | {"failureThreshold": 90},
        "livenessProbe": asks("/-/engine-livez"),
        "lifecycle": {"preStop": asks("-/drained")},
    }
    containers = [engine(**(right | changes)), *(beside or [gateway()])]
    grace = {} if grace_s is None else {"terminationGracePeriodSeconds": grace_s}
    return deployment(pod={"containers": containers, **grace, **(pod or {})})


def test_a_pod_where_all_is_right() -> None:
    """A rule that always finds something is none."""
    assert [] == said_by(LIVENESS, behind())
    assert [] == said_by(DRAIN, behind())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"livenessProbe": None}, "has no livenessProbe"),
        ({"livenessProbe": asks("/livez")}, "livenessProbe asks the gateway for /livez"),
        ({"livenessProbe": asks("/readyz")}, "livenessProbe asks the gateway for /readyz"),
        ({"livenessProbe": asks("/health")}, "livenessProbe asks the gateway for /health"),
        ({"livenessProbe": {"httpGet": {"port": 8000}}}, "asks the gateway for /,"),
        ({"startupProbe": asks("/startupz")}, "startupProbe asks the gateway for /startupz"),
    ],
)
def test_a_probe_that_tells_of_something_else(changes: dict[str, Any], said: str) -> None:
    """Of the gateway, of requests, or of nothing."""
    [one] = said_by(LIVENESS, behind(**changes))

    assert said in one


@pytest.mark.parametrize(
    "changes",
    [
        {"startupProbe": None},
        {"startupProbe": asks("/readyz")},
        {"livenessProbe": {"exec": {"command": ["curl", "127.0.0.1:8001/health"]}}},
        {"livenessProbe": asks("/health", 9000)},
        {
            "ports": [{"name": "http", "containerPort": 8000}],
            "livenessProbe": asks("/-/engine-livez", "http"),
        },
    ],
)
def test_a_probe_that_asks_the_engine_or_somebody_else(changes: dict[str, Any]) -> None:
    """By itself, or by whoever else listens: nothing is known of those."""
    assert [] == said_by(LIVENESS, behind(**changes))


def test_the_gateways_word_for_the_engine_is_not_there_before_the_engine() -> None:
    """So without a startup probe it kills a start, as the engine's own /health would."""
    assert [] == said_by(NEEDS_STARTUP, behind())
    [one] = said_by(NEEDS_STARTUP, behind(startupProbe=None))
    assert "30 s after its container began" in one


@pytest.mark.parametrize(
    ("lifecycle", "said"),
    [
        (None, "has no preStop"),
        ({"postStart": {"exec": {"command": ["true"]}}}, "has no preStop"),
        ({"preStop": {"exec": {"command": ["sleep", "15"]}}}, "has another preStop"),
    ],
)
def test_an_engine_that_waits_for_nobody(lifecycle: Any, said: str) -> None:
    """Both are told to end at once."""
    [one] = said_by(DRAIN, behind(lifecycle=lifecycle))

    assert said in one


@pytest.mark.parametrize(
    "hook",
    [asks("/-/drained"), {"exec": {"command": ["curl", "-s", "127.0.0.1:8000/-/drained"]}}],
)
def test_the_hook_may_be_written_in_other_ways(hook: dict[str, Any]) -> None:
    """With a slash in front, or as a command."""
    assert [] == said_by(DRAIN, behind(lifecycle={"preStop": hook}))


@pytest.mark.parametrize(
    ("grace_s", "more", "said"),
    [
        (None, (), "30 s after it was told to end by default"),
        (94, (), "up to 65 s to drain, and the engine itself 30 s"),
        (110, ("--drain-s=120",), "up to 125 s to drain"),
        (110, ("--drain-s", "60", "--drain-delay-s", "30"), "up to 90 s to drain"),
        (95, (), None),
        (20, ("--drain-s=soon",), None),
        ("${GRACE}", (), None),
    ],
)
def test_the_grace_period_has_room_for_the_drain(
    grace_s: Any, more: tuple[str, ...], said: str | None
) -> None:
    """Kubernetes' own half a minute has not; what cannot be read is not judged."""
    found = linted_by(DRAIN, behind(gateway(*more), grace_s=grace_s)).findings

    assert (said is not None) == bool(found)
    assert all(said in one.what for one in found if said)


def test_what_to_write_is_said() -> None:
    """The sum, and some for the engine to leave its GPU."""
    [one] = linted_by(DRAIN, behind(grace_s=10)).findings

    assert "terminationGracePeriodSeconds: 110" in one.remedy


def test_a_gateway_that_ends_last_drains_nobody() -> None:
    """A sidecar is told when the engine is gone."""
    pod = {"initContainers": [gateway(restartPolicy="Always")]}
    made = behind({"name": "other", "image": "o:1"}, pod=pod)

    [one] = said_by(DRAIN, made)

    assert "the gateway is a sidecar" in one


@pytest.mark.parametrize(
    "beside",
    [
        {"name": "gate", "image": "envoy:1", "args": ["--engine", "http://127.0.0.1:8001"]},
        gateway(args=["gate", "--listen=:8000"]),
        gateway(args=["gate", "--engine=http://127.0.0.1:9001", "--listen=:9000"]),
    ],
)
def test_another_gateway_is_no_business_of_ours(beside: dict[str, Any]) -> None:
    """Another program, or ours for another engine."""
    made = behind(beside, livenessProbe=None, lifecycle=None)

    assert [] == said_by(LIVENESS, made)
    assert [] == said_by(DRAIN, made)


@pytest.mark.parametrize(
    "args",
    [
        ["gate", "--engine=http://127.0.0.1:8001/", "--listen=0.0.0.0:8000"],
        ["-c", "exec firstlight gate --engine http://127.0.0.1:8001 --listen :8000"],
    ],
)
def test_ours_is_known_however_it_is_written(args: list[str]) -> None:
    """With an equals sign, or in a script."""
    made = behind(gateway(args=args), livenessProbe=asks("/livez"), lifecycle=None)

    assert 1 == len(said_by(LIVENESS, made))
    assert 1 == len(said_by(DRAIN, made))


def test_the_gateway_drains_for_as_long_as_is_taken_for_granted() -> None:
    """Where its command says nothing."""
    defaults = {one.name: one.default for one in command.params}

    assert DRAIN_DELAY_S == defaults["drain_delay_s"]
    assert DRAIN_S == defaults["drain_s"]
