"""
Method and limits of a run in sentences, from what was really done in it.
"""

from collections.abc import Iterator, Sequence

from firstlight.compare.verdict import FEWEST
from firstlight.core.page_cache import DROPPED, LEFT
from firstlight.core.scenarios import COLD, WAKE, WARM
from firstlight.experiment.plan import GATEWAY, KUBERNETES, PROCESS, Plan
from firstlight.experiment.rounds import Round
from firstlight.experiment.schedule import Purpose
from firstlight.experiment.step import Step


def method(plan: Plan, steps: Sequence[Step], poll_s: float) -> list[str]:
    """How it was done."""
    turns = f"{_counted(plan.rounds, 'round')} a step and scenario ({', '.join(plan.scenarios)})"
    said = [
        f"{len(steps)} steps, each one change on the one before. {_PROOF[plan.substrate]}"
        if len(steps) > 1
        else "The baseline alone.",
        f"{turns}. {_TURNS if len(steps) > 1 else ''}".rstrip(),
        *([_ROUND[plan.substrate].format(poll_s=poll_s)] if plan.scenarios != (WAKE,) else ()),
        *(_scenario(plan, scenario) for scenario in plan.scenarios),
        _FIGURES,
        _FIXED,
        _EFFECT,
    ]
    if (serving := plan.serving_check) is not None:
        said.append(
            f"Each ready engine was asked {len(serving.prompts)} fixed prompts, greedily, with at "
            f"most {serving.tokens} tokens each. The baseline is held against itself first: only "
            "where its own rounds say the same is that demanded of the others."
        )
    return said


_PROOF = {
    PROCESS: "That was proven on their commands and environments before anything was run.",
    KUBERNETES: "That was proven on all values of their objects before anything was run.",
}
_TURNS = (
    "The plan has the steps take turns, forwards and backwards in turn, so that neighbours run "
    "next to each other; where rounds did not, their comparison says so."
)
_ROUND = {
    PROCESS: "A round is one start, from the process to the first 200 of /health; then one token "
    "was asked for. It was asked every {poll_s:g} s.",
    KUBERNETES: "A round is one start of a pod, from its creation to Ready, as the cluster stamps "
    "both, after the pod before it was gone; then one token was asked for through the API server.",
}
_FIGURES = "Medians and both ends are given; no round was dropped for being slow or fast."
_FIXED = (
    "Verdicts are given for what was fixed beforehand: the total, and the phases that a technique "
    "claims. Other phases can only be said to have moved as well."
)
_EFFECT = (
    "Whether a technique took effect is told from what the engine printed and the probe saw, "
    "never from seconds; a step that shows no effect is not applied, whatever its seconds."
)
_COLD = (
    "Cold: the container's layer and the node's disk are empty, and the page cache is dropped "
    "where the kernel permits it."
)
_WARM = (
    "Warm: the container's layer is empty, the node's disk is as the step's earlier rounds left "
    "it. What has to fill it, or memory, is a round of its own before the others, and no result."
)
_WAKE = (
    "Wake: the engine was put to sleep at level 1 and woken; the round is the time from the wake "
    "call to one token."
)
_WAKE_THROUGH = (
    "Wake: a gateway stood before the engine and put it to sleep at level 1 when it was told to; "
    "the round is the time from one request, sent to the gateway while the engine slept, to its "
    "first token. In it are the wake-up and what the gateway asks before it lets anybody in."
)
_COLD_POD = (
    "Cold: all nodes that could take the pod were closed until it had a node that was not there "
    "before; what that node has was not looked into."
)
_WARM_POD = (
    "Warm: a new pod on one and the same node, which has what earlier rounds left; nothing on it "
    "was emptied. The first round of each step may fill it, and is no result."
)
_SCENARIOS = {
    PROCESS: {COLD: _COLD, WARM: _WARM, WAKE: _WAKE},
    KUBERNETES: {COLD: _COLD_POD, WARM: _WARM_POD, WAKE: _WAKE},
}
_LIMITS = {
    PROCESS: (
        "One machine, and one model: another one may give other figures and another order.",
        "A process on a host: no node is made, no image is pulled and no pod is scheduled.",
    ),
    KUBERNETES: (
        "One cluster and one model: another one may give other figures and another order.",
        "A pod's stamps are whole seconds, so differences of less than that are not resolved.",
    ),
}


def _scenario(plan: Plan, scenario: str) -> str:
    if (scenario, plan.wake_through) == (WAKE, GATEWAY):
        return _WAKE_THROUGH
    return _SCENARIOS[plan.substrate][scenario]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def limits(plan: Plan, rounds: Sequence[Round], page_cache: Sequence[str]) -> list[str]:
    """What must not be concluded."""
    return list(_limits(plan, rounds, page_cache))


def _limits(plan: Plan, rounds: Sequence[Round], page_cache: Sequence[str]) -> Iterator[str]:
    yield from _LIMITS[plan.substrate]
    if plan.rounds < FEWEST:
        rounds_a_step = f"{_counted(plan.rounds, 'round')} a step"
        yield f"{rounds_a_step}: too few to conclude anything from, {FEWEST} are the fewest."
    if refused := sorted(set(page_cache) - {DROPPED, LEFT}):
        yield f"The page cache could not be dropped before cold rounds: {refused[0]}."
    elif COLD not in plan.scenarios:
        yield "The page cache was left as it was, so weights may come from memory."
    if failed := [r for r in rounds if not r.entry.is_ready]:
        tries = "1 try failed and is" if len(failed) == 1 else f"{len(failed)} tries failed and are"
        yield f"{tries} no part of the figures; each is listed."
    results = [r for r in rounds if r.slot.purpose is Purpose.RESULT and r.entry.is_ready]
    unproven = [r for r in results if not (r.counts or r.not_cold)]
    if unproven:
        rounds_left = _counted(len(unproven), "round")
        are = "is" if len(unproven) == 1 else "are"
        yield f"{rounds_left} came up without a proven total, and {are} left out."
