"""
A watch whose changes wait in line, so that whoever takes them can also look at the time.

A thread reads the watch and stamps nothing: each change carries the moment at which it
arrived. What ends the watch is told to the taker, after all that came before.
"""

import queue
import threading
import time
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from firstlight.core.units import NS_PER_S

_JOIN_S = 5.0
_T_co = TypeVar("_T_co", covariant=True)
_C = TypeVar("_C")


class Watch(Protocol[_T_co]):
    """Something to iterate over that can be told to stop from another thread."""

    @property
    def reconnected(self) -> int: ...
    @property
    def relisted(self) -> int: ...
    def __iter__(self) -> Iterator[_T_co]: ...
    def stop(self) -> None: ...


class QueuedChanges(Generic[_C]):
    """The changes of a watch that is read in a thread."""

    def __init__(self, watch: Watch[_C]) -> None:
        self._watch = watch
        self._line: queue.SimpleQueue[_C | _End] = queue.SimpleQueue()
        self._end: _End | None = None
        self._thread = threading.Thread(target=self._read, name="watch", daemon=True)
        self._thread.start()

    @property
    def reconnected(self) -> int:
        return self._watch.reconnected

    @property
    def relisted(self) -> int:
        return self._watch.relisted

    def next(self, *, until_ns: int) -> _C | None:
        """The next change; None when the time is up, or the watch was stopped.

        Raises:
            OutsideFailed: or whatever else ended the watch.
        """
        left_s = max(0, until_ns - time.monotonic_ns()) / NS_PER_S
        if self._end is None:
            try:
                one = self._line.get(timeout=left_s)
            except queue.Empty:
                return None
            if not isinstance(one, _End):
                return one
            self._end = one
        if self._end.why is not None:
            raise self._end.why
        return None

    def stop(self) -> None:
        """End the watch and its thread."""
        self._watch.stop()
        self._thread.join(_JOIN_S)

    def _read(self) -> None:
        try:
            for change in self._watch:
                self._line.put(change)
        except Exception as why:  # noqa: BLE001 - it is the taker's, in the taker's thread
            self._line.put(_End(why))
        else:
            self._line.put(_End(None))


class _End:
    """The watch is over."""

    def __init__(self, why: Exception | None) -> None:
        self.why = why
