"""What the probes allow a start, and when they see that it is done."""

from typing import Any

import pytest

from firstlight.lint.rule import Rule
from firstlight.lint.rules import (
    coarse_startup_probe,
    liveness_without_startup_probe,
    rollout_deadline_below_start,
    startup_budget_below_p95,
)
from firstlight.lint.scene import Stated
from tests.lint.rules.around import deployment, engine, health, linted_by, said_by

LIVENESS = liveness_without_startup_probe.RULE
BUDGET = startup_budget_below_p95.RULE
DEADLINE = rollout_deadline_below_start.RULE
COARSE = coarse_startup_probe.RULE


def of_container(rule: Rule, *, stated: Stated | None = None, **probes: Any) -> list[str]:
    return said_by(rule, deployment(engine(**probes)), stated=stated)


@pytest.mark.parametrize(
    ("probe", "seconds"),
    [
        (health(), 30),
        (health(initialDelaySeconds=120), 150),
        (health(periodSeconds=5, failureThreshold=6), 30),
        (health(periodSeconds=0, failureThreshold=0), 30),
        ({"tcpSocket": {"port": 8000}, "initialDelaySeconds": 60}, 90),
    ],
)
def test_liveness_begins_with_the_container(probe: dict[str, Any], seconds: int) -> None:
    """Kubernetes' defaults count where nothing, or 0, is written."""
    said = of_container(LIVENESS, livenessProbe=probe)

    assert 1 == len(said)
    assert f"kills the engine {seconds} s after" in said[0]


@pytest.mark.parametrize(
    "probes",
    [
        {"livenessProbe": health(), "startupProbe": health(failureThreshold=60)},
        {"livenessProbe": health(initialDelaySeconds=300)},
        {"livenessProbe": health(periodSeconds=30, failureThreshold=60)},
        {"livenessProbe": health(periodSeconds="${PERIOD}")},
        {"livenessProbe": {"exec": {"command": ["true"]}}},
        {"readinessProbe": health()},
        {},
    ],
)
def test_liveness_that_waits_or_cannot_be_told(probes: dict[str, Any]) -> None:
    """A startup probe, long enough a wait, a value that comes later, or none at all."""
    assert [] == of_container(LIVENESS, **probes)


def test_liveness_that_another_container_answers() -> None:
    """A proxy is up at once."""
    proxied = engine(
        args=["s3://models/qwen", "--port=8001"],
        livenessProbe={"httpGet": {"path": "/live", "port": 8080}},
    )
    pod = {"containers": [proxied, {"name": "proxy", "image": "envoy:1"}]}

    assert [] == said_by(LIVENESS, deployment(proxied, pod=pod))


def test_a_stated_p95_is_compared_instead() -> None:
    """Then the budget is an error or none, and liveness alone no suspicion any more."""
    stated = Stated(start_p95_s=80.0)

    assert [] == of_container(LIVENESS, stated=stated, livenessProbe=health())
    assert 1 == len(of_container(BUDGET, stated=stated, livenessProbe=health()))
    waits = health(initialDelaySeconds=60)
    assert [] == of_container(BUDGET, stated=stated, livenessProbe=waits)


@pytest.mark.parametrize(
    ("probe", "p95_s", "expected"),
    [
        (health(periodSeconds=1, failureThreshold=300), 300.5, 1),
        (health(periodSeconds=1, failureThreshold=300), 300.0, 0),
        (health(initialDelaySeconds=60, failureThreshold=24), 300.0, 0),
        ({"exec": {"command": ["probe"]}, "failureThreshold": 29}, 300.0, 1),
        (health(failureThreshold="$(N)"), 300.0, 0),
    ],
)
def test_the_startup_probe_allows_less(probe: dict[str, Any], p95_s: float, expected: int) -> None:
    """Delay and period times failures, against what was measured."""
    said = of_container(BUDGET, stated=Stated(start_p95_s=p95_s), startupProbe=probe)

    assert expected == len(said)


def test_the_budget_is_not_judged_without_a_p95() -> None:
    """What is too short nobody knows then."""
    assert [] == of_container(BUDGET, startupProbe=health(failureThreshold=1))


def test_the_remedy_allows_for_twice_the_p95() -> None:
    """The same numbers as `explain` and `render` give."""
    made = deployment(engine(startupProbe=health()))
    linted = linted_by(BUDGET, made, stated=Stated(start_p95_s=350.0))

    assert "a startupProbe with periodSeconds: 1 and failureThreshold: 700" == (
        linted.findings[0].remedy
    )


@pytest.mark.parametrize(
    ("spec", "p95_s", "expected"),
    [
        ({}, None, 1),
        ({"progressDeadlineSeconds": 1200}, None, 0),
        ({}, 900.0, 1),
        ({}, 500.0, 0),
        ({"progressDeadlineSeconds": 300}, 500.0, 1),
        ({"progressDeadlineSeconds": "${DEADLINE}"}, 900.0, 0),
    ],
)
def test_the_rollouts_deadline(spec: dict[str, Any], p95_s: float | None, expected: int) -> None:
    """Against the p95 where it is stated, else against what the startup probe allows."""
    made = deployment(engine(startupProbe=health(periodSeconds=1, failureThreshold=1200)), **spec)

    assert expected == len(said_by(DEADLINE, made, stated=Stated(start_p95_s=p95_s)))


