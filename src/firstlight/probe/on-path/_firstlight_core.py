"""
The engine core's functions: its workers, the KV cache's size, the scheduler.

Where the executor has workers of its own, it waits for them; in one process
with its worker the same calls do the work, which the worker's rows then name.
"""

from __future__ import annotations

import _firstlight_spans as spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Row = spans.Row

_CORE = "vllm.v1.engine.core"
_KV = "vllm.v1.core.kv_cache_utils"
_MULTIPROC = "vllm.v1.executor.multiproc_executor"

_WORK = (
    (_CORE, "EngineCoreProc.__init__", "engine core", "construction"),
    (_CORE, "EngineCore.__init__", "engine core", "construction"),
    (_CORE, "EngineCoreProc.startup_handshake", "engine core", "handshake"),
    (_CORE, "EngineCore._initialize_kv_caches", "KV cache", "sizing"),
    (_KV, "get_kv_cache_configs", "KV cache", "sizing"),
    (_KV, "get_kv_cache_config", "KV cache", "sizing"),
    ("vllm.v1.structured_output", "StructuredOutputManager.__init__", "scheduler", "grammars"),
    ("vllm.v1.core.sched.scheduler", "Scheduler.__init__", "scheduler", "construction"),
    ("vllm.v1.core.kv_cache_manager", "KVCacheManager.__init__", "scheduler", "block pool"),
    ("vllm.utils.gc_utils", "freeze_gc_heap", "heap", "freezing the heap"),
    ("vllm.v1.executor.abstract", "Executor.__init__", "executor", "construction"),
    ("vllm.executor.executor_base", "ExecutorBase.__init__", "executor", "construction"),
    (_MULTIPROC, "WorkerProc.make_worker_process", "executor", "worker processes"),
    ("vllm.utils.ompmultiprocessing", "OMPProcessManager.__init__", "executor", "thread binding"),
)
_WAITS = ("WorkerProc.wait_for_ready", "WorkerProc.wait_for_startup")
_PER_STEP = frozenset(
    (
        "execute_model",
        "sample_tokens",
        "take_draft_token_ids",
        "execute_dummy_batch",
        "check_health",
    )
)
"""What the executor asks of its workers while serving: never noted."""


def _asked(function: Any, row: Row) -> Any:
    """A replacement that notes the calls of the start only."""
    spanned = spans.spanned(function, row)

    def call(self: Any, method: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(method, str) and method in _PER_STEP:
            return function(self, method, *args, **kwargs)
        return spanned(self, method, *args, **kwargs)

    return call


def _asked_for(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> str:
    return args[1] if isinstance(args[1], str) else ""


def _wait(function: str, **more: Any) -> Row:
    return Row(_MULTIPROC, function, "executor", "waiting for the workers", kind="wait", **more)


ROWS = (
    *(
        Row(module, function, group, name, announced=name == "construction")
        for module, function, group, name in _WORK
    ),
    *(_wait(function, announced=True) for function in _WAITS),
    _wait("MultiprocExecutor.collective_rpc", detail=_asked_for, replace=_asked),
)
