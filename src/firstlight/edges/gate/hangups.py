"""
Notices clients that go while nothing is read from them.

Whoever waits for an engine to wake is not read from further than a bounded buffer, and an event
loop that does not read does not see the end of a stream either. The kernel knows it all the same
and says so to whoever asks for just that; it knows only where all that was sent before the end has
arrived, so one who goes with more unsent than a socket holds is noticed when reading goes on.
"""

import asyncio
import select
from collections.abc import Callable
from contextlib import suppress


class Hangups:
    """Connections whose other side may go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched: dict[int, Callable[[], None]] = {}
        # One that is watched once more, apart from the loop's own, so that both may.
        self._epoll = select.epoll()
        loop.add_reader(self._epoll.fileno(), self._look)

    def watch(self, descriptor: int, gone: Callable[[], None]) -> None:
        """Call when the other side has ended its stream, once."""
        self._watched[descriptor] = gone
        self._epoll.register(descriptor, select.EPOLLRDHUP)

    def forget(self, descriptor: int) -> None:
        """It is closed here."""
        if self._watched.pop(descriptor, None) is not None:
            with suppress(OSError):
                self._epoll.unregister(descriptor)

    def close(self) -> None:
        """Watch nothing any more."""
        if not self._epoll.closed:
            self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()
            self._watched.clear()

    def _look(self) -> None:
        for descriptor, _ in self._epoll.poll(0):
            gone = self._watched.get(descriptor)
            self.forget(descriptor)
            if gone is not None:
                gone()
