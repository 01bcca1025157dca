"""
A plan: what somebody wants to know, before anything is run.

A base, the steps on top of it, each one change, how often and in which scenarios. It is YAML
that people keep and run again years later, so a mistake in it is said with its line. What the
steps come to is worked out in `steps`, whether each is one change in `single_change`, the
order of the rounds in `schedule`.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.phases import Phase
from firstlight.experiment.settings import settled
from firstlight.readers.own_yaml import OwnYaml, read_own_yaml

SCHEMA = "firstlight.plan/1"
SCENARIOS = ("cold", "warm", "wake")
PROCESS, KUBERNETES = "process", "kubernetes"
PROMPTS = (
    "The capital of France is",
    "Write one sentence about the sea.",
    "def fibonacci(n):",
)
REMEDY = "see docs/experiment.md for the form of a plan"
_MOST_ROUNDS = 1000
_LARGEST_BYTES = 1 << 20
_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,60}")
"""Of a change: it is a part of the names of folders."""
_VARIABLE = re.compile(r"[^=\x00]+")


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every part of a plan is a value, and an unknown field is a mistake."""


class BaseProcess(_Part, frozen=True, kw_only=True):
    """The engine as it is started now."""

    command: tuple[str, ...]
    environment: dict[str, str] = {}
    """Beside that of whoever runs the plan."""


class ProcessWords(_Part, frozen=True, kw_only=True):
    """A change of one's own, in the words around a command."""

    arguments: dict[str, str | None] = {}
    """None for a flag."""
    environment: dict[str, str] = {}
    wrapper: tuple[str, ...] = ()
    """Words before the command."""


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
    scenarios: tuple[str, ...] = ("warm",)
    rounds: int = 4
    serving: Serving | bool = True
    attempts: int = 2
    """How often a round that fails is tried before the plan stops."""
    price: Price | None = None
    expect_s: float | None = None
    """How long one round takes, before any has been measured; None where nobody knows."""
    timeout_s: float = 900
    """How long to wait for an engine to be ready."""

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


def read_plan(artefact: str, data: bytes, settings: Mapping[str, str]) -> tuple[Plan, OwnYaml]:
    """
    The plan in a file, and how to speak of its lines.

    Args:
        artefact: what to call it in an error.
        data: as it was stored.
        settings: what `${NAME}` in it stands for.

    Raises:
        BadInput: it is no plan, or one that makes no sense; the sentence says the line.
    """
    if len(data) > _LARGEST_BYTES:
        raise BadInput(
            f"{artefact} is no plan: it has {len(data)} bytes, and a plan at most {_LARGEST_BYTES}",
            remedy=REMEDY,
        )
    file = read_own_yaml(artefact, data, what="plan", remedy=REMEDY)
    if file.value.get("schema") != SCHEMA:
        raise file.refusal("/schema", f"a plan begins with schema: {SCHEMA}")
    plan = file.typed(Plan)
    _check_numbers(file, plan)
    for number, scenario in enumerate(plan.scenarios):
        if scenario not in SCENARIOS:
            raise file.refusal(f"/scenarios/{number}", _unknown("scenario", scenario, SCENARIOS))
    if len(set(plan.scenarios)) < len(plan.scenarios):
        raise file.refusal("/scenarios", "a scenario is named twice")
    _check_base(file, plan.base)
    for number, step in enumerate(plan.steps):
        _check_step(file, step, plan.substrate, f"/steps/{number}")
    return msgspec.convert(settled(msgspec.to_builtins(plan), settings), Plan), file


