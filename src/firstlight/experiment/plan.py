"""
A plan: what somebody wants to know, before anything is run.

A base, the steps on top of it, each one change, how often and in which scenarios. It is YAML
that people keep and run again years later, so a mistake in it is said with its line
(`plan_file`). What the steps come to is worked out in `steps`, whether each is one change in
`command_proof`, the order of the rounds in `schedule`.
"""

from typing import Literal

import msgspec

from firstlight.core.scenarios import WARM

PROCESS, KUBERNETES = "process", "kubernetes"
ENGINE, GATEWAY = "engine", "gateway"
PROMPTS = (
    "The capital of France is",
    "Write one sentence about the sea.",
    "def fibonacci(n):",
)


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every part of a plan is a value, and an unknown field is a mistake."""


class BaseProcess(_Part, frozen=True, kw_only=True):
    """The engine as it is started now."""

    command: tuple[str, ...]
    environment: dict[str, str] = {}
    """Beside that of whoever runs the plan."""


class Removed(_Part, frozen=True, kw_only=True):
    """What a change of one's own takes away."""

    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


class ProcessWords(_Part, frozen=True, kw_only=True):
    """A change of one's own, in the words around a command."""

    arguments: dict[str, str | None] = {}
    """None for a flag."""
    environment: dict[str, str] = {}
    wrapper: tuple[str, ...] = ()
    """Words before the command."""
    remove: Removed = Removed()
    replaces_command: tuple[str, ...] = ()
    """Instead of the command's words up to its first option, such as another engine's."""


class BaseKubernetes(_Part, frozen=True, kw_only=True):
    """The engine as it stands in a cluster now."""

    objects: str
    """A file or a folder of them, beside the plan."""
    workload: str | None = None
    """`deployment/NAME`; None where only one of them runs an engine."""
    port: int | None = None
    """Of the server in the pod; None to read it from the pod's probes and ports."""
    probe_from: str | None = None
    """The folder in the container that the probe writes to; None where there is no probe."""


class KubernetesWords(_Part, frozen=True, kw_only=True):
    """A change of one's own, in the words of the engine's container."""

    arguments: dict[str, str | None] = {}
    """None for a flag."""
    environment: dict[str, str] = {}


class Base(_Part, frozen=True, kw_only=True):
    """What the first step is held against: a process on this host, or objects of a cluster."""

    process: BaseProcess | None = None
    kubernetes: BaseKubernetes | None = None
    technique: str | None = None
    """A card whose change makes the baseline of it; None where it is the baseline as it is."""


class PlannedStep(_Part, frozen=True, kw_only=True):
    """One change: a technique, or one's own."""

    technique: str | None = None
    change: str | None = None
    """The name of a change of one's own."""
    says: str = ""
    process: ProcessWords | None = None
    kubernetes: KubernetesWords | None = None
    claims: tuple[str, ...] = ()
    """The phases that one's own change should move; a card says them itself."""
    changes: tuple[str, ...] = ()
    """Names of the fingerprint that it moves beside its own words, such as `compile cache`."""


class Serving(_Part, frozen=True, kw_only=True):
    """The requests that each ready engine is asked, always the same."""

    prompts: tuple[str, ...] = PROMPTS
    tokens: int = 32


class Price(_Part, frozen=True, kw_only=True):
    """What an hour of the machine costs."""

    per_hour: float
    currency: str = "USD"


class Plan(_Part, frozen=True, kw_only=True):
    """The file."""

    schema: Literal["firstlight.plan/1"]
    name: str
    base: Base
    steps: tuple[PlannedStep, ...]
    given: dict[str, str] = {}
    """Parameters of the cards."""
    settings: dict[str, str] = {}
    """What `${NAME}` stands for where whoever runs the plan says nothing else."""
    scenarios: tuple[str, ...] = (WARM,)
    rounds: int = 4
    wake_through: Literal["engine", "gateway"] = "engine"
    """Who is asked for a wake-up: the engine by its own call, or a gateway before it, by a
    request as clients make them."""
    serving: Serving | bool = True
    attempts: int = 2
    """How often a round that fails is tried before its step is given up."""
    on_failure: Literal["stop", "skip"] = "stop"
    """What becomes of the others then: nothing more, or all that can be run without it."""
    fills: Literal["needed", "every"] = "needed"
    """Whether steps that keep nothing have a round that fills it, on a host."""
    price: Price | None = None
    expect_s: float | None = None
    """How long one round takes, before any has been measured; None where nobody knows."""
    timeout_s: float = 900
    """How long to wait for an engine to be ready."""
    may_vary: tuple[str, ...] = ()
    """What of a fingerprint may differ between rounds of a step: `zone`."""

    @property
    def substrate(self) -> str:
        """Where its rounds are run."""
        return PROCESS if self.base.process is not None else KUBERNETES

    @property
    def serving_check(self) -> Serving | None:
        """The serving check; None where the plan leaves it out."""
        if isinstance(self.serving, Serving):
            return self.serving
        return Serving() if self.serving else None
