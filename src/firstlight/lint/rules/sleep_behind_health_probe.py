"""
Readiness by `/health` of an engine that may sleep.
"""

from collections.abc import Iterator

from firstlight.lint.dev_mode import is_in_dev_mode
from firstlight.lint.engine import Engine, Known
from firstlight.lint.probes import ENGINE_PATHS, READINESS, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_LOOPBACK = ("127.", "localhost", "::1", "[::1]")


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if engine.has("--enable-sleep-mode") is not True or not _can_be_told(engine):
            continue
        probe = probe_of(engine, READINESS)
        if probe is None or probe.asks_engine is not True or _others_are_asked(engine):
            continue
        if probe.path is not None and probe.path not in ENGINE_PATHS:
            continue
        how = f"GET {probe.path}" if probe.path else "a TCP connection"
        yield Hit(
            manifest=engine.manifest,
            pointer=probe.pointer,
            what=f"the engine may be put to sleep, and the pod is called ready by {how} on the "
            "engine's own port, which succeeds while it sleeps",
        )


def _can_be_told(engine: Engine) -> bool:
    """Whether its sleep calls exist, and can be reached from outside of the pod."""
    if not is_in_dev_mode(engine):
        return False
    host = engine.argument("--host")
    address = engine.text_of(host)
    if host.known is Known.UNKNOWN or (host.known is Known.GIVEN and address is None):
        return False
    return not (address or "").startswith(_LOOPBACK)


def _others_are_asked(engine: Engine) -> bool:
    """Whether the pod's readiness has another part, which may know."""
    others = (c for c in engine.pod.get("containers") or [] if c.get(READINESS))
    return bool(engine.pod.get("readinessGates")) or len(list(others)) > 1


RULE = Rule(
    code="sleep-behind-health-probe",
    severity=Severity.WARNING,
    title="An engine that may sleep must not be called ready by /health alone",
    why=(
        "/health answers 200 as long as the engine's process lives, asleep or not, and so do "
        "/ping, /version, /metrics and /v1/models, which do not ask the engine. The Service "
        "goes on sending requests; they are queued and wait without an answer until somebody "
        "calls /wake_up, and older versions crash on the first of them."
    ),
    remedy=(
        "put a gateway before the engine that wakes it and answers the probe, and move the probes "
        "and the Service to the gateway's port; or ask /is_sleeping too, from an exec probe"
    ),
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="traps: /health says 200 while asleep"),
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/entrypoints/serve/instrumentator/health.py: only a dead engine gives 503",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/vllm-project/vllm/issues/14311: a request crashes a sleeping engine",
        ),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
