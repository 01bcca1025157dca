"""
`remove-model-volume`: what the model was read from before is gone.

A mount that nobody reads from still costs: its driver has to be ready before the pod may
start. So the mount goes, and the volume, and of a bucket the claim and PersistentVolume
behind it, as far as nobody else has a use for them. Whether the pod has is asked in
`path_mentions`.
"""

from typing import Any

from firstlight.manifests.command_line import command_line
from firstlight.manifests.draft import Draft, model_of
from firstlight.manifests.hidden_arguments import mount_of
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.model_source import BUCKET_DRIVERS
from firstlight.manifests.mounts import claim_of, mounting, volume_named
from firstlight.manifests.objects import Manifest
from firstlight.manifests.path_mentions import also_speaks_of
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import value_at


def remove_model_volume(draft: Draft) -> None:
    """Take the volume away that held the model before, unless it is used for more."""
    model = model_of(draft.before, draft.objects)
    mount = mount_of(draft.before.container, model) if model and model.startswith("/") else None
    if model is None or mount is None or model_of(draft.now, draft.objects) == model:
        return
    name = mount["name"]
    path = str(mount["mountPath"]).rstrip("/")
    if user := also_speaks_of(draft, path, _model_word(draft)):
        draft.assume(f"the volume {name} stays, because {user} reads from it")
        return
    mounts = draft.container.get("volumeMounts") or []
    if mount not in mounts:
        return
    mounts.remove(mount)
    _drop_empty(draft.container, "volumeMounts")
    if left := sorted(set(mounting(draft.pod, name))):
        draft.assume(
            f"the volume {name} stays, because the container {left[0]} mounts it; "
            "if that one only fetches the model, it is of no use any more"
        )
        return
    volume = volume_named(draft.pod, name)
    if volume is None:
        raise draft.refusal(
            f"the model lies in {name}, which is one of the volumeClaimTemplates, and those "
            "cannot be changed",
            remedy="make the StatefulSet anew without that template",
        )
    draft.pod["volumes"].remove(volume)
    _drop_empty(draft.pod, "volumes")
    if (claim := claim_of(volume)) is not None:
        _remove_claim(draft, claim)


def _model_word(draft: Draft) -> str | None:
    before = command_line(draft.before.container, draft.before.place)
    return None if before.model is None else before.arguments.words[before.model].text


def _remove_claim(draft: Draft, claim: str) -> None:
    """
    The claim and the PersistentVolume that is a bucket, where they are nobody else's.

    What lies in a bucket stays there. With any other claim its data may go, so it stays.
    """
    claims = [
        i
        for i, m in enumerate(draft.objects)
        if kind_of(m.value) == "PersistentVolumeClaim"
        and m.identity.name == claim
        and m.identity.namespace == draft.before.namespace
    ]
    if _claimed_elsewhere(draft, claim):
        return
    buckets = [i for at in claims for i in _buckets(draft, at)]
    if not claims or not buckets:
        draft.assume(
            f"the claim {claim} stays, with all that is in it, and this workload does not use it "
            "any more: delete it when nobody needs it"
        )
        return
    draft.removed.update(claims, buckets)


def _buckets(draft: Draft, claim: int) -> list[int]:
    """The PersistentVolumes bound to a claim that are a bucket's file system."""
    manifest = draft.objects.manifests[claim]
    spec = manifest.value.get("spec") or {}
    return [
        i
        for i, m in enumerate(draft.objects)
        if kind_of(m.value) == "PersistentVolume"
        and (m.identity.name == spec.get("volumeName") or _claimed_by(m, manifest))
        and ((m.value.get("spec") or {}).get("csi") or {}).get("driver") in BUCKET_DRIVERS
    ]


def _claimed_by(volume: Manifest, claim: Manifest) -> bool:
    reference = (volume.value.get("spec") or {}).get("claimRef") or {}
    namespace = claim.identity.namespace
    return reference.get("name") == claim.identity.name and (
        reference.get("namespace", namespace) == namespace or not namespace
    )


def _claimed_elsewhere(draft: Draft, claim: str) -> bool:
    return any(
        claim_of(volume) == claim
        for i, value in enumerate(draft.values)
        if i not in draft.removed
        for pointer in pod_pointers(value)
        for volume in value_at(value, pointer).get("volumes") or []
    )


def _drop_empty(of: dict[str, Any], field: str) -> None:
    if not of[field]:
        del of[field]
