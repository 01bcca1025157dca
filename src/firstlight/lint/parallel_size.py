"""
How many GPUs an engine's arguments ask for in one pod, against those that the pod gets.

Ranks may be spread over pods: by `--nnodes`, by Ray, or by an object that makes groups of pods.
Then nothing is said, as nothing is where a number is not known.
"""

import re
from dataclasses import dataclass
from math import prod
from typing import Any

from firstlight.lint.engine import Argument, Engine, Known
from firstlight.lint.engine_image import is_another_compiler, is_cpu_or_xpu
from firstlight.manifests.pod_templates import command_items
from firstlight.readers.kube.fields import counted, mapping, within

_PARALLEL = (
    "--tensor-parallel-size",
    "--pipeline-parallel-size",
    "--prefill-context-parallel-size",
)
_DATA = "--data-parallel-size"
_LOCAL = "--data-parallel-size-local"
_DATA_ELSEWHERE = (
    "--data-parallel-rank",
    "--data-parallel-start-rank",
    "--data-parallel-address",
    "--data-parallel-backend",
    "--data-parallel-external-lb",
    "--data-parallel-hybrid-lb",
)
"""With one of these, copies of the engine may be in other pods."""
_BACKEND = "--distributed-executor-backend"
_IN_THE_POD = "mp"
_SEES_MORE = "NVIDIA_VISIBLE_DEVICES"
"""With it a container may see GPUs that it did not ask for."""
_SPREADS = re.compile(r"\bray\b|multi[-_]node")
_GROUPS = re.compile(r"LeaderWorkerSet|Ray|Dynamo|MPIJob|PyTorchJob|JobSet")
_WHOLE_GPUS = re.compile(r"(?:nvidia|amd)\.com/(?:gpu|gpu\.shared|mig-[\w.-]+)")
_PART_OF_A_GPU = re.compile(r"gpu|dra", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel:
    """More ranks than GPUs."""

    ranks: int
    gpus: int
    given: tuple[tuple[str, int], ...]
    """The arguments that multiply, each with its number, of those above one."""
    pointer: str
    """Of the first of them, into the object."""

    @property
    def says(self) -> str:
        """The arguments, for a sentence: `--tensor-parallel-size 4`."""
        return " times ".join(f"{name} {number}" for name, number in self.given)


def above_gpus(engine: Engine) -> Parallel | None:
    """The ranks of one pod where they are more than its GPUs; None where not, or not known."""
    gpus = _gpus(engine.container)
    if not gpus or _may_spread(engine) or is_another_compiler(engine) or is_cpu_or_xpu(engine):
        return None
    found = {name: engine.argument(name) for name in (*_PARALLEL, *_data(engine))}
    sizes = {name: _size(engine, one) for name, one in found.items()}
    given = tuple((name, size) for name, size in sizes.items() if size and size > 1)
    if None in sizes.values() or not given:
        return None
    ranks = prod(size for _, size in given)
    if ranks <= gpus:
        return None
    return Parallel(ranks=ranks, gpus=gpus, given=given, pointer=found[given[0][0]].pointer)


def _size(engine: Engine, argument: Argument) -> int | None:
    if argument.known is Known.ABSENT:
        return 1
    return counted(engine.text_of(argument))


def _data(engine: Engine) -> tuple[str, ...]:
    """The argument that says how many copies run in the pod, where one does."""
    if engine.argument(_LOCAL).known is not Known.ABSENT:
        return (_LOCAL,)
    elsewhere = any(engine.argument(n).known is not Known.ABSENT for n in _DATA_ELSEWHERE)
    return () if elsewhere else (_DATA,)


def _may_spread(engine: Engine) -> bool:
    if _GROUPS.search(engine.manifest.identity.kind):
        return True
    absent = ("--nnodes", "--headless", "--node-rank")
    if any(engine.argument(name).known is not Known.ABSENT for name in absent):
        return True
    backend = engine.argument(_BACKEND)
    if backend.known is not Known.ABSENT and engine.text_of(backend) != _IN_THE_POD:
        return True
    return any(_SPREADS.search(item) for item in command_items(engine.container)) or any(
        name == _SEES_MORE or name.startswith("RAY_") for name in engine.variables
    )


def _gpus(container: dict[str, Any]) -> int | None:
    """How many GPUs the container gets; None where it asks for none, or in another way."""
    resources = container.get("resources")
    asked = {**mapping(within(resources, "requests")), **mapping(within(resources, "limits"))}
    if mapping(resources).get("claims"):
        return None
    total = 0
    for name, quantity in asked.items():
        if _WHOLE_GPUS.fullmatch(str(name)):
            number = counted(quantity)
            if number is None:
                return None
            total += number
        elif _PART_OF_A_GPU.search(str(name)):
            return None
    return total or None
