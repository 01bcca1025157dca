"""
The namespace, and what may run in it.

A compile cache that outlives its pod lies in a directory of the node, and Pod Security's
level `baseline` forbids hostPath. Steps differ by one technique only, so the namespace
allows it from the first step on, and warns at each `kubectl apply` that it does.
"""

from firstlight.manifests.intent import Intent
from firstlight.manifests.set.part import Part

_LEVEL = "pod-security.kubernetes.io"


def namespace(intent: Intent) -> Part:
    """The Namespace."""
    return Part(
        objects=(
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {
                    "name": intent.namespace,
                    "labels": {
                        f"{_LEVEL}/enforce": "privileged",
                        f"{_LEVEL}/warn": "baseline",
                    },
                },
            },
        ),
        assumptions=(_why_privileged(intent),),
    )


def _why_privileged(intent: Intent) -> str:
    return (
        f"namespace {intent.namespace} allows privileged pods, because Pod Security baseline "
        "forbids the hostPath of the compile cache (from step 2 on): keep nothing else in it"
    )
