"""
`add-volume`: the pod has a volume, and the engine sees it at a path.

People who kept a cache already have a volume at that path, or one of that name. What they
have is used where it does the same, and never replaced: it may hold what cannot be made
again.
"""

from typing import Any

from firstlight.manifests.draft import Draft, listed
from firstlight.manifests.hidden_arguments import mount_of
from firstlight.manifests.json_values import covers
from firstlight.manifests.mounts import is_read_only, outlives_pods, volume_named
from firstlight.techniques.operations import AddVolume


def add_volume(draft: Draft, operation: AddVolume) -> None:
    """Have the volume and its mount, unless they are there or something as good is."""
    mount = mount_of(draft.container, operation.mount_path)
    if mount is not None and (
        _will_do(draft, operation, mount) or _serves(draft, operation, mount)
    ):
        return
    if have_volume(draft, operation.volume):
        _say_who_may_write(draft, operation)
    new: dict[str, Any] = {
        "name": operation.volume["name"],
        "mountPath": operation.mount_path,
    }
    if operation.read_only:
        new["readOnly"] = True
    listed(draft.container, "volumeMounts").append(new)


def _will_do(draft: Draft, operation: AddVolume, mount: dict[str, Any]) -> bool:
    volume = volume_named(draft.pod, mount.get("name")) or {}
    return operation.unless_mounted and not is_read_only(volume, mount)


def _serves(draft: Draft, operation: AddVolume, mount: dict[str, Any]) -> bool:
    """Whether what is mounted there does already; refused where it stands in the way."""
    volume = volume_named(draft.pod, mount.get("name")) or {}
    place = _place_of(draft, mount)
    exactly = str(mount["mountPath"]).rstrip("/") == operation.mount_path.rstrip("/")
    whole = not mount.get("subPath") and not mount.get("subPathExpr")
    read_only = is_read_only(volume, mount)
    writable = operation.read_only or not read_only
    if exactly and whole and _is_same(volume, operation.volume) and writable:
        return True
    if read_only and not operation.read_only:
        raise draft.refusal(
            f"{operation.mount_path} lies in {mount['mountPath']}, which is mounted to be read "
            f"only ({place})",
            remedy="give the technique another path, or let it be written",
        )
    lasting = outlives_pods(volume, mount) or _is_template(draft, mount)
    if "hostPath" in operation.volume and lasting:
        draft.assume(
            f"{operation.mount_path} lies in the volume {mount['name']} already ({place}); "
            "it is used as it is, and is taken to outlive the pod"
        )
        return True
    if exactly:
        raise draft.refusal(
            f"{operation.mount_path} is the volume {mount['name']} already ({place})",
            remedy="give the technique another path, or take that volume away",
        )
    return False


def have_volume(draft: Draft, volume: dict[str, Any]) -> bool:
    """
    Have a volume in the pod.

    Args:
        draft: with the pod.
        volume: as in `spec.volumes`, with its name.

    Returns:
        Whether it was added; else it was there.

    Raises:
        BadInput: another one has its name.
    """
    name = volume["name"]
    there = volume_named(draft.pod, name)
    if there is None:
        listed(draft.pod, "volumes").append(dict(volume))
        return True
    if not _is_same(there, volume):
        at = (draft.before.pod.get("volumes") or [there]).index(there)
        place = draft.before.manifest.place(f"{draft.before.pod_pointer}/volumes/{at}")
        raise draft.refusal(
            f"the pod has another volume called {name} ({place})",
            remedy="give that one another name",
        )
    return False


def _is_same(there: dict[str, Any], volume: dict[str, Any]) -> bool:
    wanted = {k: v for k, v in volume.items() if k != "name"}
    return covers(there, wanted)


def _is_template(draft: Draft, mount: dict[str, Any]) -> bool:
    spec = draft.before.manifest.value.get("spec") or {}
    templates = spec.get("volumeClaimTemplates") or []
    return any((t.get("metadata") or {}).get("name") == mount.get("name") for t in templates)


def _place_of(draft: Draft, mount: dict[str, Any]) -> str:
    mounts = draft.before.container.get("volumeMounts") or []
    return draft.before.place(f"/volumeMounts/{mounts.index(mount)}" if mount in mounts else "")


def _say_who_may_write(draft: Draft, operation: AddVolume) -> None:
    if "hostPath" not in operation.volume:
        return
    context = {
        **(draft.pod.get("securityContext") or {}),
        **(draft.container.get("securityContext") or {}),
    }
    if context.get("runAsUser") or context.get("runAsNonRoot"):
        path = (operation.volume["hostPath"] or {}).get("path")
        draft.assume(
            f"the engine does not run as root, and {path} on the node is root's: let the node "
            "make it writable for that user (fsGroup has no effect on a hostPath)"
        )
