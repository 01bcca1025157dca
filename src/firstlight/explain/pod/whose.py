"""
Which workload a pod belongs to, in the words that the other commands take.

A Deployment's pods belong to a ReplicaSet, whose name is the Deployment's and a hash; the
pod's label says which hash.
"""

import re

from firstlight.readers.kube.model import Pod

_HASH = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5,10}$")
"""The letters that Kubernetes makes a hash of: none that could make a word."""
_KINDS = ("StatefulSet", "DaemonSet", "Job")


def workload_of(pod: Pod) -> str:
    """`deployment/vllm`; empty where the objects do not tell."""
    kind, _, name = pod.owner.partition("/")
    if kind == "ReplicaSet":
        told = pod.labels.get("pod-template-hash")
        if told and name.endswith(f"-{told}"):
            return f"deployment/{name.removesuffix(f'-{told}')}"
        deployment = _HASH.sub("", name)
        return f"deployment/{deployment}" if deployment != name else f"replicaset/{name}"
    return f"{kind.lower()}/{name}" if kind in _KINDS else ""
