"""Sleep of level 1 in a pod that may not use as much memory as the model has."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.gateways import gateway_of
from firstlight.lint.memory_limit import gib, memory_limit
from firstlight.lint.model_named import ranks_in_pod, stated_model_bytes
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.sleep_calls import sleep_calls
from firstlight.techniques.sources import Origin, Source

_OF_A_WORKER = 3 * 10**9
"""What others saw a worker on a GPU hold beside what it pinned: 35 GB with 32 GB pinned, 43 with
40. The API server and the engine's core are not counted."""


def _check(scene: Scene) -> Iterator[Hit]:
    sleepers = [e for e in scene.engines if e.has("--enable-sleep-mode") and not _drops(e)]
    size = stated_model_bytes(scene)
    if not sleepers or size is None:
        return
    if (levels := sleep_calls(scene).levels) and 1 not in levels:
        return
    for engine in sleepers:
        limit, ranks = memory_limit(engine), ranks_in_pod(engine)
        if limit is None or ranks is None or limit[0] >= size + ranks * _OF_A_WORKER:
            continue
        below = limit[0] < size
        yield Hit(
            manifest=engine.manifest,
            pointer=limit[1],
            what=f"the container may use {gib(limit[0])}, and a sleep of level 1 moves the "
            f"model's {gib(size)} into its memory"
            + ("" if below else f", where {_workers(ranks)} some {gib(ranks * _OF_A_WORKER)}"),
            # What an engine needs besides is known from others' engines only.
            severity=None if below else Severity.WARNING,
        )


def _drops(engine: Engine) -> bool:
    """Whether its gateway puts it to sleep at a level that keeps no weights."""
    gateway = gateway_of(engine)
    return gateway is not None and gateway.option("--level") == "2"


def _workers(ranks: int) -> str:
    return "its worker has" if ranks == 1 else f"its {ranks} workers have"


RULE = Rule(
    code="sleep-host-memory",
    severity=Severity.ERROR,
    title="The memory limit must hold the model where the engine sleeps at level 1",
    why=(
        "Level 1 copies the weights into pinned memory of the host. A container whose limit is "
        "smaller is killed when it falls asleep, hours after a start that was fine, and the next "
        "request waits for a whole start. A limit just above the model is a warning: a worker has "
        "been seen to hold some 3 GB besides. More may be needed: torch rounds each block of "
        "pinned memory up to a power of two, which nearly doubles blocks of some sizes, and that "
        "is not counted here."
    ),
    remedy="raise the memory limit to the model and at least 3 GB for each GPU, twice the model to "
    "be safe, or sleep at level 2 and reload",
    sources=(
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/features/sleep_mode"),
        Source(origin=Origin.UPSTREAM, where="vllm/device_allocator/cumem.py, cpu_backup_tensor"),
        Source(
            origin=Origin.REPORTED,
            where="github.com/llm-d-extensions/vllm-cold-start-playground: 61.7 GiB pinned for 32B",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/vllm-project/vllm/pull/48436: 3 GB a worker beside what is pinned",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/pytorch/pytorch/issues/95823, "
            "github.com/vllm-project/vllm/issues/53042: pinned blocks of a power of two",
        ),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
