"""
What a container's variables are, as far as the manifests tell.

`env` wins over `envFrom`, and the last of two entries of one name counts. A value that
comes from a Secret, from the pod's own fields, or from a ConfigMap that is not in the set
is not known here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from firstlight.manifests.json_values import canonical_text
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.readers.words import Word

_LISTED = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)")
_IN_SHELL = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=")
_BEFORE_ASSIGNMENT = frozenset({"export", "declare", "readonly", "local", "env"})


def variables(
    container: dict[str, Any], objects: ObjectSet, namespace: str
) -> Mapping[str, str | None]:
    """The container's variables by name; None for one whose value is not in the manifests."""
    found: dict[str, str | None] = {}
    for source in container.get("envFrom") or []:
        data = config_data(objects, (source.get("configMapRef") or {}).get("name"), namespace)
        found |= {f"{source.get('prefix') or ''}{k}": v for k, v in (data or {}).items()}
    for entry in container.get("env") or []:
        name = str(entry.get("name"))
        reference = (entry.get("valueFrom") or {}).get("configMapKeyRef")
        if reference:
            data = config_data(objects, reference.get("name"), namespace) or {}
            found[name] = data.get(str(reference.get("key")))
        else:
            found[name] = None if entry.get("valueFrom") else str(entry.get("value") or "")
    return found


def assigned(commands: Sequence[Sequence[Word]]) -> Mapping[str, str | None]:
    """What a script assigns, by name; None where that is not known, or happens twice."""
    found: dict[str, str | None] = {}
    for words in commands:
        for word in words:
            if word.text in _BEFORE_ASSIGNMENT:
                continue
            if not (match := _ASSIGNED.match(word.text)):
                break
            known = word.static and match[1] not in found
            found[match[1]] = word.text[match.end() :] if known else None
    return found


def resolved(word: str, values: Mapping[str, str | None], *, shell: bool) -> str | None:
    """The word with its variables replaced; None where one is not known."""
    unknown = False

    def value(match: re.Match[str]) -> str:
        nonlocal unknown
        found = values.get(next(g for g in match.groups() if g))
        unknown = unknown or found is None
        return found or ""

    done = (_IN_SHELL if shell else _LISTED).sub(value, word)
    return None if unknown or (shell and ("$" in done or "`" in done)) else done


def names(word: str) -> tuple[str, ...]:
    """The variables that a word refers to."""
    return tuple(next(g for g in m.groups() if g) for m in _IN_SHELL.finditer(word))


def config_map(objects: ObjectSet, name: object, namespace: str) -> Manifest | None:
    """A ConfigMap of the set; None where it is not among the objects."""
    return next(
        (
            m
            for m in objects.of_kind("ConfigMap")
            if m.identity.name == name and m.identity.namespace in {namespace, ""}
        ),
        None,
    )


def config_data(objects: ObjectSet, name: object, namespace: str) -> dict[str, str] | None:
    """What a ConfigMap holds; None where it is not among the objects."""
    found = config_map(objects, name, namespace)
    if found is None:
        return None
    return {
        str(k): v if isinstance(v, str) else canonical_text(v)
        for k, v in (found.value.get("data") or {}).items()
    }
