"""
What a capture needs from the world.

Edges fit these without importing them. A no is a value beside the answer: whoever asks looks
whether the answer is what was asked for, a dict or an iterable of lines, and has a `Refusal`
where it is neither.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from firstlight.core.objects import Object


class Refusal(Protocol):
    """The cluster understood, and said no."""

    @property
    def status(self) -> int: ...
    @property
    def verb(self) -> str: ...
    @property
    def resource(self) -> str: ...
    @property
    def words(self) -> str: ...


class Log(Protocol):
    """A container's lines, each with its end."""

    @property
    def problem(self) -> str | None: ...
    def __iter__(self) -> Iterator[bytes]: ...


class ClockDifference(Protocol):
    """The server's clock minus ours lies between these."""

    @property
    def lowest_ns(self) -> int: ...
    @property
    def highest_ns(self) -> int: ...
    @property
    def agreed(self) -> bool: ...


class Cluster(Protocol):
    """One API server, as one user."""

    @property
    def namespace(self) -> str: ...
    @property
    def context(self) -> str: ...
    @property
    def clock_difference(self) -> ClockDifference | None: ...
    def server_version(self) -> str: ...
    def path(
        self,
        resource: str,
        *,
        namespace: str | None = None,
        name: str | None = None,
    ) -> str: ...
    def get(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refusal: ...
    def items(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refusal: ...
    def log(
        self, namespace: str, pod: str, container: str, *, previous: bool = False
    ) -> Log | Refusal: ...


class BundleFolder(Protocol):
    """Where a bundle is written; it is nowhere to be seen before it is whole."""

    def write(self, name: str, document: Mapping[str, Any]) -> None: ...
    def write_lines(self, name: str, blocks: Iterable[bytes]) -> None: ...


class NewBundle(Protocol):
    """Opens a bundle; leaving the block without an error puts it in its place."""

    def __call__(self) -> AbstractContextManager[BundleFolder]: ...


Progress = Callable[[str], None]
"""Told, in a few words, what is being done."""
