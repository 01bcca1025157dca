"""
Which documents are Kubernetes objects, and what the others probably are.

An object says its `apiVersion`, its `kind` and its name. Lists are taken apart, because
`kubectl get -o yaml` writes them and nobody applies them. What is no object is often a file
that leads to objects: Helm's values, a kustomization, a compose file; then the refusal says
what to do with it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.readers.helm_text import LET_HELM, speaks_of_helm, template_refusal
from firstlight.readers.json_pointer import token
from firstlight.readers.marked_yaml import MarkedDocument

_HOLDS_TEMPLATES = frozenset({"ConfigMap", "Secret"})
"""Kinds whose texts are other programs': dashboards and chat templates have braces too."""
_KUSTOMIZE = "kustomize.config.k8s.io/"
_KUSTOMIZE_KEYS = frozenset(
    {"resources", "components", "patches", "patchesStrategicMerge", "patchesJson6902", "bases"}
)
_MOST_KEYS = 4
_TERRAFORM = re.compile(
    r"""\s*(?:resource|data|module|variable|provider|output)\s+"[^"]*"|terraform\s*\{"""
)
_TERRAFORMS_OBJECTS = (
    "Terraform is not read; give what it made: `kubectl get deployment NAME -o yaml`, "
    "or deployment/NAME"
)
_GIVE_OBJECTS = "give manifests, as `kubectl apply -f` takes them"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoObject:
    """A document that is no Kubernetes object."""

    line: int
    is_what: str
    """What it seems to be, to end a sentence with."""
    remedy: str


def kubernetes_objects(
    artefact: str, documents: tuple[MarkedDocument, ...]
) -> tuple[tuple[MarkedDocument, ...], tuple[NoObject, ...]]:
    """
    The objects of a text, lists taken apart, and what else it holds.

    Raises:
        BadInput: an object is damaged: no name, a name that is no text, a list in place of a map.
    """
    objects: list[MarkedDocument] = []
    others: list[NoObject] = []
    for document in documents:
        if other := _no_object(document):
            others.append(other)
            continue
        for one in _unpacked(artefact, document):
            _check(artefact, one)
            objects.append(one)
    return tuple(objects), tuple(others)


def refuse_others(artefact: str, others: tuple[NoObject, ...]) -> None:
    """
    Nothing, where every document is an object.

    Raises:
        BadInput: there is another one; where and what it seems to be.
    """
    for other in others:
        raise BadInput(
            f"{artefact} is no Kubernetes object in line {other.line}: {other.is_what}",
            remedy=other.remedy,
        )


def _no_object(document: MarkedDocument) -> NoObject | None:
    """What a document is instead; None where it is an object."""
    value = document.value
    if not isinstance(value, dict):
        if isinstance(value, str) and _TERRAFORM.match(value):
            return NoObject(
                line=document.line, is_what="it is Terraform", remedy=_TERRAFORMS_OBJECTS
            )
        what = "it is a list" if isinstance(value, list) else f"it is text, {str(value)[:40]!r}"
        return NoObject(line=document.line, is_what=what, remedy=_GIVE_OBJECTS)
    version, kind = value.get("apiVersion"), value.get("kind")
    if isinstance(version, str) and version.startswith(_KUSTOMIZE):
        return _kustomization(document)
    if isinstance(version, str) and isinstance(kind, str) and version and kind:
        return None
    return _guess(document, value)


