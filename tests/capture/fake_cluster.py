"""
A cluster of values, with the hazards of real ones: refusals, a clock that is off, pods that go.

It says no as a real one does; `contract` has what both must do.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from firstlight.core.objects import Object, metadata, name, spec

_SERVED = frozenset(
    {
        *("pods", "nodes", "events", "namespaces", "deployments", "replicasets", "statefulsets"),
        "events.events.k8s.io",
    }
)
"""Of an add-on's resources only those are served that there are."""
_GROUPS = {"karpenter.sh/v1": ".karpenter.sh", "events.k8s.io/v1": ".events.k8s.io"}
_TERMS = re.compile(r",(?![^(]*\))")
_SET = re.compile(r"(\S+) (in|notin) \((.*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class No:
    """A refusal; what was asked is filled in when it is."""

    status: int
    verb: str = ""
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
    """Objects, and what may not be asked for."""

    objects: list[Object] = field(default_factory=list)
    refused: Mapping[tuple[str, str], No] = field(default_factory=dict)
    """By verb and resource."""
    logs: Mapping[str, Lines | No] = field(default_factory=dict)
    """By `POD/CONTAINER`, with ` previous` behind it for the run before."""
    clock_difference: Skew | None = None
    namespace: str = "demo"
    context: str = "fake"

    def server_version(self) -> str:
        return "v1.36.0"

    def path(self, resource: str, *, namespace: str | None = None, name: str | None = None) -> str:
        within = f"namespaces/{namespace}/" if namespace is not None else ""
        return f"/{within}{resource}/{name or ''}"

    def get(self, path: str, params: Mapping[str, str] | None = None) -> Object | No:
        return self._answer("get", path, params)

    def items(self, path: str, params: Mapping[str, str] | None = None) -> Object | No:
        return self._answer("list", path, params)

    def log(self, _: str, pod: str, container: str, *, previous: bool = False) -> Lines | No:
        key = f"{pod}/{container}{' previous' if previous else ''}"
        found = [one for one in self._of("pods", self.namespace) if name(one) == pod]
        told = self.refused.get(("get", "pods/log")) or self.logs.get(key)
        if not found:
            told = No(status=404, words=f'pods "{pod}" not found')
        elif container not in _containers(found[0]):
            told = No(status=400, words=f"container {container} is not valid for pod {pod}")
        if isinstance(told, No):
            return replace(told, verb="get", resource="pods/log")
        return told or Lines(lines=[])

    def _answer(self, verb: str, path: str, params: Mapping[str, str] | None) -> Object | No:
        *within, resource, wanted = path.split("/")[1:]
        namespace = within[1] if within else None
        found = self._of(resource, namespace)
        if no := self.refused.get((verb, resource)):
            return replace(no, verb=verb, resource=resource)
        if verb == "list" and (found or resource in _SERVED):
            return {"items": [one for one in found if _is_chosen(one, params or {})]}
        for one in found:
            if name(one) == wanted:
                return one
        words = f'{resource} "{wanted}" not found' if wanted else "no such resource"
        return No(status=404, verb=verb, resource=resource, words=words)

    def _of(self, resource: str, namespace: str | None) -> list[Object]:
        return [
            one
            for one in self.objects
            if resource == _resource(one)
            and (namespace is None or namespace == metadata(one).get("namespace", "demo"))
        ]


def _resource(one: Object) -> str:
    return f"{one['kind'].lower()}s{_GROUPS.get(one.get('apiVersion', ''), '')}"


def _containers(pod: Object) -> set[str]:
    lists = ("initContainers", "containers", "ephemeralContainers")
    return {one["name"] for key in lists for one in spec(pod).get(key) or []}


def _is_chosen(one: Object, params: Mapping[str, str]) -> bool:
    by_name = params.get("fieldSelector", "").removeprefix("metadata.name=")
    if by_name and by_name != name(one):
        return False
    terms = [term for term in _TERMS.split(params.get("labelSelector", "")) if term]
    return all(_has(metadata(one).get("labels") or {}, term) for term in terms)


def _has(labels: Mapping[str, str], term: str) -> bool:
    if found := _SET.fullmatch(term):
        key, how, values = found.groups()
        return (labels.get(key) in values.split(",")) == (how == "in")
    if term.startswith("!"):
        return term[1:] not in labels
    key, sign, value = term.partition("=")
    return labels.get(key) == value if sign else key in labels


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
