"""
A cold start on a control plane alone: the test writes what Karpenter, the scheduler and
the kubelet would have written, and its fake kubelet has the logs.
"""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from onenode import ControlPlane

from tests.capture.planted import HF, PASSWORD, TEXTS
from tests.cluster.fake_kubelet import FakeKubelet

Object = dict[str, Any]
NODE = "ip-10-0-1-17.ec2.internal"
STRANGER = "another-node"
APPS = "apps/v1"
LOG_SECRET = "printed-and-known-nowhere-else"
LOG = "".join(
    f"2026-11-29T20:00:{n:02d}.000000001Z {text}\n"
    for n, text in enumerate(
        line
        for text in ["Starting to load model", *(t for t, _ in TEXTS.values()), "ready"]
        for line in text.split("\n")
    )
).encode()


class PlayedStart:
    """A Deployment `vllm` in a namespace, its ReplicaSet, its pod, a node, events."""

    def __init__(self, plane: ControlPlane, namespace: str, kubelet: FakeKubelet) -> None:
        self.pod = "vllm-7b9d6c4f8-abcde"
        self._plane = plane
        self._namespace = namespace
        self._now = datetime.now(UTC)  # noqa: TID251 - what a cluster would write now
        self._node(NODE, kubelet)
        deployment = self._make(self._deployment())
        replica_set = self._make(self._owned("ReplicaSet", "vllm-7b9d6c4f8", deployment))
        pod = self._make(self._owned("Pod", self.pod, replica_set))
        self._make(_pod("stranger", labels={"app": "vllm"}))
        self._bind()
        self._status()
        for uid, message in (
            (pod["metadata"]["uid"], f"Error: 401 for {HF}"),
            ("gone", "about somebody else"),
        ):
            self._event(uid, message)

    def _make(self, object_: Object) -> Object:
        object_["metadata"]["namespace"] = self._namespace
        self._plane.kubectl.apply(object_)
        kind, name = object_["kind"].lower(), object_["metadata"]["name"]
        made: Object = self._plane.kubectl.get(kind, name, "-n", self._namespace)
        return made

    def _deployment(self) -> Object:
        return {
            "apiVersion": APPS,
            "kind": "Deployment",
            "metadata": {"name": "vllm"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "vllm"}},
                "template": {"metadata": {"labels": {"app": "vllm"}}, "spec": _spec()},
            },
        }

    def _owned(self, kind: str, name: str, owner: Object) -> Object:
        labels = {"app": "vllm"}
        reference = {
            **{key: owner[key] for key in ("apiVersion", "kind")},
            **{key: owner["metadata"][key] for key in ("name", "uid")},
        }
        if kind == "Pod":
            object_ = _pod(name, labels=labels)
        else:
            object_ = {**self._deployment(), "kind": kind, "metadata": {"labels": labels}}
        object_["metadata"] |= {"name": name, "ownerReferences": [reference]}
        return object_

    def _node(self, name: str, kubelet: FakeKubelet) -> None:
        kubectl = self._plane.kubectl
        kubectl.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        node = kubectl.get("node", name)
        node["status"] = kubelet.node(name)
        kubectl("replace", "--raw", f"/api/v1/nodes/{name}/status", "-f", "-", input=_json(node))

    def _bind(self) -> None:
        at = f"/api/v1/namespaces/{self._namespace}/pods/{self.pod}/binding"
        target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": self.pod},
            "target": target,
        }
        self._plane.kubectl("create", "--raw", at, "-f", "-", input=_json(binding))

    def _status(self) -> None:
        started = _stamp(self._now)
        pod = self._plane.kubectl.get("pod", self.pod, "-n", self._namespace)
        pod["status"] = {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": started}],
            "initContainerStatuses": [
                {
                    **_ran("fetch", started),
                    "state": {"terminated": {"exitCode": 0, "startedAt": started}},
                }
            ],
            "containerStatuses": [
                {
                    **_ran("server", started),
                    "restartCount": 1,
                    "state": {"running": {"startedAt": started}},
                    "lastState": {"terminated": {"exitCode": 1, "startedAt": started}},
                }
            ],
        }
        at = f"/api/v1/namespaces/{self._namespace}/pods/{self.pod}/status"
        self._plane.kubectl("replace", "--raw", at, "-f", "-", input=_json(pod))

    def _event(self, uid: str, message: str) -> None:
        stamp = _stamp(self._now - timedelta(seconds=5))
        about = {"kind": "Pod", "name": self.pod if uid != "gone" else "x", "uid": uid}
        self._plane.kubectl.apply(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"e-{uid[:8]}", "namespace": self._namespace},
                "involvedObject": {**about, "namespace": self._namespace},
                "reason": "Pulling",
                "message": message,
                "firstTimestamp": stamp,
                "lastTimestamp": stamp,
                "count": 1,
                "type": "Normal",
                "source": {"component": "kubelet", "host": NODE},
            }
        )


def _pod(name: str, *, labels: dict[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": _spec(),
    }


def _spec() -> Object:
    return {
        "initContainers": [{"name": "fetch", "image": "i", "command": ["fetch"]}],
        "containers": [
            {
                "name": "server",
                "image": "vllm/vllm-openai:v0.32.0",
                "command": ["vllm", "serve", "m", "--api-key"],
                "args": [PASSWORD],
                "env": [
                    {"name": "HF_TOKEN", "value": HF},
                    {"name": "OUR_OWN", "value": LOG_SECRET},
                    {"name": "VLLM_LOGGING_LEVEL", "value": "DEBUG"},
                ],
            }
        ],
    }


def _ran(name: str, started: str) -> Object:
    return {
        "name": name,
        "image": "i",
        "imageID": "i@sha256:1",
        "containerID": f"containerd://{name}",
        "ready": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": started}},
    }


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _json(value: object) -> str:
    return json.dumps(value)
