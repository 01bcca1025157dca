"""Sleep of level 2, woken by a call that gives no weights back."""

from collections.abc import Iterator

from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.sleep_calls import sleep_calls
from firstlight.techniques.sources import Origin, Source

_DISCARDS = 2


def _check(scene: Scene) -> Iterator[Hit]:
    if not any(e.has("--enable-sleep-mode") is not False for e in scene.engines):
        return
    found = sleep_calls(scene)
    # Who wakes it may be elsewhere: only a wake that is seen can be judged.
    if found.reloads or not found.wakes:
        return
    for call in found.calls:
        if call.level == _DISCARDS:
            yield Hit(
                manifest=call.manifest,
                pointer=call.pointer,
                what="this puts the engine to sleep at level 2, which throws the weights away, and "
                "among the objects something wakes it and nothing reloads them",
            )


RULE = Rule(
    code="sleep-level-2-without-reload",
    severity=Severity.ERROR,
    title="An engine that sleeps at level 2 must reload its weights when it wakes",
    why=(
        "A bare wake_up answers 200, the weights are whatever the memory holds, and the engine "
        "serves nonsense. Nothing fails: not the call, not the probes, not the requests."
    ),
    remedy="wake in this order: wake_up?tags=weights, then collective_rpc with method "
    "reload_weights, then wake_up?tags=kv_cache; or sleep at level 1",
    sources=(
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/features/sleep_mode"),
        Source(origin=Origin.REPORTED, where="github.com/vllm-project/vllm/issues/29341"),
        Source(origin=Origin.REPORTED, where="github.com/vllm-project/vllm/pull/54235"),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
