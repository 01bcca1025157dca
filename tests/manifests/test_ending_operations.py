"""What the engine's probes ask, and how its container comes to its end."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from tests.manifests.operating import change_of, done, on_engine, on_pod
from tests.manifests.shapes import deployment, engine, objects

LIVE = {"do": "set-probe", "probe": "livenessProbe", "path": "/alive", "port": "8000"}
ASKS = {"path": "/alive", "port": 8000}
STOP = {"do": "set-pre-stop", "path": "/over", "port": 8000}
GRACE = {"do": "set-grace-period", "seconds": [5, "60", 15], "argument": "--shutdown-timeout"}


@pytest.mark.parametrize(
    "asked",
    [
        {"httpGet": {"path": "/health", "port": "http", "scheme": "HTTPS"}},
        {"httpGet": {"path": "/alive", "port": 8000, "httpHeaders": [{"name": "a", "value": "b"}]}},
        {"exec": {"command": ["curl", "localhost:8000/health"]}},
        {"tcpSocket": {"port": 8000}},
        {"grpc": {"port": 8000}},
    ],
)
def test_a_probe_asks_somebody_else_as_often_as_before(asked: dict[str, Any]) -> None:
    """One handler, whatever kind it was; its owner knew how long starts take."""
    times = {"periodSeconds": 7, "failureThreshold": 99, "initialDelaySeconds": 4}

    made = on_engine({"args": ["m"], "livenessProbe": asked | times}, LIVE)

    assert {"httpGet": ASKS, **times} == made["livenessProbe"]


@pytest.mark.parametrize("there", [None, {}, "absent"])
def test_a_probe_that_nobody_has_is_made_only_where_it_is_said_how(there: Any) -> None:
    """The readiness of somebody else's needs no probe of one's own."""
    container = {"args": ["m"]} | ({} if there == "absent" else {"livenessProbe": there})
    times = {"periodSeconds": 10}

    made = on_engine(container, LIVE | {"otherwise": times})

    assert {"httpGet": ASKS, **times} == made["livenessProbe"]
    assert change_of(objects(deployment(container)), LIVE).is_empty


def test_a_probe_as_a_server_hands_it_back_is_there() -> None:
    """It writes the scheme into it."""
    there = {"httpGet": ASKS | {"scheme": "HTTP"}, "successThreshold": 1}

    assert change_of(objects(deployment({"args": ["m"], "livenessProbe": there})), LIVE).is_empty


def test_the_end_waits_for_an_answer() -> None:
    """What else the container does in its life stays."""
    started = {"postStart": {"exec": {"command": ["true"]}}}

    made = on_engine({"args": ["m"], "lifecycle": started}, STOP)

    assert started | {"preStop": {"httpGet": {"path": "/over", "port": 8000}}} == made["lifecycle"]


@pytest.mark.parametrize(
    "hook", [{"exec": {"command": ["sleep", "15"]}}, {"httpGet": {"path": "/bye", "port": 8000}}]
)
def test_another_hook_is_not_thrown_away(hook: dict[str, Any]) -> None:
    """There can be one only, and what it is for nobody here knows."""
    on = objects(deployment({"args": ["m"], "lifecycle": {"preStop": hook}}))

    with pytest.raises(BadInput, match="has a preStop of its own") as refusal:
        change_of(on, STOP)

    assert "--drain-delay-s" in refusal.value.remedy


@pytest.mark.parametrize(
    ("given_s", "args", "grace_s"),
    [
        (None, ["m"], 80),
        (None, ["m", "--shutdown-timeout", "30"], 110),
        (30, ["m", "--shutdown-timeout=120"], 200),
        (0, ["m"], 80),
        (300, ["m", "--shutdown-timeout", "30"], 300),
        (80, ["m"], 80),
    ],
)
def test_the_grace_period_holds_all_that_happens_in_it(
    given_s: int | None, args: list[str], grace_s: int
) -> None:
    """One after the other; a longer one is somebody's own."""
    pod = on_pod({"args": args}, GRACE, terminationGracePeriodSeconds=given_s)

    assert grace_s == pod["terminationGracePeriodSeconds"]


def test_what_kubernetes_gives_anyway_is_not_written() -> None:
    """Half a minute."""
    short = GRACE | {"seconds": [30]}

    assert "terminationGracePeriodSeconds" not in on_pod({"args": ["m"]}, short)


def test_seconds_that_nobody_knows_are_refused() -> None:
    """A sum with a hole in it is none."""
    on = objects(deployment({"args": ["m", "--shutdown-timeout", "$(LONG)"]}))

    with pytest.raises(BadInput, match=r"--shutdown-timeout is \$\(LONG\)"):
        change_of(on, GRACE)


def test_a_variable_may_hold_the_seconds() -> None:
    """Where its value is written."""
    env = [{"name": "LONG", "value": "50"}]
    pod = on_pod({"args": ["m", "--shutdown-timeout", "$(LONG)"], "env": env}, GRACE)

    assert 130 == pod["terminationGracePeriodSeconds"]


BESIDE = {
    "do": "add-container",
    "container": {"name": "gateway", "volumeMounts": [{"name": "s", "mountPath": "/s"}]},
    "volumes": [{"name": "s", "emptyDir": {}}],
}


def test_a_container_brings_its_volumes() -> None:
    """And the engine does not see them."""
    after = done(objects(deployment({"args": ["m"]})), BESIDE)
    pod = after.manifests[0].value["spec"]["template"]["spec"]

    assert BESIDE["volumes"] == pod["volumes"]
    assert "volumeMounts" not in engine(after)


def test_a_volume_of_the_same_name_is_not_taken_for_it() -> None:
    """It may hold something."""
    on = objects(deployment({"args": ["m"]}, volumes=[{"name": "s", "hostPath": {"path": "/x"}}]))

    with pytest.raises(BadInput, match="another volume called s"):
        change_of(on, BESIDE)
