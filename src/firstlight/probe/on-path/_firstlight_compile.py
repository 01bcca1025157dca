"""
What torch does inside a compilation, by its own names.

torch brackets each stage with `dynamo_timed("name")`. Those names are recorded
as they are ("dynamo:name"); the reader knows what the usual ones mean. After
warm-up the worker's cache counters are recorded.
"""

from __future__ import annotations

import _firstlight_counters as counters
import _firstlight_spans as spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Row = spans.Row


class _Timed:
    """torch's own context manager, and our note beside it."""

    __slots__ = ("_inner", "_key", "_row", "_token")

    def __init__(self, inner: Any, row: Row, key: str) -> None:
        self._inner = inner
        self._row = row
        self._key = key
        self._token: spans.Token | None = None

    def __enter__(self) -> Any:
        self._token = spans.begin(self._row)
        return self._inner.__enter__()

    def __exit__(self, *error: object) -> Any:
        try:
            return self._inner.__exit__(*error)
        finally:
            spans.end(self._token, n="dynamo:" + self._key[:120])

    def __call__(self, function: Any) -> Any:
        """As a decorator it stays what torch made it."""
        return self._inner(function)


def _dynamo_timed(function: Any, row: Row) -> Any:
    def call(key: Any, *args: Any, **kwargs: Any) -> Any:
        inner = function(key, *args, **kwargs)
        return _Timed(inner, row, key) if isinstance(key, str) else inner

    return call


def _warm_up(function: Any, row: Row) -> Any:
    spanned = spans.spanned(function, row)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return spanned(*args, **kwargs)
        finally:
            counters.write("warmed up")

    return call


def _warm_up_row(module: str, worker: str) -> Row:
    method = f"{worker}.compile_or_warm_up_model"
    return Row(module, method, "warm-up", "warm-up runs", announced=True, replace=_warm_up)


ROWS = (
    Row("torch._dynamo.utils", "dynamo_timed", "compile", "", replace=_dynamo_timed),
    _warm_up_row("vllm.v1.worker.gpu_worker", "Worker"),
    _warm_up_row("vllm.v1.worker.cpu_worker", "CPUWorker"),
    _warm_up_row("vllm.v1.worker.xpu_worker", "XPUWorker"),
    _warm_up_row("vllm.v1.worker.tpu_worker", "TPUWorker"),
)
