"""
A workload on a control plane that has no controllers, no scheduler and no kubelet.

What those would write is written here: the ReplicaSet's next pod when one is deleted, its
node, its conditions. So a test decides when each of it happens.
"""

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.watch import Watching

NODES = {"a": False, "b": False, "c": True}
"""Nodes, and whether somebody cordoned them before."""


def made(answer: Any) -> dict[str, Any]:
    """What was asked for, or a failure that says why not."""
    assert isinstance(answer, dict), answer
    return answer


class Played:
    """A deployment of one Ready pod on node `a`, and whoever keeps it at one."""

    def __init__(self, api: KubeApi, namespace: str, *, lands_on: str | None = "new") -> None:
        self.api = api
        self.namespace = namespace
        self.lands_on = lands_on
        """The node of every next pod; None to leave it pending."""
        self.becomes_ready = True
        self._count = 0
        self._watching: Watching | None = None
        self._thread: threading.Thread | None = None
        self._owner: dict[str, Any] = {}

    def __enter__(self) -> Self:
        for name, closed in NODES.items():
            self.put_node(name, closed=closed)
        self._owner = self._replica_set()
        pod = self._pod()
        self.bind(pod, "a")
        self.make_ready(pod)
        watching = self.api.watch(self._pods())
        assert isinstance(watching, Watching)
        self._watching = watching
        self._thread = threading.Thread(target=self._play, args=(watching,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._watching is not None
        assert self._thread is not None
        self._watching.stop()
        self._thread.join(10)
        for one in made(self.api.items(self._pods()))["items"]:
            self._remove(one["metadata"]["name"])
        for name in (*NODES, "new"):
            self.api.delete(self.api.path("nodes", name=name))

    def put_node(self, name: str, *, closed: bool = False) -> None:
        """Make a node as it is before anything is measured."""
        self.api.delete(self.api.path("nodes", name=name))
        body = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "annotations": {"of": "somebody"}},
            "spec": {"unschedulable": closed},
        }
        made(self.api.create(self.api.path("nodes"), body))

    def nodes(self) -> dict[str, tuple[bool, dict[str, str]]]:
        """Each node of before: whether it is cordoned, and its annotations."""
        return {
            one["metadata"]["name"]: (
                bool(one["spec"].get("unschedulable")),
                one["metadata"].get("annotations") or {},
            )
            for one in made(self.api.items(self.api.path("nodes")))["items"]
            if one["metadata"]["name"] in NODES
        }

    def bind(self, pod: str, node: str) -> None:
        """What a scheduler does."""
        path = self.api.path("pods", namespace=self.namespace, name=pod, part="binding")
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
        made(self.api.create(path, body))

    def make_ready(self, pod: str) -> None:
        """What a kubelet does."""
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": _now()}
        self.set_status(pod, {"phase": "Running", "conditions": [condition]})

    def set_status(self, pod: str, status: dict[str, Any]) -> None:
        path = self.api.path("pods", namespace=self.namespace, name=pod, part="status")
        made(self.api.patch(path, {"status": status}))

    def _play(self, watching: Watching) -> None:
        handled: set[str] = set()
        with suppress(OutsideFailed):
            for change in watching:
                meta = change.object["metadata"]
                if "deletionTimestamp" not in meta or meta["uid"] in handled:
                    continue
                handled.add(meta["uid"])
                following = self._pod()
                self._remove(meta["name"])
                if self.lands_on is not None:
                    if self.lands_on not in NODES:
                        self.put_node(self.lands_on)
                    self.bind(following, self.lands_on)
                    if self.becomes_ready:
                        self.make_ready(following)

    def _pods(self) -> str:
        return self.api.path("pods", namespace=self.namespace)

    def _remove(self, pod: str) -> None:
        """What a kubelet does in the end: it alone leaves no time."""
        path = self.api.path("pods", namespace=self.namespace, name=pod)
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
        answer = self.api._write("DELETE", path, body)
        assert not isinstance(answer, Refused) or answer.absent, answer

    def _replica_set(self) -> dict[str, Any]:
        template = {
            "metadata": {"labels": {"app": "vllm"}},
            "spec": {"containers": [{"name": "vllm", "image": "vllm/vllm-openai"}]},
        }
        spec = {"replicas": 1, "selector": {"matchLabels": {"app": "vllm"}}, "template": template}
        apps = {"apiVersion": "apps/v1"}
        where = {"name": "vllm", "namespace": self.namespace}
        top = made(
            self.api.create(
                self.api.path("deployments", namespace=self.namespace),
                {**apps, "kind": "Deployment", "metadata": where, "spec": spec},
            )
        )
        owned = {**where, "ownerReferences": [_owner(top)]}
        return made(
            self.api.create(
                self.api.path("replicasets", namespace=self.namespace),
                {**apps, "kind": "ReplicaSet", "metadata": owned, "spec": spec},
            )
        )

    def _pod(self) -> str:
        self._count += 1
        name = f"vllm-{self._count}"
        ports = [{"containerPort": 8000}]
        container = {"name": "vllm", "image": "vllm/vllm-openai", "ports": ports}
        metadata = {
            "name": name,
            "labels": {"app": "vllm"},
            "ownerReferences": [_owner(self._owner)],
        }
        body = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {"containers": [container]},
        }
        made(self.api.create(self._pods(), body))
        return name


def _owner(object_: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": object_["apiVersion"],
        "kind": object_["kind"],
        "name": object_["metadata"]["name"],
        "uid": object_["metadata"]["uid"],
        "controller": True,
    }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
