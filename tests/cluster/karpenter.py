"""
Karpenter, played: its NodeClaims on a real API server, and a kubelet that joins late.

The CRD's schema is written as far as a start needs it. `Provisioner` does what the
controller does, with the same objects in the same order: a claim, launched, registered
once the node is there, initialised once its startup taints are gone. It notes by one
clock when it did each, to be held against what the objects tell.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from onenode import Client

Object = dict[str, Any]
GROUP = "karpenter.sh"
_CONDITION: Object = {
    "type": "object",
    "required": ["type", "status", "lastTransitionTime"],
    "properties": {
        "type": {"type": "string", "maxLength": 316},
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "reason": {"type": "string"},
        "message": {"type": "string"},
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        "observedGeneration": {"type": "integer", "format": "int64"},
    },
}
_SCHEMA: Object = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "status": {
            "type": "object",
            "properties": {
                "nodeName": {"type": "string"},
                "providerID": {"type": "string"},
                "imageID": {"type": "string"},
                "conditions": {"type": "array", "items": _CONDITION},
            },
        },
    },
}


def crd() -> Object:
    """NodeClaim, as v1 and as v1beta1."""
    versions: list[Object] = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": _SCHEMA},
        }
        for name in ("v1", "v1beta1")
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"nodeclaims.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"plural": "nodeclaims", "singular": "nodeclaim", "kind": "NodeClaim"},
            "versions": versions,
        },
    }


@contextmanager
def installed(kubectl: Client) -> Iterator[None]:
    """The CRD, established."""
    kubectl.apply(crd())
    try:
        kubectl("wait", "--for=condition=Established", f"crd/nodeclaims.{GROUP}", "--timeout=30s")
        yield
    finally:
        kubectl("delete", "crd", f"nodeclaims.{GROUP}", "--wait=true")


class Provisioner:
    """One claim, from its creation to whatever becomes of it."""

    def __init__(self, kubectl: Client, name: str) -> None:
        self._kubectl = kubectl
        self._name = name
        self._conditions: dict[str, Object] = {}
        self._status: Object = {}
        self.at: dict[str, float] = {}
        """When each step was done, by this process's monotonic clock."""

    def create(self) -> None:
        claim = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "NodeClaim",
            "metadata": {
                "name": self._name,
                "labels": {
                    "karpenter.sh/nodepool": "gpu",
                    "karpenter.sh/capacity-type": "spot",
                    "node.kubernetes.io/instance-type": "g7e.2xlarge",
                },
            },
            "spec": {"requirements": []},
        }
        self._kubectl.apply(claim)
        self.at["created"] = time.monotonic()
        for kind in ("Launched", "Registered", "Initialized"):
            self._set(
                kind, "Unknown", "AwaitingReconciliation", "object is awaiting reconciliation"
            )
        self._write()

    def launched(self) -> None:
        self._status["providerID"] = "aws:///us-east-1a/i-0123456789abcdef0"
        self._done("Launched")
        self._set("Registered", "Unknown", "NodeNotFound", "Node not registered with cluster")
        self._write()

    def registered(self, node: str) -> None:
        self._status["nodeName"] = node
        self._done("Registered")
        self._write()

    def not_initialized(self, taint: str) -> None:
        """What Karpenter says while a known startup taint is still on the node."""
        self._set(
            "Initialized",
            "False",
            "KnownEphemeralTaintsExist",
            f'KnownEphemeralTaint "{taint}" still exists',
        )
        self._write()

    def initialized(self) -> None:
        self._done("Initialized")
        self._write()

    def remove(self) -> None:
        self._kubectl("delete", "nodeclaim", self._name, "--ignore-not-found")

    def _done(self, kind: str) -> None:
        self._set(kind, "True", kind, "")
        self.at[kind.lower()] = time.monotonic()

    def _set(self, kind: str, status: str, reason: str, message: str) -> None:
        before = self._conditions.get(kind, {})
        now = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        moved = before.get("lastTransitionTime") if before.get("status") == status else now
        self._conditions[kind] = {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": moved,
        }

    def _write(self) -> None:
        claim = self._kubectl.get("nodeclaim", self._name)
        # Karpenter keeps them in the order of the alphabet, not of time.
        conditions = [self._conditions[kind] for kind in sorted(self._conditions)]
        claim["status"] = {**self._status, "conditions": conditions}
        path = f"/apis/{GROUP}/v1/nodeclaims/{self._name}/status"
        self._kubectl("replace", "--raw", path, "-f", "-", input=json.dumps(claim))
