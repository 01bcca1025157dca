"""
A measured start as it is written down: `measured.json`, beside the bundle.

Moments are Unix nanoseconds of the measuring machine, from one pair of clock readings;
`first_token_ns` is a length; what was read from a list only has no moment, and is null. It is
written last, so a folder that has it is complete.
"""

from dataclasses import dataclass, field

from firstlight.core.errors import FirstlightError
from firstlight.core.records import MEASURED
from firstlight.core.workloads import Target
from firstlight.measure.anchor import Anchor
from firstlight.measure.pod.order import Scenario


@dataclass(slots=True, kw_only=True)
class PodRecord:
    """Filled while the start goes on; written once, at its end."""

    target: Target
    asked: Scenario | None
    anchor: Anchor
    as_asked: bool = True
    """False where the start turned out not to be of the scenario that was asked for."""
    not_as_asked: str | None = None
    """Why it is not, where it came up all the same."""
    pod: str | None = None
    pod_uid: str | None = None
    node: str | None = None
    container: str | None = None
    deleted_ns: int | None = None
    """Monotonic, as are the other two; None where it did not happen, or was not seen."""
    created_seen_ns: int | None = None
    ready_seen_ns: int | None = None
    first_token_ns: int | None = None
    """From Ready to the token."""
    first_token_problem: str | None = None
    """Why none came; None where one did, or nobody asked."""
    outcome: str = "failed"
    """ready, failed or timeout."""
    cordoned: list[str] = field(default_factory=list)
    reconnected: int = 0
    relisted: int = 0
    notes: list[str] = field(default_factory=list)
    problem: FirstlightError | None = None
    cut_off: bool = False
    """Whether whoever measured it was told to end, or broke."""

    def as_json(self) -> dict[str, object]:
        """The object of measured.json."""
        return {
            "schema": MEASURED.schema,
            "scenario": self.asked.value if self.asked and self.as_asked else None,
            "asked_scenario": self.asked and self.asked.value,
            "not_as_asked": self.not_as_asked,
            "followed": self.asked is None,
            "target": str(self.target),
            "namespace": self.target.namespace,
            "pod": self.pod,
            "pod_uid": self.pod_uid,
            "node": self.node,
            "container": self.container,
            "anchor": {
                "unix_ns": self.anchor.unix_ns,
                "monotonic_ns": self.anchor.monotonic_ns,
            },
            "deleted_ns": self._unix(self.deleted_ns),
            "created_seen_ns": self._unix(self.created_seen_ns),
            "ready_seen_ns": self._unix(self.ready_seen_ns),
            "first_token_ns": self.first_token_ns,
            "first_token_problem": self.first_token_problem,
            "outcome": self.outcome,
            "cordoned": self.cordoned,
            "watch": {"reconnected": self.reconnected, "relisted": self.relisted},
            "notes": self.notes,
            "problem": self.problem
            and {"message": self.problem.message, "remedy": self.problem.remedy},
            "cut_off": self.cut_off,
        }

    def _unix(self, at_ns: int | None) -> int | None:
        return None if at_ns is None else at_ns + self.anchor.offset_ns
