"""
What to measure in a cluster, and what may be done to it for that.
"""

from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.units import NS_PER_S
from firstlight.core.workloads import Target

_FIRST_TOKEN_NS = 120 * NS_PER_S


class Scenario(StrEnum):
    """How the start is caused."""

    COLD = "cold"
    WARM = "warm"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodOrder:
    """One start in a cluster; several may be made to the same order."""

    target: Target
    scenario: Scenario | None
    """None to wait for a start that somebody else causes."""
    label: str
    confirmed: bool = False
    """Whether the user said yes to what will be done."""
    timeout_ns: int = 1800 * NS_PER_S
    """From the deletion, or from the beginning of the wait, to Ready."""
    replaced_within_ns: int = 30 * NS_PER_S
    """How long a pod that failed for good is given to be replaced by another."""
    first_token: bool = True
    port: int | None = None
    """Of the server in the pod; None to read it from the pod's probes and ports."""
    probe_from: str | None = None
    """The folder in the container that the probe writes to; None where there is no probe."""

    @property
    def first_token_timeout_ns(self) -> int:
        """From the request to its token."""
        return min(self.timeout_ns, _FIRST_TOKEN_NS)
