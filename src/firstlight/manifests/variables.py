"""
What a container's variables are, as far as the manifests tell.

`env` wins over `envFrom`, and the last of two entries of one name counts. A value that
comes from a Secret, from the pod's own fields, or from a ConfigMap that is not in the set
is not known here. What a script makes of them is for `readers.shell_assignments`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from firstlight.manifests.json_values import canonical_text
from firstlight.manifests.objects import Manifest, ObjectSet

KUBERNETES_VARIABLE = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)")
_ITEM = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)")
"""What Kubernetes replaces: two dollars are one, as a variable is what it holds."""
LONGEST_MADE = 2**17
"""
Of what is put together from variables, in characters: Linux hands no longer text to a program.

Thirty variables that each hold the one before them twice are a thousand million characters.
"""
_IN_SHELL = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")


def variables(
    container: dict[str, Any], objects: ObjectSet, namespace: str
) -> Mapping[str, str | None]:
    """
    The container's variables by name; None for one whose value is not in the manifests.

    None as well for one that grows beyond what a program can be handed.
    """
    found: dict[str, str | None] = {}
    left = LONGEST_MADE
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
            value = str(entry.get("value") or "")
            found[name] = made = (
                None if entry.get("valueFrom") else _with_those_before(value, found, left)
            )
            left -= len(made) if made and made != value else 0
    return found


def _with_those_before(value: str, found: Mapping[str, str | None], longest: int) -> str | None:
    """A variable's value, in which those before it may stand; others stay as they are written."""
    if any(found.get(name, "") is None for name in _ITEM.findall(value)):
        return None
    return _replaced(
        _ITEM, lambda m: "$" if m[1] is None else found.get(m[1]) or m[0], value, longest
    )


def _replaced(
    pattern: re.Pattern[str], value: Callable[[re.Match[str]], str], text: str, longest: int
) -> str | None:
    """What stands there with each match replaced; None where it becomes longer than that."""
    parts: list[str] = []
    at = length = 0
    for match in pattern.finditer(text):
        parts += [text[at : match.start()], value(match)]
        length += len(parts[-2]) + len(parts[-1])
        at = match.end()
        if length > longest:
            return None
    said = [part for part in (*parts, text[at:]) if part]
    # What is one variable and nothing else is not held twice.
    return said[0] if len(said) == 1 else "".join(said)


def resolved(
    word: str,
    environment: Mapping[str, str | None],
    script: Mapping[str, str | None] | None = None,
) -> str | None:
    """
    A word with its variables replaced; None where one is not known, or it grows too long.

    Args:
        word: as it is written.
        environment: the container's variables: Kubernetes puts them in for `$(NAME)`.
        script: the variables as the shell's script has them, whose word it is; None for an
            item, which no shell sees.
    """
    unknown = False

    def value(match: re.Match[str]) -> str:
        nonlocal unknown
        name = next((g for g in match.groups() if g), None)
        if name is None:
            return "$"
        values = environment if match[1] or script is None else script
        found = values.get(name)
        unknown = unknown or found is None
        return found or ""

    in_shell = script is not None
    done = _replaced(_IN_SHELL if in_shell else _ITEM, value, word, LONGEST_MADE)
    if done is None or unknown or (in_shell and ("$" in done or "`" in done)):
        return None
    return done


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
