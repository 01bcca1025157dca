"""Weights read through a file system that is made of a bucket."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.lint.claims import Claims
from firstlight.lint.engine import Engine
from firstlight.lint.load_format import STREAMER_FORMATS, load_format
from firstlight.lint.model_named import model_named
from firstlight.lint.places import mount_pointer
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import claim_of
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import mapping
from firstlight.techniques.sources import Origin, Source

_DRIVERS = {
    "s3.csi.aws.com": "Mountpoint for S3",
    "gcsfuse.csi.storage.gke.io": "Cloud Storage FUSE",
    "blob.csi.azure.com": "Blobfuse",
}
_FUSE = frozenset({"", "fuse", "fuse2"})
_BY_MANY_REQUESTS = STREAMER_FORMATS | {None}
"""The streamer reads many blocks at a time from a mount too; None is not known."""
_READS_AHEAD = re.compile(r"parallel-downloads(?!\s*[:=]\s*[\"']?false)", re.IGNORECASE)
"""With it, Cloud Storage FUSE fetches whole files by many requests."""


def _check(scene: Scene) -> Iterator[Hit]:
    volumes = {m.identity.name: m for m in scene.of_kind("PersistentVolume", group="")}
    claims = Claims(scene)
    for engine in scene.engines:
        if load_format(engine) in _BY_MANY_REQUESTS:
            continue
        model = model_named(engine)
        mount = engine.mount_of(model.text) if model and model.is_folder else None
        volume = engine.volume_of(model.text) if model and mount else None
        if model is None or mount is None or volume is None:
            continue
        persistent = _persistent(engine, claim_of(volume), claims.of(engine, volume), volumes)
        if driver := _driver(volume, persistent):
            yield Hit(
                manifest=engine.manifest,
                pointer=mount_pointer(engine, mount),
                what=f"{model.text} is read through {driver}, one block after the other",
            )


def _persistent(
    engine: Engine, name: str | None, claim: Manifest | None, volumes: Mapping[str, Manifest]
) -> Manifest | None:
    """The volume behind a claim, by either of the two ways; None where it is not there."""
    bound = volumes.get(_bound_to(claim)) if claim else None
    return bound or next((v for v in volumes.values() if _claims(engine, v, name)), None)


def _claims(engine: Engine, volume: Manifest, name: str | None) -> bool:
    """Whether a volume names the claim as its own."""
    reference = mapping(mapping(volume.value.get("spec")).get("claimRef"))
    namespace, mine = str(reference.get("namespace") or ""), engine.workload.namespace
    here = namespace == mine or not namespace or not mine
    return name is not None and here and reference.get("name") == name


def _bound_to(claim: Manifest) -> str:
    return str(mapping(claim.value.get("spec")).get("volumeName") or "")


def _driver(volume: dict[str, Any], persistent: Manifest | None) -> str | None:
    spec = mapping(persistent.value.get("spec")) if persistent else {}
    csi: Mapping[str, Any] = volume.get("csi") or mapping(spec.get("csi"))
    attributes = mapping(csi.get("volumeAttributes"))
    options = f"{spec.get('mountOptions') or ''}{attributes.get('mountOptions') or ''}"
    if str(attributes.get("protocol") or "") not in _FUSE or _READS_AHEAD.search(options):
        return None
    return _DRIVERS.get(str(csi.get("driver")))


RULE = Rule(
    code="fuse-mounted-weights",
    severity=Severity.NOTE,
    title="Weights are better streamed from a bucket than read through a mount of it",
    why=(
        "A file system asks for one block after the other, so most of the link stays unused: in "
        "the reference case 31 GiB took 127.6 s through the mount and 19.8 s streamed. It may be "
        "meant, as a baseline."
    ),
    remedy="stream the model: `firstlight render FILE --technique stream-weights` writes the "
    "change",
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="step 1 against step 0"),
        Source(origin=Origin.REPORTED, where="github.com/awslabs/mountpoint-s3/issues/719"),
    ),
    check=_check,
    techniques=("fuse-mount", "stream-weights"),
)
