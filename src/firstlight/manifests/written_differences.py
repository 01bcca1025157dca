"""
What somebody's own objects have otherwise than what was rendered.

They may come from files or from `kubectl get -o yaml`. A server returns more than was
applied: an identity, a status, and a default for most of what was left out. None of that is
a difference that somebody made. A default is known by its field and its value; another value
in that field was written by somebody, and is shown.
"""

from dataclasses import replace
from typing import Any

from firstlight.manifests.differences import Difference, differences
from firstlight.manifests.live import as_written
from firstlight.manifests.objects import ObjectSet

_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "apiVersion": ("v1",),
    "clusterIP": (),
    "clusterIPs": (),
    "consolidateAfter": ("0s",),
    "consolidationPolicy": ("WhenEmptyOrUnderutilized",),
    "creationTimestamp": (None,),
    "budgets": ([{"nodes": "10%"}],),
    "defaultMode": (420,),
    "dnsPolicy": ("ClusterFirst",),
    "expireAfter": ("720h",),
    "failureThreshold": (3,),
    "imagePullPolicy": ("IfNotPresent", "Always"),
    "internalTrafficPolicy": ("Cluster",),
    "ipFamilies": (),
    "ipFamilyPolicy": ("SingleStack",),
    "periodSeconds": (10,),
    "persistentVolumeReclaimPolicy": ("Retain",),
    "progressDeadlineSeconds": (600,),
    "protocol": ("TCP",),
    "replicas": (1,),
    "resources": ({},),
    "restartPolicy": ("Always",),
    "revisionHistoryLimit": (10,),
    "schedulerName": ("default-scheduler",),
    "scheme": ("HTTP",),
    "securityContext": ({},),
    "serviceAccount": (),
    "sessionAffinity": ("None",),
    "strategy": (
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    ),
    "successThreshold": (1,),
    "terminationGracePeriodSeconds": (30,),
    "terminationMessagePath": ("/dev/termination-log",),
    "terminationMessagePolicy": ("File",),
    "timeoutSeconds": (1,),
    "type": ("", "ClusterIP"),
    "volumeMode": ("Filesystem",),
}
"""
What API servers and Karpenter's definitions fill in, by field; empty for any value.

From the server of 1.20 as the tests meet it, and from Karpenter 1's definitions.
"""
_BOUND = {"PersistentVolume": "spec.claimRef", "PersistentVolumeClaim": "spec.volumeName"}
"""What a controller writes when a claim finds its volume."""


def written_differences(rendered: ObjectSet, theirs: ObjectSet) -> tuple[Difference, ...]:
    """
    Every difference that somebody made.

    Args:
        rendered: the objects as they were rendered.
        theirs: the same objects as somebody has them, in files or in a cluster.
    """
    given = tuple(replace(m, value=as_written(m.value)) for m in theirs)
    found = differences(rendered, ObjectSet(manifests=given))
    return tuple(one for one in found if not _is_filled_in(one))


def _is_filled_in(one: Difference) -> bool:
    """Whether a server fills this in where nothing was written, or leaves it out."""
    if one.identity.kind == "PersistentVolume" and one.path == "spec.storageClassName":
        # An empty one is the same as none there; in a claim it is not.
        return not one.before and not one.after
    if one.before is not None or not one.path:
        return False
    if one.path == _BOUND.get(one.identity.kind):
        return True
    known = _DEFAULTS.get(one.path.rpartition(".")[2])
    return known is not None and (not known or one.after in known)
