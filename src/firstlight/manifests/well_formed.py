"""
Whether objects have the form that everything here takes for granted.

A manifest is what somebody typed: `args` may be one text, `env` a map, `volumes` a word.
Kubernetes would refuse it, and until then it is only YAML. Only what is looked at is
checked, lists that are lists and names that are there; what the API would say to the rest
is left to it.
"""

from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.forms import POD, SETTINGS, TEXT, TEXTS, Wrong, first_wrong
from firstlight.manifests.kinds import is_known, kind_of
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import value_at

_OBJECT = {"kind": TEXT, "apiVersion": TEXT, "metadata": {"name": TEXT, "namespace": TEXT}}
_BY_KIND: dict[str, dict[str, Any]] = {
    "ConfigMap": {"data": TEXTS},
    "EC2NodeClass": {
        "metadata!": {"name!": TEXT},
        "spec": {"amiFamily": TEXT, "amiSelectorTerms": [{"alias": TEXT}]},
    },
    "InferenceService": {
        "spec": {"predictor": POD | {"model": SETTINGS | {"modelFormat": {"name": TEXT}}}}
    },
    "NodePool": {
        "metadata!": {"name!": TEXT},
        "spec!": {"template!": {"spec!": {"nodeClassRef!": {"name": TEXT}}}},
    },
    "PersistentVolume": {
        "spec": {
            "mountOptions": [TEXT],
            "claimRef": {"name": TEXT, "namespace": TEXT},
            "csi": {"driver": TEXT, "volumeAttributes": TEXTS},
        }
    },
    "PersistentVolumeClaim": {"spec": {"volumeName": TEXT}},
    "StatefulSet": {"spec": {"volumeClaimTemplates": [{"metadata": {"name": TEXT}}]}},
}


def check_form(objects: ObjectSet) -> None:
    """
    Refuse objects that are not what their kind has to be.

    A kind that another API calls by the same name, and any other that is not known, may have any
    form: whether it holds a pod is told by what it looks like.

    Raises:
        BadInput: with the place of the first thing that is wrong.
    """
    for manifest in objects:
        value = manifest.value
        _refuse(manifest, first_wrong(value, _OBJECT))
        _refuse(manifest, first_wrong(value, _BY_KIND.get(kind_of(value), {})))
        for at in pod_pointers(value) if is_known(value) else ():
            _refuse(manifest, first_wrong(value_at(value, at), POD, at))


def _refuse(manifest: Manifest, wrong: Wrong | None) -> None:
    if wrong:
        raise BadInput(
            f"{_place(manifest, wrong.at)}: {wrong.at or 'the object'} {wrong.what}",
            remedy="put it right; `kubectl apply --dry-run=server` says what else is wrong",
        )


def _place(manifest: Manifest, at: str) -> str:
    named = isinstance(manifest.value.get("metadata") or {}, dict)
    return manifest.place(at) if named else f"a {manifest.value.get('kind')}"
