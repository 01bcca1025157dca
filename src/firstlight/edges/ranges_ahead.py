"""
An object read from its beginning to its end, several ranges of it at once.

One connection to an object store brings some tens of megabytes a second, whatever the link could
carry. So ranges are asked for ahead, a few at once, and given out in order. No more of them are
held than are asked for at once: whoever reads slowly slows the asking. The first ones are small,
since all come over one link and whoever reads can do nothing before the first of them is there.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from firstlight.edges.daemon_pool import DaemonPool

if TYPE_CHECKING:
    from concurrent.futures import Future

PART_BYTES = 8 * 1024 * 1024
_FIRST_BYTES = 512 * 1024
AT_ONCE = 8


class RangesAhead:
    """
    The bytes of an object as a stream; a context manager, at whose end nothing is asked for.

    Args:
        read_range: the bytes from one to before another; it raises what is wrong, and so does
            `read` then.
        size_bytes: of the object.
    """

    def __init__(
        self,
        read_range: Callable[[int, int], bytes],
        size_bytes: int,
        *,
        part_bytes: int = PART_BYTES,
        at_once: int = AT_ONCE,
    ) -> None:
        self._read_range = read_range
        self._size_bytes = size_bytes
        self._part_bytes = part_bytes
        self._threads = DaemonPool(at_once, name="range")
        self._ahead: deque[Future[bytes]] = deque()
        self._at_once = at_once
        self._asked_bytes = 0
        self._part = memoryview(b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.leave()

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes; none at the end."""
        if not self._part:
            self._ask()
            if not self._ahead:
                return b""
            self._part = memoryview(self._ahead.popleft().result())
            self._ask()
        piece, self._part = self._part[:size], self._part[size:]
        return bytes(piece)

    def _ask(self) -> None:
        while self._asked_bytes < self._size_bytes and len(self._ahead) < self._at_once:
            begin = self._asked_bytes
            part_bytes = min(self._part_bytes, max(_FIRST_BYTES, begin))
            self._asked_bytes = min(begin + part_bytes, self._size_bytes)
            part = partial(self._read_range, begin, self._asked_bytes)
            self._ahead.append(self._threads.submit(part))
