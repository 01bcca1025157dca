"""
What a measurement needs from the world.

Each port is as small as its use here. Edges fit them without importing them;
the wiring introduces the two, and mypy proves the fit. Moments are monotonic
nanoseconds unless their name says unix.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """The host's clocks."""

    def monotonic_ns(self) -> int: ...
    def unix_ns(self) -> int: ...


class Answer(Protocol):
    """What came back to one question put to the server."""

    @property
    def asked_ns(self) -> int: ...
    @property
    def answered_ns(self) -> int: ...
    @property
    def ok(self) -> bool: ...
    @property
    def words(self) -> str: ...
    @property
    def status(self) -> int | None: ...
    @property
    def model(self) -> str | None: ...


class Server(Protocol):
    """The engine's server, seen from outside; asking never raises."""

    def port(self, url: str, *, timeout_ns: int) -> Answer: ...
    def health(self, url: str, *, timeout_ns: int) -> Answer: ...
    def models(self, url: str, *, timeout_ns: int, api_key: str | None) -> Answer: ...
    def first_token(
        self, url: str, *, timeout_ns: int, api_key: str | None, model: str | None, chat: bool
    ) -> Answer: ...


class Ended(Protocol):
    """The end of the command."""

    @property
    def at_ns(self) -> int: ...
    @property
    def exit_code(self) -> int | None: ...
    @property
    def left(self) -> int: ...


class Stopped(Protocol):
    """How the engine's processes came to their end."""

    @property
    def length_ns(self) -> int: ...
    @property
    def exit_code(self) -> int | None: ...
    @property
    def ignored_sigterm(self) -> bool: ...
    @property
    def asked(self) -> tuple[str, ...]: ...
    @property
    def killed(self) -> tuple[str, ...]: ...
    @property
    def left(self) -> tuple[str, ...]: ...
    @property
    def log_problem(self) -> str | None: ...


class Listener(Protocol):
    """An address that one of the engine's processes listens on."""

    @property
    def port(self) -> int: ...
    @property
    def host(self) -> str: ...


class Engine(Protocol):
    """A command that was started."""

    @property
    def started_ns(self) -> int: ...
    @property
    def running_ns(self) -> int: ...
    def new_lines(self) -> list[tuple[int, str]]: ...
    def wait(self, *, timeout_ns: int) -> Ended | None: ...
    def listeners(self) -> Sequence[Listener]: ...
    def stop(self, *, grace_ns: int) -> Stopped: ...


class StartEngine(Protocol):
    """Start a command; raises EngineFailed where that is refused."""

    def __call__(
        self,
        *,
        command: Sequence[str],
        environment: Mapping[str, str],
        log_path: str,
        unix_offset_ns: int,
        secrets: Sequence[str],
    ) -> Engine: ...


class ListedFile(Protocol):
    """One file of a cache."""

    @property
    def path(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...


class ListedRoot(Protocol):
    """One cache folder and what lay in it."""

    @property
    def root(self) -> str: ...
    @property
    def exists(self) -> bool: ...
    @property
    def complete(self) -> bool: ...
    @property
    def files(self) -> Sequence[ListedFile]: ...
    @property
    def published(self) -> str | None: ...
    @property
    def published_in(self) -> str | None: ...


class Host(Protocol):
    """The machine: what it is, and what it was busy with."""

    def fixed(self) -> Mapping[str, object]: ...
    def now(self) -> Mapping[str, object]: ...


class RoundFolder(Protocol):
    """Where one round's artefacts go."""

    @property
    def path(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def log_path(self) -> str: ...
    def make_folder(self, name: str) -> str: ...
    def names_in(self, name: str) -> Sequence[str]: ...
    def write(self, name: str, value: Mapping[str, object]) -> None: ...
    def finish(self, record: Mapping[str, object]) -> None: ...


class Store(Protocol):
    """Where rounds are kept."""

    def new_round(self, label: str) -> RoundFolder: ...


class ListCaches(Protocol):
    """The files below some folders."""

    def __call__(self, roots: Iterable[str]) -> Sequence[ListedRoot]: ...


Progress = Callable[[str], None]
"""Told, in a few words, what is being waited for; called at each change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruments:
    """Everything a round is measured with."""

    clock: Clock
    start_engine: StartEngine
    server: Server
    list_caches: ListCaches
    host: Host
    store: Store
    progress: Progress
