"""Sleep of level 1 in a pod that may not use as much memory as the model has."""

from collections.abc import Iterator

from firstlight.lint.memory_limit import gib, memory_limit
from firstlight.lint.model_named import ranks_in_pod, stated_model_bytes
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.sleep_calls import sleep_calls
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    sleepers = [e for e in scene.engines if e.has("--enable-sleep-mode")]
    size = stated_model_bytes(scene)
    if not sleepers or size is None:
        return
    if (levels := sleep_calls(scene).levels) and 1 not in levels:
        return
    for engine in sleepers:
        limit = memory_limit(engine)
        if limit is not None and limit[0] < size and ranks_in_pod(engine) is not None:
            yield Hit(
                manifest=engine.manifest,
                pointer=limit[1],
                what=f"the container may use {gib(limit[0])}, and a sleep of level 1 moves the "
                f"model's {gib(size)} into its memory",
            )


RULE = Rule(
    code="sleep-host-memory",
    severity=Severity.ERROR,
    title="The memory limit must hold the model where the engine sleeps at level 1",
    why=(
        "Level 1 copies the weights into pinned memory of the host. A container whose limit is "
        "smaller is killed when it falls asleep, hours after a start that was fine, and the next "
        "request waits for a whole start."
    ),
    remedy="raise the memory limit above the model and what the engine uses anyway, or sleep at "
    "level 2 and reload",
    sources=(
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/features/sleep_mode"),
        Source(origin=Origin.UPSTREAM, where="vllm/device_allocator/cumem.py, cpu_backup_tensor"),
        Source(
            origin=Origin.REPORTED,
            where="github.com/llm-d-extensions/vllm-cold-start-playground: 61.7 GiB pinned for 32B",
        ),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
