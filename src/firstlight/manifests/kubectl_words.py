"""
Objects in the words that kubectl takes on its command line.
"""

import shlex

from firstlight.manifests.objects import Identity

_BUILT_IN = frozenset(
    {
        *("", "apps", "batch", "autoscaling", "policy", "networking.k8s.io", "storage.k8s.io"),
        "rbac.authorization.k8s.io",
    }
)
"""Groups whose kinds kubectl knows without being told the group."""


def resource(identity: Identity) -> str:
    """The kind, with its group where others may have that kind too."""
    kind = identity.kind.lower()
    return kind if identity.group in _BUILT_IN else f"{kind}.{identity.group}"


def named(identity: Identity) -> str:
    """`deployment/vllm`, for people."""
    return f"{identity.kind.lower()}/{identity.name}"


def patch_command(identity: Identity) -> str:
    """What patches the object in a cluster; FILE is for the user to fill in."""
    return f"kubectl patch {_object(identity)} --type json --patch-file FILE"


def delete_command(identity: Identity) -> str:
    """What takes the object out of a cluster."""
    return f"kubectl delete {_object(identity)}"


def _object(identity: Identity) -> str:
    namespace = f" -n {shlex.quote(identity.namespace)}" if identity.namespace else ""
    return f"{shlex.quote(resource(identity))} {shlex.quote(identity.name)}{namespace}"
