"""
An object of a cluster, as somebody could have written it.

A server adds to what was applied: an identity, a status, who manages which field. Controllers
add marks of their own. None of it may be applied again, and none of it is the user's. What a
server fills in by default (a protocol, a policy) stays: to the patch it makes no difference.
"""

from collections.abc import Mapping
from typing import Any

_OF_THE_SERVER = frozenset(
    {
        *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers"),
        *("generation", "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"),
    }
)
_WRITTEN_BY_OTHERS = frozenset(
    {
        "deployment.kubernetes.io/revision",
        "deprecated.daemonset.template.generation",
        "karpenter.k8s.aws/ec2nodeclass-hash",
        "karpenter.k8s.aws/ec2nodeclass-hash-version",
        "karpenter.sh/nodepool-hash",
        "karpenter.sh/nodepool-hash-version",
        "kubectl.kubernetes.io/last-applied-configuration",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "pv.kubernetes.io/provisioned-by",
        "volume.beta.kubernetes.io/storage-provisioner",
        "volume.kubernetes.io/selected-node",
        "volume.kubernetes.io/storage-provisioner",
    }
)
_OF_A_JOB = frozenset(
    {
        *("controller-uid", "job-name"),
        *("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"),
    }
)
"""Labels by which a Job finds its pods: they name the uid, which a new one has not."""


def as_written(live: Mapping[str, Any]) -> dict[str, Any]:
    """The object without what a server and its controllers added."""
    value = {key: inner for key, inner in live.items() if key not in ("status", "metadata")}
    value["metadata"] = _metadata(live.get("metadata") or {})
    spec = value.get("spec")
    if isinstance(spec, dict):
        value["spec"] = _spec(str(value.get("kind")), spec)
    order = ("apiVersion", "kind", "metadata")
    return {**{key: value[key] for key in order if key in value}, **value}


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: inner for key, inner in metadata.items() if key not in _OF_THE_SERVER}
    annotations = {
        key: inner
        for key, inner in (kept.pop("annotations", None) or {}).items()
        if key not in _WRITTEN_BY_OTHERS
    }
    return {**kept, "annotations": annotations} if annotations else kept


def _spec(kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(spec)
    claim = kept.get("claimRef")
    if kind == "PersistentVolume" and isinstance(claim, dict):
        # With the claim's uid in it the volume would wait for that one claim for ever.
        kept["claimRef"] = {k: v for k, v in claim.items() if k not in ("uid", "resourceVersion")}
    template = kept.get("template")
    if isinstance(template, dict) and isinstance(template.get("metadata"), dict):
        made = _metadata(template["metadata"])
        if kind == "Job":
            kept.pop("selector", None)
            labels = made.get("labels") or {}
            made["labels"] = {k: v for k, v in labels.items() if k not in _OF_A_JOB}
        kept["template"] = {**template, "metadata": made}
    inner = kept.get("jobTemplate")
    if isinstance(inner, dict) and isinstance(inner.get("metadata"), dict):
        kept["jobTemplate"] = {**inner, "metadata": _metadata(inner["metadata"])}
    return kept