def test_only_a_deployment_has_a_deadline() -> None:
    """A StatefulSet waits for ever."""
    made = deployment(engine(startupProbe=health(failureThreshold=300))) | {"kind": "StatefulSet"}

    assert [] == said_by(DEADLINE, made)


@pytest.mark.parametrize(
    ("probes", "expected"),
    [
        ({"startupProbe": health()}, "the startupProbe asks every 10 s by default"),
        ({"readinessProbe": health(periodSeconds=15)}, "the readinessProbe asks every 15 s"),
        ({"readinessProbe": health(initialDelaySeconds=120)}, "no start is ready before 120 s"),
        (
            {"startupProbe": {"exec": {"command": ["probe"]}, "periodSeconds": 30}},
            "the startupProbe asks every 30 s",
        ),
    ],
)
def test_the_end_of_a_start_is_seen_late(probes: dict[str, Any], expected: str) -> None:
    """By the startup probe where there is one: readiness is asked as soon as it succeeds."""
    said = of_container(COARSE, **probes)

    assert 1 == len(said)
    assert said[0].startswith(expected)


@pytest.mark.parametrize(
    "probes",
    [
        {"startupProbe": health(periodSeconds=1), "readinessProbe": health(periodSeconds=30)},
        {"startupProbe": health(periodSeconds=5, initialDelaySeconds=5)},
        {"livenessProbe": health(periodSeconds=60)},
        {"startupProbe": health(periodSeconds="$(P)", initialDelaySeconds="$(D)")},
        {},
    ],
)
def test_the_end_of_a_start_is_seen_soon(probes: dict[str, Any]) -> None:
    """Or no probe waits for it."""
    assert [] == of_container(COARSE, **probes)


@pytest.mark.parametrize(
    ("probe", "p95_s", "severities"),
    [
        (health(periodSeconds=10), 400.0, []),
        (health(periodSeconds=10), 100.0, []),
        (health(periodSeconds=10), 99.0, ["note"]),
        (health(periodSeconds=5), 20.0, ["note"]),
        (health(periodSeconds=1), 2.0, []),
        (health(periodSeconds=60), 400.0, ["note"]),
        (health(periodSeconds=1, initialDelaySeconds=120), 400.0, []),
        (health(periodSeconds=1, initialDelaySeconds=20), 30.0, ["note"]),
        (health(periodSeconds=1, initialDelaySeconds=120), 150.0, ["note"]),
        (health(periodSeconds=1, initialDelaySeconds=120), 120.0, ["warning"]),
        (health(periodSeconds=30, initialDelaySeconds=30), 280.0, ["note"]),
    ],
)
def test_a_measured_start_is_what_the_period_is_held_against(
    probe: dict[str, Any], p95_s: float, severities: list[str]
) -> None:
    """A tenth of it is fine, and so is half of it as a delay; all of it is waited for."""
    made = deployment(engine(startupProbe=probe))
    linted = linted_by(COARSE, made, stated=Stated(start_p95_s=p95_s))

    assert severities == [one.severity for one in linted.findings]
    said = f"one start in twenty takes longer than {p95_s:.0f} s"
    assert all(one.what.endswith(said) for one in linted.findings)


TWO_MODELS = Stated(start_p95_s=900.0)


def engines_of(*models: str) -> list[dict[str, Any]]:
    """A Deployment a model, whose liveness probe kills after 30 s."""
    return [
        deployment(engine(args=[model], livenessProbe=health()), name=f"engine-{at}")
        for at, model in enumerate(models)
    ]


@pytest.mark.parametrize("rule", [BUDGET, DEADLINE])
def test_one_number_is_not_held_against_two_models(rule: Rule) -> None:
    """Of one model it is, in however many Deployments."""
    same, other = engines_of("s3://m/a", "s3://m/a"), engines_of("s3://m/a", "s3://m/b")

    assert 2 == len(said_by(rule, *same, stated=TWO_MODELS))
    assert [] == said_by(rule, *other, stated=TWO_MODELS)


def test_liveness_is_suspected_where_the_number_is_not_held() -> None:
    """As if nobody had stated it."""
    assert 2 == len(said_by(LIVENESS, *engines_of("s3://m/a", "s3://m/b"), stated=TWO_MODELS))


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (None, "one start in twenty takes longer than 350 s"),
        (20, "one start in twenty takes longer than 350 s"),
        (19, "the longest of 19 starts that were measured took 350 s"),
        (1, "the one start that was measured took 350 s"),
    ],
)
def test_few_starts_are_no_percentile(count: int | None, expected: str) -> None:
    """Of fewer than twenty it is the longest, and that is said."""
    stated = Stated(start_p95_s=350.0, start_p95_count=count)
    made = deployment(engine(startupProbe=health()), progressDeadlineSeconds=300)

    assert said_by(BUDGET, made, stated=stated)[0].endswith(f"and {expected}")
    assert said_by(DEADLINE, made, stated=stated)[0].endswith(f"and {expected}")


@pytest.mark.parametrize(("p95_s", "severity"), [(None, "note"), (900.0, "warning")])
def test_a_deadline_is_a_note_until_somebody_measured(p95_s: float | None, severity: str) -> None:
    """A probe may allow far more than a start takes."""
    made = deployment(engine(startupProbe=health(periodSeconds=1, failureThreshold=1200)))
    linted = linted_by(DEADLINE, made, stated=Stated(start_p95_s=p95_s))

    assert [severity] == [one.severity for one in linted.findings]
