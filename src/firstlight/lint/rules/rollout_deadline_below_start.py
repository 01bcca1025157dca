"""
A rollout that is called failed while a start is still allowed to go on.

`progressDeadlineSeconds` runs from the ask, with the node and the image in it; the probes run
from the container's start. So a deadline that is shorter than either is too short by more
than the difference.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods
from firstlight.lint.measured_start import said_of_starts, start_p95_s
from firstlight.lint.probes import STARTUP, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.kinds import kind_of
from firstlight.readers.kube.fields import natural, within
from firstlight.techniques.sources import Origin, Source

_DEFAULT_S = 600
_FIELD = "progressDeadlineSeconds"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in engine_pods(scene):
        if kind_of(engine.manifest.value) != "Deployment":
            continue
        given = within(engine.manifest.value, "spec", _FIELD)
        deadline_s = _DEFAULT_S if given is None else natural(given)
        too_long = _longer(engine, scene, deadline_s) if deadline_s else None
        if too_long is None:
            continue
        said = "" if given is not None else ", Kubernetes' default"
        yield Hit(
            manifest=engine.manifest,
            pointer="/spec" if given is None else f"/spec/{_FIELD}",
            what=f"the rollout is called failed after {deadline_s} s{said}, and {too_long}",
            # What a probe allows is no start: it may be far more than one ever takes.
            severity=None if start_p95_s(scene) is not None else Severity.NOTE,
        )


def _longer(engine: Engine, scene: Scene, deadline_s: int) -> str | None:
    p95_s = start_p95_s(scene)
    if p95_s is not None:
        return said_of_starts(scene) if p95_s > deadline_s else None
    probe = probe_of(engine, STARTUP)
    allowed_s = probe.allowed_s if probe else None
    if allowed_s is None or allowed_s <= deadline_s:
        return None
    return f"the startup probe lets a start take {allowed_s} s"


RULE = Rule(
    code="rollout-deadline-below-start",
    severity=Severity.WARNING,
    title="A rollout must not be called failed before a start may be done",
    why=(
        "The Deployment reports ProgressDeadlineExceeded and `kubectl rollout status` ends in an "
        "error; whoever waits for it, a pipeline or a GitOps controller, rolls back and throws "
        "away a start that was minutes old. The next one begins again, on a node that may be gone. "
        "Where nobody states how long starts take, what the probes allow is compared, and it is a "
        "note."
    ),
    remedy=(
        f"set {_FIELD} to what the probes allow and ten minutes more, for the node and the image"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/workloads/controllers/deployment, "
            "progress deadline seconds: 600 by default",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/ai-runway/airunway/issues/400: a one-GPU rollout ends in it",
        ),
    ),
    check=_check,
)
