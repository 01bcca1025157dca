"""
One thing that goes on beside the rest, begun anew or put down, and waited for by nobody.

It may end, and it may break: then it is said, and nothing else is the worse for it.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Aside:
    """At most one at a time."""

    def __init__(self, what: str) -> None:
        """
        Args:
            what: in words, for whoever reads that it broke.
        """
        self._what = what
        self._task: asyncio.Task[None] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether it was begun since it was last put down; it may have ended."""
        return self._task is not None

    def begin(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """
        In place of what is under way.

        Args:
            coroutine: what is to be done.
        """
        self.stop()
        self._task = asyncio.create_task(coroutine)
        self._task.add_done_callback(self._tell)

    def stop(self) -> None:
        """Put it down."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    def _tell(self, task: asyncio.Task[None]) -> None:
        broken = None if task.cancelled() else task.exception()
        if broken is not None:
            task.get_loop().call_exception_handler(
                {"message": f"{self._what} broke", "exception": broken}
            )
