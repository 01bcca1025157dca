"""
What a plan must not say, before anything is made of it: each mistake with its line.

A number that is no length, two places to run in, two changes in one step. Whether a step is
one change on the one before is seen when the steps are worked out.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from firstlight.core.phases import Phase
from firstlight.core.scenarios import SCENARIOS, WAKE
from firstlight.core.shortened import shortened
from firstlight.experiment.command_words import read_command
from firstlight.experiment.plan import GATEWAY, KUBERNETES, PROCESS, Base, Plan, PlannedStep
from firstlight.readers.own_yaml import OwnYaml

_MOST_ROUNDS = 1000
_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,60}")
"""Of a change: it is a part of the names of folders."""
_PORT, _HIGHEST_PORT = "--port", 65_535
_NUMBER = re.compile(r"[0-9]{1,5}")
_PART = re.compile(r"\w[\w.-]*(?: [\w.-]+)*")
"""Of a claim, behind a slash."""
_VARIABLE = re.compile(r"[^=\x00]+")


def check_plan(file: OwnYaml, plan: Plan) -> None:
    """
    See that a plan makes sense.

    Args:
        file: its text, to name a line.
        plan: its settings need not be filled in.

    Raises:
        BadInput: it does not; the sentence says the line.
    """
    if not plan.name.strip():
        raise file.refusal("/name", "the plan's name is empty")
    _check_numbers(file, plan)
    for number, scenario in enumerate(plan.scenarios):
        if scenario not in SCENARIOS:
            raise file.refusal(f"/scenarios/{number}", _unknown("scenario", scenario, SCENARIOS))
    if len(set(plan.scenarios)) < len(plan.scenarios):
        raise file.refusal("/scenarios", "a scenario is named twice")
    _check_base(file, plan.base)
    if plan.wake_through == GATEWAY:
        _check_gateway(file, plan)
    for number, step in enumerate(plan.steps):
        _check_step(file, step, plan.substrate, f"/steps/{number}")


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


def _check_gateway(file: OwnYaml, plan: Plan) -> None:
    """See that there is something to go through a gateway, and that one can be put there."""
    if WAKE not in plan.scenarios:
        raise file.refusal(
            "/wake_through",
            "wake-ups go through a gateway, and no scenario wakes an engine",
            remedy="name the scenario wake, or leave wake_through out",
        )
    if plan.substrate == KUBERNETES:
        raise file.refusal(
            "/wake_through",
            "a plan puts a gateway before a process on this host, and not yet into a pod",
            remedy="leave it out, and the engine's own calls are made; or make a plan of a process",
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
        if not base.process.command[0].strip():
            raise file.refusal("/base/process/command/0", "the base's first word is no program")
        _check_words(file, "/base/process", base.process.command, base.process.environment)
        port = read_command(base.process.command).options.get(_PORT)
        _check_port(file, "/base/process/command", port)
    if base.kubernetes is not None and base.kubernetes.port is not None:
        _check_port(file, "/base/kubernetes/port", str(base.kubernetes.port))


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
    _check_claims(file, step.claims, f"{at}/claims")


def _check_claims(file: OwnYaml, claims: Sequence[str], at: str) -> None:
    """See that each is a phase, or a part of one."""
    for number, claim in enumerate(claims):
        phase, *parts = claim.split("/")
        if phase not in tuple(Phase):
            raise file.refusal(f"{at}/{number}", _unknown("phase", claim, tuple(Phase)))
        if not all(map(_PART.fullmatch, parts)):
            raise file.refusal(
                f"{at}/{number}",
                f"{claim!r} names no part of {phase}",
                remedy="a part stands behind a slash, as explain calls it: engine_init/compile",
            )
        if claim in claims[:number]:
            raise file.refusal(f"{at}/{number}", f"{claim} is claimed twice")


def _check_port(file: OwnYaml, at: str, port: str | None) -> None:
    """See that a port is one; what a setting stands for is not known yet."""
    if port is None or "${" in port:
        return
    if not _NUMBER.fullmatch(port) or not 0 < int(port) <= _HIGHEST_PORT:
        raise file.refusal(
            at, f"{shortened(port)!r} is no port", remedy=f"give one from 1 to {_HIGHEST_PORT}"
        )


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