def _guess(document: MarkedDocument, value: Mapping[str, Any]) -> NoObject:
    lacking = " and no ".join(key for key in ("apiVersion", "kind") if not value.get(key))
    what, remedy = f"it has no {lacking}", _GIVE_OBJECTS
    if "kind" not in value and _KUSTOMIZE_KEYS & value.keys():
        return _kustomization(document)
    if "services" in value and "kind" not in value and isinstance(value["services"], dict):
        what, remedy = "it is a compose file", "give the manifests of the same workload"
    elif "name" in value and "version" in value and "apiVersion" in value:
        what, remedy = "it is the head of a Helm chart", LET_HELM
    elif "apiVersion" not in value and "kind" not in value:
        keys = list(value)
        begins = ", ".join(keys[:_MOST_KEYS]) + (", ..." if len(keys) > _MOST_KEYS else "")
        what = f"it has no apiVersion and no kind, and begins with {begins or 'nothing'}"
        remedy = f"{_GIVE_OBJECTS}; for a chart's values, {LET_HELM}"
    return NoObject(line=document.line, is_what=what, remedy=remedy)


def _kustomization(document: MarkedDocument) -> NoObject:
    return NoObject(
        line=document.line, is_what="it is a kustomization", remedy="give the folder that it is in"
    )


def _unpacked(artefact: str, document: MarkedDocument) -> Iterator[MarkedDocument]:
    """The objects of a list, each with its own lines; an object as it is."""
    value = document.value
    items = value.get("items")
    if not str(value["kind"]).endswith("List") or "items" not in value:
        yield document
        return
    if not isinstance(items, list | None):
        raise _damaged(artefact, document, "/items", "items is no list")
    lines = _lines_of_items(document.lines)
    kind = str(value["kind"]).removesuffix("List")
    for number, item in enumerate(items or []):
        if not isinstance(item, dict):
            raise _damaged(artefact, document, f"/items/{number}", "an item is no object")
        # A list of one kind, as the API sends it, says kind and version once.
        whole = {"apiVersion": value["apiVersion"], "kind": kind, **item} if kind else item
        one = MarkedDocument(value=whole, lines=lines[number])
        if other := _no_object(one):
            raise _damaged(artefact, one, "", f"an item of the list is no object, {other.is_what}")
        yield from _unpacked(artefact, one)


def _lines_of_items(lines: Mapping[str, int]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for pointer, line in lines.items():
        _, items, *rest = (*pointer.split("/", 3), "", "")
        if items == "items" and rest[0]:
            inside = f"/{rest[1]}" if pointer.count("/") > 2 else ""  # noqa: PLR2004
            found.setdefault(int(rest[0]), {})[inside] = line
    return found


def _check(artefact: str, one: MarkedDocument) -> None:
    """See that an object is one that others may look into without looking twice."""
    value = one.value
    meta = value.get("metadata")
    if not isinstance(meta, dict):
        raise _damaged(artefact, one, "/metadata", f"this {value['kind']} has no metadata")
    name = meta.get("name")
    if name is not None and not isinstance(name, str):
        said = f"the name is {name!r}, which is no text without quotes"
        raise _damaged(artefact, one, "/metadata/name", said, remedy="put it in quotes")
    if not name and not meta.get("generateName"):
        raise _damaged(artefact, one, "/metadata", f"this {value['kind']} has no name")
    for key in ("labels", "annotations"):
        if not isinstance(meta.get(key), dict | None):
            raise _damaged(artefact, one, f"/metadata/{key}", f"metadata/{key} is no map")
    if value["kind"] not in _HOLDS_TEMPLATES:
        for pointer, text in _texts(value, ""):
            if speaks_of_helm(text):
                raise template_refusal(artefact, one.line_of(pointer))


def _texts(value: object, pointer: str) -> Iterator[tuple[str, str]]:
    """Every text of an object, but those of annotations, which are other programs'."""
    match value:
        case str():
            yield pointer, value
        case dict():
            for key, inner in value.items():
                if key != "annotations":
                    yield from _texts(inner, f"{pointer}/{token(key)}")
        case list():
            for number, inner in enumerate(value):
                yield from _texts(inner, f"{pointer}/{number}")


def _damaged(
    artefact: str,
    document: MarkedDocument,
    pointer: str,
    words: str,
    *,
    remedy: str = "put that line right",
) -> BadInput:
    return BadInput(f"{artefact} line {document.line_of(pointer)}: {words}", remedy=remedy)
