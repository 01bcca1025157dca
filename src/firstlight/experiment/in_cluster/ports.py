"""
What putting objects in place needs of a cluster: an API server that answers or says no.
"""

from collections.abc import Mapping
from typing import Protocol

from firstlight.core.objects import Object


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

    def get(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refused: ...
    def patch(self, path: str, body: object, *, kind: str = "merge") -> Object | Refused: ...
    def create(self, path: str, body: object) -> Object | Refused: ...
    def delete(self, path: str, *, uid: str | None = None) -> Object | Refused: ...
