"""
Where a step's engine has its compile caches, and whether that is emptied with the step.

A cold round is one that finds nothing. On a host that is so for what lies in `${container}` or
`${node}`: both are emptied. A compile cache in any other folder is still there, from the round
before or from another plan of last week, and a round that finds it is called cold and is not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstlight.core.scenarios import COLD
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.command_steps import IN_CONTAINER
from firstlight.experiment.command_words import read_command
from firstlight.experiment.plan import Plan
from firstlight.experiment.settings import CONTAINER, NODE
from firstlight.experiment.step import Step
from firstlight.readers.own_yaml import OwnYaml

_LAYERS = (f"${{{CONTAINER}}}", f"${{{NODE}}}")
_COMPILATION = ("--compilation-config", "-cc")
_CACHE_DIR = re.compile(r"""["']?\bcache_dir["']?\s*[:=]\s*["']?((?:\$\{\w+\}|[^"',}\s])+)""")
_KEPT_BY_NAME = re.compile(r"\$\{" + NODE + r"\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A compile cache that is emptied with nobody."""

    step: int
    name: str
    """Of the variable or the argument."""
    path: str | None
    """None where nothing says where it lies: in somebody's home."""

    def __str__(self) -> str:
        return f"{self.name} is {self.path}" if self.path else f"{self.name} is not said"


def kept_outside(steps: Sequence[Step]) -> tuple[Kept, ...]:
    """The compile caches of steps on a host that lie outside the layers, each where it begins."""
    found: list[Kept] = []
    for step in steps:
        if isinstance(step.setup, CommandSetup):
            known = {(one.name, one.path) for one in found}
            outside = (Kept(step=step.number, name=n, path=p) for n, p in _outside(step.setup))
            found += [one for one in outside if (one.name, one.path) not in known]
    return tuple(found)


def check_kept(plan: Plan, steps: Sequence[Step], file: OwnYaml) -> None:
    """
    See that a plan with cold rounds empties every compile cache.

    Raises:
        BadInput: one lies elsewhere; the sentence says the line.
    """
    kept = kept_outside(steps) if COLD in plan.scenarios else ()
    for one in kept:
        raise file.refusal(
            f"/steps/{one.step - 1}" if one.step else "/base/process",
            f"at {steps[one.step].name} {one}: a cold round would find there what another left",
            remedy=f"let it lie below {_LAYERS[1]}, which the plan empties, or leave cold out",
        )


def keeps_something(step: Step) -> bool:
    """Whether anything at a step names the node's disk; in a cluster nobody can tell."""
    if not isinstance(step.setup, CommandSetup):
        return True
    words = (*step.setup.words, *step.setup.environment.values())
    return any(_KEPT_BY_NAME.search(word) for word in words)


def _outside(setup: CommandSetup) -> Iterator[tuple[str, str | None]]:
    for name in IN_CONTAINER:
        path = setup.environment.get(name)
        if path is None or not is_within(path):
            yield name, path
    for name, value in read_command(setup.command).options.items():
        if name.startswith(_COMPILATION):
            told = f"{name.partition('.')[2]}={value}"
            for path in _CACHE_DIR.findall(told):
                if not is_within(path):
                    yield name, path


def is_within(path: str) -> bool:
    """Whether a path lies in one of the folders that are emptied."""
    return any(path == layer or path.startswith(f"{layer}/") for layer in _LAYERS) and (
        ".." not in path.split("/")
    )
