"""
What measuring a pod needs from the world.

A cluster that answers with an object or says no, its changes one at a time, the server in
the pod, and somebody who saves all that a start left behind. Edges fit these without
importing them. A no is a value, told from an object by not being a dict; only what makes
every further question pointless raises.
Moments are monotonic nanoseconds unless their name says unix.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from firstlight.core.objects import Object
from firstlight.core.workloads import Target
from firstlight.measure.ports import Answer, Clock, Progress, Store


class Refused(Protocol):
    """The API server's no."""

    @property
    def status(self) -> int: ...
    @property
    def words(self) -> str: ...
    @property
    def verb(self) -> str: ...
    @property
    def resource(self) -> str: ...


class Cluster(Protocol):
    """The API server; raises OutsideFailed where it does not answer."""

    def path(
        self,
        resource: str,
        *,
        namespace: str | None = None,
        name: str | None = None,
        part: str | None = None,
    ) -> str: ...
    def get(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refused: ...
    def items(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refused: ...
    def patch(self, path: str, body: object, *, kind: str = "merge") -> Object | Refused: ...
    def create(self, path: str, body: object) -> Object | Refused: ...
    def delete(self, path: str, *, uid: str | None = None) -> Object | Refused: ...


class Change(Protocol):
    """One object, and what happened to it."""

    @property
    def type(self) -> str: ...
    @property
    def object(self) -> Object: ...
    @property
    def arrived_ns(self) -> int: ...
    @property
    def listed(self) -> bool: ...


class Changes(Protocol):
    """What happens to some pods, in order, none missed."""

    @property
    def reconnected(self) -> int: ...
    @property
    def relisted(self) -> int: ...
    def next(self, *, until_ns: int) -> Change | None:
        """The next change; None when the time is up.

        Raises:
            OutsideFailed: there will be no more.
        """
        ...

    def stop(self) -> None: ...


class WatchPods(Protocol):
    """Watch the pods of a list from one of its versions on."""

    def __call__(
        self,
        path: str,
        params: Mapping[str, str],
        *,
        since_version: str,
        known: Iterable[Object],
    ) -> Changes: ...


class PodAnswer(Answer, Protocol):
    """What came back from a pod's server, or from the API server in between."""

    @property
    def own(self) -> bool:
        """Whether the API server itself said it."""
        ...


class PodServer(Protocol):
    """The server in a pod, asked through the API server; asking never raises."""

    def models(
        self, namespace: str, pod: str, port: int, *, https: bool, timeout_ns: int
    ) -> PodAnswer: ...
    def first_token(
        self,
        namespace: str,
        pod: str,
        port: int,
        *,
        https: bool,
        timeout_ns: int,
        model: str | None,
        chat: bool,
    ) -> PodAnswer: ...


class Capture(Protocol):
    """
    Save what a start left in the cluster into a folder.

    What is missing in it, and why, stands in what is saved.
    """

    def __call__(self, target: Target, *, folder: str) -> None: ...


class FetchProbe(Protocol):
    """Copy the probe's records out of a container into a folder; what must be known about it."""

    def __call__(
        self, *, namespace: str, pod: str, container: str | None, source: str, folder: str
    ) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PodInstruments:
    """Everything a start in a cluster is measured with."""

    run: str
    """Tells this measurement from all others, in what it writes on nodes."""
    clock: Clock
    cluster: Cluster
    watch: WatchPods
    server: PodServer
    capture: Capture
    fetch_probe: FetchProbe
    store: Store
    progress: Progress
    say: Callable[[str], None]
    """Told what is about to be done to the cluster, before it is done."""
    undisturbed: Callable[[], AbstractContextManager[None]]
    """While inside, being told to end waits: a change is sent and its answer heard."""
