"""
What tells an object from others, field by field, for machines.
"""

from firstlight.manifests.objects import Identity


def identity_document(identity: Identity) -> dict[str, str]:
    """Empty where a field does not say anything."""
    return {
        "group": identity.group,
        "kind": identity.kind,
        "namespace": identity.namespace,
        "name": identity.name,
    }
