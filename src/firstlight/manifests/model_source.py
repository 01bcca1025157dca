"""
The bucket behind a mounted model.

A model that is read through a file system of a bucket has an address in that bucket. It can
be worked out from the volume: Mountpoint for S3 has the bucket in its PersistentVolume and
the prefix among the mount options, Cloud Storage FUSE has both in the pod's volume or in
the PersistentVolume.
"""

from dataclasses import dataclass
from typing import Any

from firstlight.manifests.draft import model_of
from firstlight.manifests.hidden_arguments import mount_of
from firstlight.manifests.mounts import claim_of, volume_named
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.workload import Workload

_SCHEMES = {"s3.csi.aws.com": "s3", "gcsfuse.csi.storage.gke.io": "gs"}
BUCKET_DRIVERS = frozenset(_SCHEMES)
"""CSI drivers whose volumes are a bucket."""
_PREFIXES = ("prefix", "only-dir")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSource:
    """A model in a bucket, mounted."""

    uri: str
    bucket: str
    prefix: str
    """Where in the bucket the mount begins, without slashes around it; empty for its root."""
    mount_path: str
    region: str | None
    """None where the volume does not say."""


def model_source(workload: Workload, objects: ObjectSet) -> ModelSource | None:
    """The bucket that the model is mounted from; None where it is not, or is not known."""
    model = model_of(workload, objects)
    mount = mount_of(workload.container, model) if model and model.startswith("/") else None
    if model is None or mount is None:
        return None
    csi, options = _csi(workload, objects, volume_named(workload.pod, mount.get("name")) or {})
    attributes = csi.get("volumeAttributes") or {}
    scheme, bucket = _SCHEMES.get(str(csi.get("driver"))), attributes.get("bucketName")
    if scheme is None or not bucket:
        return None
    prefix = next((options[p].strip("/") for p in _PREFIXES if p in options), "")
    path = str(mount["mountPath"]).rstrip("/")
    inside = "/".join(
        part
        for part in (str(mount.get("subPath") or "").strip("/"), model[len(path) :].strip("/"))
        if part
    )
    key = "/".join(part for part in (prefix, inside) if part)
    return ModelSource(
        uri=f"{scheme}://{bucket}/{key}".rstrip("/"),
        bucket=str(bucket),
        prefix=prefix,
        mount_path=path,
        region=options.get("region"),
    )


def _csi(
    workload: Workload, objects: ObjectSet, volume: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """What its driver is told, and the mount options, by name."""
    if csi := volume.get("csi"):
        written = str((csi.get("volumeAttributes") or {}).get("mountOptions") or "")
        return csi, _options(written.split(","))
    persistent = _bound(workload, objects, claim_of(volume))
    return persistent.get("csi") or {}, _options(persistent.get("mountOptions") or [])


def _bound(workload: Workload, objects: ObjectSet, claim: str | None) -> dict[str, Any]:
    """The spec of the PersistentVolume of a claim; empty where it is not in the set."""
    if claim is None:
        return {}
    names = {
        (m.value.get("spec") or {}).get("volumeName")
        for m in objects.of_kind("PersistentVolumeClaim")
        if m.identity.name == claim and m.identity.namespace == workload.namespace
    }
    for m in objects.of_kind("PersistentVolume"):
        spec: dict[str, Any] = m.value.get("spec") or {}
        if m.identity.name in names or (spec.get("claimRef") or {}).get("name") == claim:
            return spec
    return {}


def _options(written: list[Any]) -> dict[str, str]:
    """Options as people write them: `prefix X/`, `prefix=X/`, `--prefix X/`."""
    pairs = (str(o).strip().lstrip("-").replace("=", " ", 1).partition(" ") for o in written)
    return {name: value.strip() for name, _, value in pairs}
