"""
What a container that works for the engine has from it.

It fills a folder of the engine's before that starts. So it must see the folder on the same volume,
write as the same user, because the engine adds to it, and find the object store where the engine
finds it. All of this follows the engine's container, and is put right where that has changed.
"""

from collections.abc import Sequence
from typing import Any

from firstlight.manifests.draft import Draft
from firstlight.manifests.hidden_arguments import mount_of
from firstlight.manifests.json_values import copied
from firstlight.manifests.mounts import is_read_only, volume_named
from firstlight.manifests.variables import KUBERNETES_VARIABLE

_STORES = "AWS_"
_OF_A_FILE = ("_FILE", "_BUNDLE")
"""What such a variable names lies in the engine's container."""


class ForEngine:
    """Fields of one container that follow the engine's."""

    def __init__(self, draft: Draft, folder: str, container: dict[str, Any]) -> None:
        """
        Args:
            draft: with what the engine's container has become.
            folder: that is filled.
            container: what else it is; its own variables are taken out of it.

        Raises:
            BadInput: the folder lies on no volume, or the user cannot be told.
        """
        engine = draft.container
        mount = _mount(draft, folder)
        kept = ("name", "mountPath", "subPath", "subPathExpr")
        self._mounts = [{name: mount[name] for name in kept if name in mount}]
        folder_of = str(mount.get("subPathExpr") or "")
        self._variables = [*container.pop("env", []), *_of_the_store(engine, folder_of)]
        _check_folder(draft, folder_of, self._variables)
        self._context = copied(engine.get("securityContext") or {})
        _check_user(draft, container)

    def put_into(self, container: dict[str, Any]) -> None:
        """Have them in a container, which may have more."""
        for field, key, wanted in (
            ("env", "name", self._variables),
            ("volumeMounts", "mountPath", self._mounts),
        ):
            names = {one[key] for one in wanted}
            others = [one for one in container.get(field) or [] if one.get(key) not in names]
            container[field] = [*wanted, *others]
        if self._context and not container.get("securityContext"):
            container["securityContext"] = self._context


def _mount(draft: Draft, folder: str) -> dict[str, Any]:
    mount = mount_of(draft.container, folder)
    if mount is None:
        raise draft.refusal(
            f"{folder} lies on no volume of the engine's ({draft.before.place()})",
            remedy="mount a volume there, or say another folder: --set cache_dir=PATH",
        )
    place = draft.before.place("/volumeMounts")
    at = str(mount["mountPath"]).rstrip("/")
    if at == folder.rstrip("/"):
        raise draft.refusal(
            f"{folder} is where the volume {mount['name']} is mounted ({place}), and a published "
            "cache comes to its place by a rename, which a mount point does not take",
            remedy=f"keep the caches in a folder of it: --set cache_dir={at}/engine",
        )
    if is_read_only(volume_named(draft.pod, mount.get("name")) or {}, mount):
        raise draft.refusal(
            f"{folder} lies in {at}, which is mounted to be read only ({place})",
            remedy="let it be written, or say another folder: --set cache_dir=PATH",
        )
    return mount


def _of_the_store(engine: dict[str, Any], folder_of: str) -> list[Any]:
    """
    The variables by which the engine finds and enters the object store, and its folder.

    With those that stand in them: Kubernetes puts in what the container itself has.
    """
    by_name = {str(one.get("name")): one for one in engine.get("env") or []}
    wanted = {n for n in by_name if n.startswith(_STORES) and not n.endswith(_OF_A_FILE)}
    texts = [folder_of, *(str(by_name[name].get("value") or "") for name in wanted)]
    while texts:
        new = {*KUBERNETES_VARIABLE.findall(texts.pop())} & by_name.keys() - wanted
        wanted |= new
        texts += [str(by_name[name].get("value") or "") for name in new]
    return [copied(one) for name, one in by_name.items() if name in wanted]


def _check_folder(draft: Draft, folder_of: str, given: Sequence[dict[str, Any]]) -> None:
    """A folder of a variable that the container has not would keep the pod from starting."""
    names = {str(one.get("name")) for one in given}
    if missing := sorted({*KUBERNETES_VARIABLE.findall(folder_of)} - names):
        raise draft.refusal(
            f"the volume's folder is {folder_of}, and {missing[0]} is not among the variables that "
            f"the engine's container says itself ({draft.before.place('/env')})",
            remedy="write the variable into its env",
        )


def _check_user(draft: Draft, container: dict[str, Any]) -> None:
    """An image of another user than the engine's must not be what stops the pod."""
    context = {
        **(draft.pod.get("securityContext") or {}),
        **(draft.container.get("securityContext") or {}),
    }
    same_image = container.get("image") == draft.container.get("image")
    if context.get("runAsNonRoot") and context.get("runAsUser") is None and not same_image:
        raise draft.refusal(
            "the engine must not run as root and no user is "
            f"said ({draft.before.place()}), so {container['name']} would have another one, and "
            "the pod would not start where that is root",
            remedy="write runAsUser into the securityContext",
        )
