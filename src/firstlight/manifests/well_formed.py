"""
Whether objects have the form that everything here takes for granted.

A manifest is what somebody typed: `args` may be one text, `env` a map, `volumes` a word.
Kubernetes would refuse it, and until then it is only YAML. Only what is looked at is
checked, lists that are lists and names that are there; what the API would say to the rest
is left to it.
"""

from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import pointer, value_at

_TEXT = "a text"
_MAP: dict[str, Any] = {}
_TEXTS = {"*": _TEXT}
"""A map of texts; `*` is any name. A name that ends in `!` has to be there."""
_MOUNTS = [{"name!": _TEXT, "mountPath!": _TEXT, "subPath": _TEXT}]
_CONTAINER = {
    "name!": _TEXT,
    "image": _TEXT,
    "command": [_TEXT],
    "args": [_TEXT],
    "env": [
        {
            "name!": _TEXT,
            "value": _TEXT,
            "valueFrom": {"configMapKeyRef": {"name": _TEXT, "key": _TEXT}},
        }
    ],
    "envFrom": [{"prefix": _TEXT, "configMapRef": {"name": _TEXT}}],
    "ports": [{"containerPort": int, "name": _TEXT}],
    "resources": {"limits": _TEXTS, "requests": _TEXTS},
    "securityContext": _MAP,
    "volumeMounts": _MOUNTS,
}
_MATCHES = [{"key": _TEXT, "operator": _TEXT, "values": [_TEXT]}]
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_POD = {
    "containers": [_CONTAINER],
    "initContainers": [_CONTAINER],
    "volumes": [
        {
            "name!": _TEXT,
            "persistentVolumeClaim": {"claimName": _TEXT},
            "configMap": {"name": _TEXT, "items": [{"key!": _TEXT, "path": _TEXT}]},
            "csi": {"driver": _TEXT, "volumeAttributes": _TEXTS},
            "hostPath": {"path": _TEXT},
        }
    ],
    "nodeSelector": _TEXTS,
    "securityContext": _MAP,
    "affinity": {
        "nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": _MATCHES}]}}
    },
}
_OBJECT = {"kind": _TEXT, "apiVersion": _TEXT, "metadata": {"name": _TEXT, "namespace": _TEXT}}
_BY_KIND: dict[str, dict[str, Any]] = {
    "ConfigMap": {"data": _TEXTS},
    "EC2NodeClass": {
        "metadata!": {"name!": _TEXT},
        "spec": {"amiFamily": _TEXT, "amiSelectorTerms": [{"alias": _TEXT}]},
    },
    "NodePool": {
        "metadata!": {"name!": _TEXT},
        "spec!": {"template!": {"spec!": {"nodeClassRef!": {"name": _TEXT}}}},
    },
    "PersistentVolume": {
        "spec": {
            "mountOptions": [_TEXT],
            "claimRef": {"name": _TEXT, "namespace": _TEXT},
            "csi": {"driver": _TEXT, "volumeAttributes": _TEXTS},
        }
    },
    "PersistentVolumeClaim": {"spec": {"volumeName": _TEXT}},
    "StatefulSet": {"spec": {"volumeClaimTemplates": [{"metadata": {"name": _TEXT}}]}},
}


def check_form(objects: ObjectSet) -> None:
    """
    Refuse objects that are not what their kind has to be.

    Raises:
        BadInput: with the place of the first thing that is wrong.
    """
    for manifest in objects:
        _check(manifest, manifest.value, _OBJECT, "")
        _check(manifest, manifest.value, _BY_KIND.get(str(manifest.value.get("kind")), {}), "")
        for at in pod_pointers(manifest.value):
            _check(manifest, value_at(manifest.value, at), _POD, at)


def _check(manifest: Manifest, value: Any, form: Any, at: str) -> None:
    if value is None:
        return
    if isinstance(form, dict):
        if not isinstance(value, dict):
            raise _wrong(manifest, at, "a map")
        for named, inner in form.items():
            name = named.removesuffix("!")
            if named.endswith("!") and value.get(name) is None:
                raise _missing(manifest, at, name)
            for key in value if name == "*" else (name,):
                _check(manifest, value.get(key), inner, at + pointer(key))
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise _wrong(manifest, at, "a list")
        for index, inner in enumerate(value):
            if inner is None:
                raise _wrong(manifest, at + pointer(index), "there")
            _check(manifest, inner, form[0], at + pointer(index))
    elif form is int and (isinstance(value, bool) or not isinstance(value, int)):
        raise _wrong(manifest, at, "a whole number")
    elif form is _TEXT and isinstance(value, dict | list):
        raise _wrong(manifest, at, _TEXT)


def _place(manifest: Manifest, at: str) -> str:
    named = isinstance(manifest.value.get("metadata") or {}, dict)
    return manifest.place(at) if named else f"a {manifest.value.get('kind')}"


def _wrong(manifest: Manifest, at: str, what: str) -> BadInput:
    return BadInput(
        f"{_place(manifest, at)}: {at} is not {what}",
        remedy="put it right; `kubectl apply --dry-run=server` says what else is wrong",
    )


def _missing(manifest: Manifest, at: str, name: str) -> BadInput:
    return BadInput(
        f"{_place(manifest, at)}: {at or 'the object'} has no {name}",
        remedy="put it right; `kubectl apply --dry-run=server` says what else is wrong",
    )
