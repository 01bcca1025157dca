"""
Changes as kustomize has them: a base, and one component a technique.

A component can be put on any base that has the objects, and be taken away again: that is how
a technique is tried by people who keep their manifests in git. It holds the change's own JSON
patches, so that `kubectl kustomize` makes what the change makes. Each step of a row is an
overlay that lists the components so far.

Paths and texts only; who writes them is in `edges`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.change import Change
from firstlight.manifests.objects import Identity, ObjectSet
from firstlight.manifests.patch_document import operations_text
from firstlight.readers.yaml_text import document_text

MARK = "# written by firstlight render"
"""The head of every file, by which the next rendering knows that it may be replaced."""
FILE = "kustomization.yaml"
_NO_NAMESPACE = "^(default|_non_namespaceable_)$"
"""What kustomize takes for the namespace of an object that names none, with and without any."""
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9.]+")
_OVERLAY = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
_COMPONENT = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}


def kustomization(base: ObjectSet, changes: Sequence[Change]) -> Mapping[str, str]:
    """
    The files of a base, a component for each change, and an overlay of all of them.

    A change that changes nothing has no component: kustomize refuses an empty one.

    Args:
        base: the objects before any change.
        changes: each on the objects after the one before.

    Raises:
        BadInput: an object has no name that kustomize could find it by.
    """
    real = [change for change in changes if not change.is_empty]
    return {
        **_base(base),
        **_components(base, real),
        FILE: _text(_overlay("", real)),
    }


def steps(base: ObjectSet, row: Sequence[tuple[str, Change | None]]) -> Mapping[str, str]:
    """
    A base, components, and an overlay for each step: `steps/N-TECHNIQUE`.

    Args:
        base: the objects of step 0.
        row: each step's technique, with its change on the objects of the step before; None
            for step 0, and for a step that changes nothing here.

    Raises:
        BadInput: an object has no name that kustomize could find it by.
    """
    real = {number: one for number, (_, one) in enumerate(row) if one and not one.is_empty}
    files = {**_base(base), **_components(base, real.values())}
    for number, (technique, _) in enumerate(row):
        done = [change for at, change in real.items() if at <= number]
        files[f"steps/{number}-{technique}/{FILE}"] = _text(_overlay("../../", done))
    return files


def component(base: ObjectSet, change: Change) -> Mapping[str, str]:
    """
    The files of one component, by their names in its folder.

    Args:
        base: the objects before the change.
        change: what it changes.
    """
    names = _Names()
    added = {names.free("", one.identity): one.value for one in change.added}
    files = {name: _text(value) for name, value in added.items()}
    patches: list[dict[str, Any]] = []
    for patch in change.patches:
        name = names.free("patch-", patch.target)
        files[name] = f"{MARK}\n{operations_text(patch.operations)}"
        patches.append({"patch": document_text(_head(patch.target, base))})
        patches.append({"path": name, "target": _target(patch.target)})
    for identity in change.removed:
        name = names.free("remove-", identity)
        files[name] = _text({**_head(identity, base), "$patch": "delete"})
        patches.append({"path": name})
    whole: dict[str, Any] = dict(_COMPONENT)
    if added:
        whole["resources"] = list(added)
    if patches:
        whole["patches"] = patches
    return {FILE: _text(whole), **files}


def _base(base: ObjectSet) -> dict[str, str]:
    names = _Names()
    files: dict[str, str] = {}
    for manifest in base:
        if not manifest.identity.name:
            raise BadInput(
                f"{manifest.place()}: kustomize finds objects by their name, and this one has none",
                remedy="give it a name, or leave it out",
            )
        files[names.free("", manifest.identity)] = _text(manifest.value)
    head = _text({**_OVERLAY, "resources": list(files)})
    return {f"base/{FILE}": head, **{f"base/{name}": text for name, text in files.items()}}


def _components(base: ObjectSet, changes: Iterable[Change]) -> dict[str, str]:
    made: dict[str, str] = {}
    known = list(base)
    for change in changes:
        for name, text in component(ObjectSet(manifests=tuple(known)), change).items():
            made[f"components/{change.technique}/{name}"] = text
        known += change.added
    return made


def _overlay(up: str, changes: Sequence[Change]) -> dict[str, Any]:
    whole: dict[str, Any] = {**_OVERLAY, "resources": [f"{up}base"]}
    if changes:
        whole["components"] = [f"{up}components/{change.technique}" for change in changes]
    return whole


def _target(identity: Identity) -> dict[str, str]:
    """
    Whom a patch is for, and nobody else.

    Each word is a pattern, in which a dot would be any letter, and one that is left out is for
    all: an object of that name in every namespace.
    """
    said = {
        "group": identity.group,
        "kind": identity.kind,
        "name": identity.name.replace(".", r"\."),
        "namespace": identity.namespace or _NO_NAMESPACE,
    }
    return {key: word for key, word in said.items() if word}


def _head(identity: Identity, base: ObjectSet) -> dict[str, Any]:
    """
    The object and nothing of it.

    As a patch it changes nothing, and is one of those that have to find their object: kustomize
    passes over a JSON patch that finds none.
    """
    there = base.get(identity)
    version = there.value["apiVersion"] if there else identity.group
    metadata = {"name": identity.name}
    if identity.namespace:
        metadata["namespace"] = identity.namespace
    return {"apiVersion": version, "kind": identity.kind, "metadata": metadata}


def _text(value: Any) -> str:
    return f"{MARK}\n{document_text(value)}"


class _Names:
    """File names in one folder: said once, and no two differ by case alone."""

    def __init__(self) -> None:
        self._taken = {FILE}

    def free(self, prefix: str, identity: Identity) -> str:
        words = f"{identity.kind}-{identity.name}".lower()
        stem = prefix + _NOT_IN_A_NAME.sub("-", words).strip("-.")
        if f"{stem}.yaml" in self._taken and identity.namespace:
            stem = f"{stem}-{identity.namespace}"
        name, number = f"{stem}.yaml", 2
        while name in self._taken:
            name, number = f"{stem}-{number}.yaml", number + 1
        self._taken.add(name)
        return name