def _check_numbers(file: OwnYaml, plan: Plan) -> None:
    if not 1 <= plan.rounds <= _MOST_ROUNDS:
        raise file.refusal(
            "/rounds",
            f"rounds is {plan.rounds}, and must be from 1 to {_MOST_ROUNDS}",
            remedy="4 rounds a step are the fewest from which anything can be concluded",
        )
    if not plan.scenarios:
        raise file.refusal("/scenarios", f"no scenario is named; say {', '.join(SCENARIOS)}")
    if plan.attempts < 1:
        raise file.refusal("/attempts", f"attempts is {plan.attempts}, and must be at least 1")
    for name, value in (("expect_s", plan.expect_s), ("timeout_s", plan.timeout_s)):
        if value is not None and not 0 < value < float("inf"):
            raise file.refusal(f"/{name}", f"{name} must be a number of seconds above 0")
    if plan.price is not None and not 0 <= plan.price.per_hour < float("inf"):
        raise file.refusal("/price/per_hour", "per_hour must be a price, 0 or more")
    serving = plan.serving_check
    if serving is not None and (not serving.prompts or serving.tokens < 1):
        raise file.refusal(
            "/serving", "the serving check asks nothing", remedy="leave it out with serving: false"
        )


def _check_base(file: OwnYaml, base: Base) -> None:
    """See that it says one place to run in."""
    if base.process is not None and base.kubernetes is not None:
        raise file.refusal(
            "/base",
            "the base is a process and the objects of a cluster, and a plan is run in one place",
            remedy="make two plans of it",
        )
    if base.process is None and base.kubernetes is None:
        raise file.refusal(
            "/base",
            "the base says nothing that could be started",
            remedy="give process: with a command, or kubernetes: with objects",
        )
    if base.process is not None:
        if not base.process.command:
            raise file.refusal("/base/process/command", "the base has no command to start")
        _check_words(file, "/base/process", base.process.command, base.process.environment)


def _check_step(file: OwnYaml, step: PlannedStep, substrate: str, at: str) -> None:
    """See that a step is one change, in the words of where it is run."""
    words = {PROCESS: step.process, KUBERNETES: step.kubernetes}
    elsewhere = next((name for name in words if name != substrate and words[name]), None)
    if elsewhere is not None:
        raise file.refusal(
            f"{at}/{elsewhere}",
            f"the step's words are for {elsewhere}, and the base's are for {substrate}",
            remedy=f"say it under {substrate}:",
        )
    if step.technique is not None and (step.change is not None or words[substrate] is not None):
        raise file.refusal(
            at,
            f"two changes in one step: the technique {step.technique}, and one of its own",
            remedy="make two steps of it, so that each is held against the one before",
        )
    if step.technique is None and step.change is None:
        raise file.refusal(
            at, f"the step names no change: it needs technique, or change and {substrate}"
        )
    if step.technique is not None and step.claims:
        raise file.refusal(f"{at}/claims", "a technique's claims are those of its card")
    if step.change is not None and words[substrate] is None:
        raise file.refusal(
            at, f"the change {step.change} does not say what it changes ({substrate})"
        )
    if step.change is not None and not _NAME.fullmatch(step.change):
        raise file.refusal(
            f"{at}/change",
            f"{step.change!r} cannot be the name of a change",
            remedy="it names folders: 1 to 60 letters, no slash or control character",
        )
    if step.process is not None:
        said = (*step.process.wrapper, *(v for v in step.process.arguments.values() if v))
        _check_words(file, f"{at}/process", said, step.process.environment)
    for number, claim in enumerate(step.claims):
        if claim.partition("/")[0] not in tuple(Phase):
            raise file.refusal(f"{at}/claims/{number}", _unknown("phase", claim, tuple(Phase)))


def _check_words(
    file: OwnYaml, at: str, words: Iterable[str], environment: Mapping[str, str]
) -> None:
    """See that a process can be started with these."""
    for name in environment:
        if not _VARIABLE.fullmatch(name):
            raise file.refusal(
                f"{at}/environment", f"{name!r} cannot be the name of an environment variable"
            )
    if any("\x00" in word for word in (*words, *environment.values())):
        raise file.refusal(at, "a zero byte is in it, which no word of a command can hold")


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(known)}"
    return f"no {what} is called {name}; {hint}"


def placed(file: OwnYaml, at: str, error: BadInput) -> BadInput:
    """The same error, said of a line of the plan."""
    return file.refusal(at, error.message, remedy=error.remedy)
