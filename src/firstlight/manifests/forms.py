"""
The form of what is looked at in an object, and the first place that has another.

A form is written as the value looks: a map of names, a list of one form, a word for a plain
value. Only what is looked at is in it. A pod in an object of Kubernetes' own has to have the
form; something that only looks like a pod, in an object of anybody's, is one if it has it.
"""

from dataclasses import dataclass
from typing import Any

from firstlight.readers.json_pointer import pointer

TEXT = "a text"
QUOTED = "a text, and no number"
"""Where Kubernetes takes no number and no `true` for a text, and YAML makes them of bare words."""
_MAP: dict[str, Any] = {}
TEXTS = {"*": TEXT}
"""A map of texts; `*` is any name. A name that ends in `!` has to be there."""
_MOUNTS = [{"name!": TEXT, "mountPath!": TEXT, "subPath": TEXT}]
SETTINGS = {
    "image": TEXT,
    "command": [QUOTED],
    "args": [QUOTED],
    "env": [
        {
            "name!": TEXT,
            "value": QUOTED,
            "valueFrom": {"configMapKeyRef": {"name": TEXT, "key": TEXT}},
        }
    ],
    "envFrom": [{"prefix": TEXT, "configMapRef": {"name": TEXT}}],
    "ports": [{"containerPort": int, "name": TEXT}],
    "resources": {"limits": TEXTS, "requests": TEXTS},
    "securityContext": _MAP,
    "volumeMounts": _MOUNTS,
}
_CONTAINER = {"name!": TEXT} | SETTINGS
_MATCHES = [{"key": TEXT, "operator": TEXT, "values": [TEXT]}]
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
POD = {
    "containers": [_CONTAINER],
    "initContainers": [_CONTAINER],
    "volumes": [
        {
            "name!": TEXT,
            "persistentVolumeClaim": {"claimName": TEXT},
            "configMap": {"name": TEXT, "items": [{"key!": TEXT, "path": TEXT}]},
            "csi": {"driver": TEXT, "volumeAttributes": TEXTS},
            "hostPath": {"path": TEXT},
        }
    ],
    "nodeSelector": TEXTS,
    "securityContext": _MAP,
    "affinity": {
        "nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": _MATCHES}]}}
    },
}
_CONTAINERS = [{"name": TEXT} | SETTINGS]
LIKE_A_POD = POD | {"containers": _CONTAINERS, "initContainers": _CONTAINERS}
"""A pod of which others make a whole one: Knative gives names to its containers itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A place that has another form."""

    at: str
    what: str
    """To end a sentence with: `is not a list`, `has no name`."""


def first_wrong(value: Any, form: Any, at: str = "") -> Wrong | None:
    """The first place at which a value has not the form; None where it has it."""
    if value is None:
        return None
    if isinstance(form, dict):
        return _in_map(value, form, at)
    if isinstance(form, list):
        return _in_list(value, form[0], at)
    if form is int and (isinstance(value, bool) or not isinstance(value, int)):
        return Wrong(at=at, what="is not a whole number")
    if form is QUOTED and isinstance(value, int | float):
        written = str(value).lower() if isinstance(value, bool) else value
        return Wrong(at=at, what=f'is no text: write "{written}"')
    if form in (TEXT, QUOTED) and isinstance(value, dict | list):
        return Wrong(at=at, what=f"is not {TEXT}")
    return None


def _in_map(value: Any, form: dict[str, Any], at: str) -> Wrong | None:
    if not isinstance(value, dict):
        return Wrong(at=at, what="is not a map")
    for named, inner in form.items():
        name = named.removesuffix("!")
        if named.endswith("!") and value.get(name) is None:
            return Wrong(at=at, what=f"has no {name}")
        for key in value if name == "*" else (name,):
            if wrong := first_wrong(value.get(key), inner, at + pointer(key)):
                return wrong
    return None


def _in_list(value: Any, form: Any, at: str) -> Wrong | None:
    if not isinstance(value, list):
        return Wrong(at=at, what="is not a list")
    for index, inner in enumerate(value):
        here = at + pointer(index)
        wrong = Wrong(at=here, what="is not there") if inner is None else None
        if wrong := wrong or first_wrong(inner, form, here):
            return wrong
    return None
