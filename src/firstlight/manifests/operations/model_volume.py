"""
`remove-model-volume`: what the model was read from before is gone.

A mount that nobody reads from still costs: its driver has to be ready before the pod may
start. So the mount goes, and the volume, claim and PersistentVolume behind it, as far as
nobody else has a use for them.
"""

from typing import Any

from firstlight.manifests.arguments import Option
from firstlight.manifests.command_line import command_line
from firstlight.manifests.draft import Draft, model_of
from firstlight.manifests.hidden_arguments import mount_of
from firstlight.manifests.mounts import claim_of, mounting, volume_named
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.manifests.variables import names
from firstlight.readers.json_pointer import value_at

_NAMES_NO_FILE = frozenset({"--served-model-name"})


def remove_model_volume(draft: Draft) -> None:
    """Take the volume away that held the model before, unless it is used for more."""
    model = model_of(draft.before, draft.objects)
    mount = mount_of(draft.before.container, model) if model and model.startswith("/") else None
    if model is None or mount is None or model_of(draft.now, draft.objects) == model:
        return
    name = mount["name"]
    if user := _also_read(draft, str(mount["mountPath"]).rstrip("/")):
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


def _also_read(draft: Draft, path: str) -> str | None:
    """What else of the engine's container speaks of the path; None where nothing does."""
    line, before = draft.line(), command_line(draft.before.container, draft.before.place)
    model = [] if before.model is None else [before.arguments.words[before.model].text]
    named_model = {name for word in model for name in names(word)}
    for entry in draft.container.get("env") or []:
        if entry["name"] not in named_model and _under(str(entry.get("value") or ""), path):
            return f"the variable {entry['name']}"
    for option in line.arguments.options:
        if option.name not in _NAMES_NO_FILE and any(_under(v, path) for v in _values(option)):
            return option.name
    engines = set(line.arguments.words)
    for word in (word for command in line.commands for word in command if word not in engines):
        assigned = word.text.partition("=")[0] in named_model
        if not assigned and (path in word.text or named_model & set(names(word.text))):
            return "the script around the engine"
    return None


def _values(option: Option) -> list[str]:
    joined = [] if option.joined is None else [option.joined]
    return joined + [word.text for word in option.values]


def _under(text: str, path: str) -> bool:
    return text == path or text.startswith(f"{path}/")


def _remove_claim(draft: Draft, claim: str) -> None:
    """The claim and what it is bound to, where they are in the set and nobody else's."""
    namespace = draft.before.namespace
    claims = [
        i
        for i, m in enumerate(draft.objects)
        if m.identity.kind == "PersistentVolumeClaim"
        and m.identity.name == claim
        and m.identity.namespace == namespace
    ]
    if not claims or _claimed_elsewhere(draft, claim):
        return
    draft.removed.update(claims)
    spec = draft.objects.manifests[claims[0]].value.get("spec") or {}
    for m in draft.objects.of_kind("PersistentVolume"):
        reference = (m.value.get("spec") or {}).get("claimRef") or {}
        bound = reference.get("name") == claim and (
            reference.get("namespace", namespace) == namespace or not namespace
        )
        if m.identity.name == spec.get("volumeName") or bound:
            draft.removed.add(draft.objects.manifests.index(m))


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
