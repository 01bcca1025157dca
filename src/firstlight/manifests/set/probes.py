"""
How the kubelet asks whether the server is up.

The time a start may take belongs into the startupProbe, where it cannot kill a serving pod.
How long that is, and how often it asks, is `core.probe_budget`, by which `explain` advises.
"""

from dataclasses import dataclass

from firstlight.core.probe_budget import PERIOD_S, start_failures
from firstlight.core.units import NS_PER_S
from firstlight.manifests.intent import Intent
from firstlight.manifests.objects import Value

UNSTATED_P95_S = 450.0
"""The reference case's slowest start took 428 s from the ask to Ready."""
_PATH = "/health"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """The three probes of the engine's container."""

    startup: Value
    readiness: Value
    liveness: Value
    allowed_s: int
    """How long a container may take to answer before it is started again."""
    assumptions: tuple[str, ...]


def probes(intent: Intent, *, port: int) -> Probes:
    """The probes that suit the starts of this engine."""
    p95_s = UNSTATED_P95_S if intent.start_p95_s is None else intent.start_p95_s
    failures = start_failures(round(p95_s * NS_PER_S))
    allowed_s = failures * PERIOD_S
    told = (
        (f"p95 of a start was not stated: probes allow {allowed_s} s",)
        if intent.start_p95_s is None
        else ()
    )
    return Probes(
        startup=_probe(port, period_s=PERIOD_S, timeout_s=5, failures=failures),
        readiness=_probe(port, period_s=2, timeout_s=5, failures=3),
        liveness=_probe(port, period_s=10, timeout_s=10, failures=6),
        allowed_s=allowed_s,
        assumptions=told,
    )


def _probe(port: int, *, period_s: int, timeout_s: int, failures: int) -> Value:
    return {
        "httpGet": {"path": _PATH, "port": port},
        "periodSeconds": period_s,
        "timeoutSeconds": timeout_s,
        "failureThreshold": failures,
    }
