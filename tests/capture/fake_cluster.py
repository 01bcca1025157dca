"""
A cluster of values, with the hazards of real ones: refusals, a clock that is off, pods that go.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Object = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class No:
    """A refusal."""

    status: int
    verb: str = "get"
    resource: str = ""
    words: str = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew:
    """The server's clock against ours."""

    lowest_ns: int
    highest_ns: int
    agreed: bool = True


@dataclass(slots=True, kw_only=True)
class Lines:
    """A log."""

    lines: list[bytes]
    problem: str | None = None

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.lines)


@dataclass(slots=True, kw_only=True)
class FakeCluster:
    """Answers by path; whatever is not said is not found."""

    answers: dict[str, Object | No] = field(default_factory=dict)
    logs: dict[str, Lines | No] = field(default_factory=dict)
    clock_difference: Skew | None = None
    namespace: str = "demo"
    context: str = "fake"
    asked: list[str] = field(default_factory=list)

    def server_version(self) -> str:
        return "v1.36.0"

    def path(self, resource: str, *, namespace: str | None = None, name: str | None = None) -> str:
        return "/".join(part for part in (namespace, resource, name) if part)

    def get(self, path: str, params: Mapping[str, str] | None = None) -> Object | No:
        self.asked.append(f"{path} {dict(params or {})}" if params else path)
        resource = path.removeprefix("demo/").split("/")[0]
        return self.answers.get(path, No(status=404, resource=resource))

    def items(self, path: str, params: Mapping[str, str] | None = None) -> Object | No:
        answer = self.get(path, params)
        if isinstance(answer, No) and answer.status == 404:
            return {"items": []} if "nodeclaims" not in path else answer
        return answer

    def log(self, _: str, pod: str, container: str, *, previous: bool = False) -> Lines | No:
        key = f"{pod}/{container}{' previous' if previous else ''}"
        self.asked.append(f"log {key}")
        return self.logs.get(key, No(status=404, resource="pods/log"))


class Memory:
    """A bundle that is nowhere but here."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {}
        self.logs: dict[str, bytes] = {}

    def write(self, name: str, document: Mapping[str, Any]) -> None:
        self.documents[name] = document

    def write_lines(self, name: str, blocks: Iterable[bytes]) -> None:
        self.logs[name] = b"".join(blocks)

    @contextmanager
    def __call__(self) -> Iterator["Memory"]:
        yield self
