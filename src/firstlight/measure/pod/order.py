"""
What to measure in a cluster, and what may be done to it for that.
"""

from collections.abc import Callable, Mapping
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
class PodReached:
    """A server in a pod that gave its first token."""

    namespace: str
    pod: str
    port: int
    https: bool
    model: str | None
    """As it names it; None where it did not say."""
    chat: bool
    """Whether the token came from the chat route."""


AfterPodAnswer = Callable[[PodReached], Mapping[str, Mapping[str, object]]]
"""Asks the server more; what it returns is written into the round's folder, by file name."""


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
    """From the deletion, or from the beginning of the wait, to Ready; where it is begun
    otherwise, from the new pod on."""
    old_ends_within_ns: int = 0
    """How much longer to wait for a new pod that is made when the old one is gone."""
    replaced_within_ns: int = 30 * NS_PER_S
    """How long a pod that failed for good is given to be replaced by another."""
    begin: Callable[[], None] | None = None
    """Makes the workload start a new pod, once it is watched; None where its pod is deleted."""
    node: str | None = None
    """Where the new pod has to go for a warm start that is begun so; None where any will do."""
    after_answer: AfterPodAnswer | None = None
    """Asked once the first token came, before anything is saved; None to ask no more."""
    first_token: bool = True
    port: int | None = None
    """Of the server in the pod; None to read it from the pod's probes and ports."""
    probe_from: str | None = None
    """The folder in the container that the probe writes to; None where there is no probe."""

    @property
    def first_token_timeout_ns(self) -> int:
        """From the request to its token."""
        return min(self.timeout_ns, _FIRST_TOKEN_NS)
