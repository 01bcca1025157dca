"""
A cluster of dicts that goes wrong where it is told to.

It keeps namespaces apart and looks at selectors, keeps versions and refuses stale ones, tests
before it patches, and deletes only the uid that was meant, as the contract says; beside that
it refuses a verb, loses an answer after the deed, or lets somebody else be quicker.
"""

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from firstlight.core.errors import OutsideFailed

Object = dict[str, Any]
NAMESPACE = "ns"
"""Of every object that has one and does not say which."""


@dataclass(frozen=True, kw_only=True)
class FakeRefused:
    """A no."""

    status: int
    words: str
    verb: str
    resource: str


@dataclass
class FakeCluster:
    """Fits the port; a call is named like `patch nodes a`."""

    calls: list[str] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)
    """The status of a refusal, by the beginning of a call."""
    lost_answers: list[str] = field(default_factory=list)
    """Calls that are carried out once and answered by a broken connection."""
    quicker: dict[str, list[Callable[[], None]]] = field(default_factory=dict)
    """What somebody else does right before a call; each once."""
    denied: set[str] = field(default_factory=set)
    """Rights that an access review denies, like `delete pods`."""
    guarded: int = 1
    """0 while an interrupt could cut a change off; then no change may be sent."""
    on_delete: Callable[[], None] = lambda: None
    _objects: dict[str, Object] = field(default_factory=dict)
    _versions: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def put(self, resource: str, object_: Object) -> Object:
        """Have an object, new or changed."""
        made = copy.deepcopy(object_)
        metadata = made["metadata"]
        metadata.setdefault("uid", f"uid-{resource}-{metadata['name']}")
        metadata["resourceVersion"] = str(next(self._versions))
        if resource != "nodes":
            metadata.setdefault("namespace", NAMESPACE)
        where = self.path(resource, namespace=metadata.get("namespace"), name=metadata["name"])
        self._objects[where] = made
        return copy.deepcopy(made)

    def drop(self, resource: str, name: str) -> None:
        """Have no object; of those with a namespace, in the usual one."""
        namespace = None if resource == "nodes" else NAMESPACE
        self._objects.pop(self.path(resource, namespace=namespace, name=name), None)

    def node(self, name: str) -> Object:
        return self._objects[self.path("nodes", name=name)]

    @property
    def changes(self) -> list[str]:
        """The calls that change something."""
        return [call for call in self.calls if call.split()[0] in {"patch", "delete"}]

    def path(
        self,
        resource: str,
        *,
        namespace: str | None = None,
        name: str | None = None,
        part: str | None = None,
    ) -> str:
        return "/".join([namespace or "", *(word for word in (resource, name, part) if word)])

    def get(
        self,
        path: str,
        params: Mapping[str, str] | None = None,  # noqa: ARG002
    ) -> Object | FakeRefused:
        def there() -> Object | FakeRefused:
            found = self._objects.get(path)
            return copy.deepcopy(found) if found else self._no("get", path, 404)

        return self._answered("get", path, there)

    def items(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
    ) -> Object | FakeRefused:
        def listed() -> Object:
            inside = [o for key, o in self._objects.items() if key.rpartition("/")[0] == path]
            found = [o for o in inside if _selected(o, params or {})]
            version = str(next(self._versions))
            return {"items": copy.deepcopy(found), "metadata": {"resourceVersion": version}}

        return self._answered("list", path, listed)

    def create(self, path: str, body: object) -> Object | FakeRefused:
        assert isinstance(body, dict)
        attributes = body["spec"]["resourceAttributes"]
        right = f"{attributes['verb']} {attributes['resource']}"
        return self._answered(
            "create", path, lambda: {"status": {"allowed": right not in self.denied}}
        )

    def patch(self, path: str, body: object, *, kind: str = "merge") -> Object | FakeRefused:
        return self._answered("patch", path, lambda: self._patched(path, body, kind))

    def delete(self, path: str, *, uid: str | None = None) -> Object | FakeRefused:
        def deleted() -> Object | FakeRefused:
            found = self._objects.get(path)
            if found is None:
                return self._no("delete", path, 404)
            if uid not in {None, found["metadata"]["uid"]}:
                return self._no("delete", path, 409)
            found["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
            self.on_delete()
            return copy.deepcopy(found)

        return self._answered("delete", path, deleted)

    def _patched(self, path: str, body: Any, kind: str) -> Object | FakeRefused:
        found = self._objects.get(path)
        if found is None:
            return self._no("patch", path, 404)
        changed = copy.deepcopy(found)
        if kind == "json":
            try:
                for operation in body:
                    _operate(changed, operation)
            except (KeyError, ValueError):
                return self._no("patch", path, 422)
        else:
            wanted = copy.deepcopy(body)
            version = (wanted.get("metadata") or {}).pop("resourceVersion", None)
            if version not in {None, found["metadata"]["resourceVersion"]}:
                return self._no("patch", path, 409)
            _merge(changed, wanted)
        return self.put(path.split("/")[1], changed)

    def _answered(
        self, verb: str, path: str, act: Callable[[], Object | FakeRefused]
    ) -> Object | FakeRefused:
        call = " ".join([verb, *path.split("/")[1:]])
        self.calls.append(call)
        assert self.guarded or verb not in {"patch", "delete"}, f"{call} could be cut off"
        for begin, deeds in self.quicker.items():
            if call.startswith(begin) and deeds:
                deeds.pop(0)()
        for begin, status in self.refusals.items():
            if call.startswith(begin):
                return self._no(verb, path, status)
        answer = act()
        if call in self.lost_answers:
            self.lost_answers.remove(call)
            raise OutsideFailed("the connection broke", remedy="look")
        return answer

    def _no(self, verb: str, path: str, status: int) -> FakeRefused:
        words = {403: "is forbidden", 404: "not found", 409: "conflict"}.get(status, "invalid")
        return FakeRefused(status=status, words=words, verb=verb, resource=path.split("/")[1])


def _selected(object_: Object, params: Mapping[str, str]) -> bool:
    """By labels and by the name, with `=` alone; what else a server knows is refused here."""
    terms = [
        (of, *term.split("="))
        for of in ("labelSelector", "fieldSelector")
        for term in params.get(of, "").split(",")
        if term
    ]
    has = {
        **{("labelSelector", k): v for k, v in (object_["metadata"].get("labels") or {}).items()},
        ("fieldSelector", "metadata.name"): object_["metadata"]["name"],
    }
    return all(has.get((of, key)) == value for of, key, value in terms)


def _merge(into: Object, patch: Object) -> None:
    for key, value in patch.items():
        if isinstance(value, dict):
            into.setdefault(key, {})
            _merge(into[key], value)
        elif value is None:
            into.pop(key, None)
        else:
            into[key] = value


def _operate(on: Object, operation: Mapping[str, Any]) -> None:
    parts = [p.replace("~1", "/").replace("~0", "~") for p in operation["path"].split("/")[1:]]
    for part in parts[:-1]:
        on = on[part]
    match operation["op"]:
        case "test":
            if on[parts[-1]] != operation["value"]:
                raise ValueError
        case "remove":
            del on[parts[-1]]
        case "add":
            on[parts[-1]] = operation["value"]


@dataclass(frozen=True, kw_only=True)
class FakeChange:
    """One change of a pod."""

    object: Object
    type: str = "MODIFIED"
    arrived_ns: int = 0
    listed: bool = False


@dataclass
class FakeClock:
    """Time that passes when it is waited for."""

    now_ns: int = 1_000_000_000

    def monotonic_ns(self) -> int:
        return self.now_ns

    def unix_ns(self) -> int:
        return self.now_ns + 1_700_000_000_000_000_000


@dataclass
class FakeChanges:
    """Changes that come at their moments, or an end that does."""

    clock: FakeClock
    script: list[tuple[int, FakeChange | BaseException]]
    """Milliseconds from the beginning, and what comes."""
    reconnected: int = 0
    relisted: int = 0
    stopped: bool = False
    on_next: Callable[[], None] = lambda: None
    """Called whenever a change is waited for."""

    def next(self, *, until_ns: int) -> FakeChange | None:
        self.on_next()
        due_ns = 1_000_000_000 + self.script[0][0] * 1_000_000 if self.script else until_ns + 1
        if due_ns > until_ns:
            self.clock.now_ns = max(self.clock.now_ns, until_ns)
            return None
        _, one = self.script.pop(0)
        self.clock.now_ns = max(self.clock.now_ns, due_ns)
        if isinstance(one, BaseException):
            raise one
        return FakeChange(
            object=one.object, type=one.type, arrived_ns=self.clock.now_ns, listed=one.listed
        )

    def stop(self) -> None:
        self.stopped = True


def pod(
    number: int,
    *,
    node: str | None = None,
    ready: bool = False,
    owner: str = "uid-replicasets-rs",
    phase: str = "Pending",
    why: str | None = None,
    waits: str | None = None,
    leaving: bool = False,
    containers: Iterable[Object] = (),
) -> Object:
    """A pod of the ReplicaSet."""
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    if why:
        conditions.append({"type": "PodScheduled", "status": "False", "message": why})
    metadata: Object = {
        "name": f"vllm-{number}",
        "uid": f"uid-{number}",
        "labels": {"app": "vllm"},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "rs", "uid": owner, "controller": True}],
    }
    if leaving:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status: Object = {"phase": phase, "conditions": conditions}
    if waits:
        waiting = {"name": "vllm", "restartCount": 2, "state": {"waiting": {"reason": waits}}}
        status["containerStatuses"] = [waiting]
    if phase == "Failed":
        status["reason"] = "Evicted"
    spec: Object = {
        "containers": list(containers)
        or [{"name": "vllm", "image": "vllm", "ports": [{"containerPort": 8000}]}]
    }
    if node:
        spec["nodeName"] = node
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def node(name: str, *, closed: bool = False, **more: Any) -> Object:
    """A node."""
    spec = {"unschedulable": True} if closed else {}
    return {"metadata": {"name": name}, "spec": spec, **more}
