"""
Who the pod is to AWS.

With IRSA the ServiceAccount names a role. With EKS Pod Identity it names none: an
association in EKS joins the two, so it is a prerequisite and no object.
"""

from firstlight.manifests.intent import Intent
from firstlight.manifests.objects import Value
from firstlight.manifests.set.part import Part

ROLE = "eks.amazonaws.com/role-arn"


def service_account(intent: Intent) -> Part:
    """The ServiceAccount."""
    return Part(
        objects=({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _metadata(intent)},),
        assumptions=()
        if intent.identity
        else ("identity was not stated: the pod gets its role by EKS Pod Identity",),
    )


def _metadata(intent: Intent) -> Value:
    named: Value = {"name": intent.name, "namespace": intent.namespace}
    role = intent.identity
    return named | ({"annotations": {ROLE: role.irsa}} if role and role.irsa else {})


def identity_prerequisite(intent: Intent) -> str:
    """What has to be there before the pod may read the bucket."""
    reads = f"may list and read s3://{intent.bucket}/{intent.prefix}"
    account = f"{intent.namespace}/{intent.name}"
    if intent.identity is not None and intent.identity.irsa:
        return (
            f"the role {intent.identity.irsa} trusts ServiceAccount {account} through the "
            f"cluster's OIDC provider and {reads}"
        )
    return (
        "the EKS Pod Identity Agent add-on, and an association of ServiceAccount "
        f"{account} with a role that {reads}"
    )
