"""A base, components and overlays, as a real kubectl builds them."""

import subprocess
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.kustomization import MARK, component, kustomization, steps
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.manifests.patching import patch
from firstlight.readers.manifests import kubernetes_objects
from firstlight.readers.marked_yaml import marked_documents

# A real kubectl is started.
pytestmark = pytest.mark.timeout(30)


def thing(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """An object; `namespace` goes to its metadata, the rest beside it."""
    namespace = more.pop("namespace", None)
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **more}


DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "vllm", "namespace": "serving", "labels": {"on": "yes"}},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "vllm"}},
        "template": {
            "metadata": {"labels": {"app": "vllm"}, "annotations": {"a": "1e3"}},
            "spec": {
                "containers": [
                    {"name": "proxy", "image": "p:1"},
                    {"name": "vllm", "image": "v:1", "args": ["--port", "8000"]},
                ],
                "volumes": [{"name": "m", "persistentVolumeClaim": {"claimName": "model.x"}}],
            },
        },
    },
}
POOL: dict[str, Any] = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "gpu"},
    "spec": {"disruption": {"consolidateAfter": "0s"}, "weight": 10},
}
BASE = ObjectSet(
    manifests=tuple(
        Manifest(value=value)
        for value in (
            DEPLOYMENT,
            POOL,
            thing("PersistentVolumeClaim", "model.x", namespace="serving", spec={"a": None}),
            thing("PersistentVolumeClaim", "model-x", namespace="serving"),
            thing("PersistentVolumeClaim", "model.x", namespace="other"),
            thing("ConfigMap", "c", data={"a": "x\ny\n", "b": "0777", "c": "{{ .Values.x }}"}),
        )
    )
)
ENGINE = "/spec/template/spec/containers/1"
VLLM = Identity(kind="Deployment", name="vllm", namespace="serving", group="apps")
CLAIM = Identity(kind="PersistentVolumeClaim", name="model.x", namespace="serving")
STREAM = Change(
    technique="stream",
    patches=(
        ObjectPatch(
            target=VLLM,
            operations=(
                {"op": "test", "path": f"{ENGINE}/name", "value": "vllm"},
                {"op": "add", "path": f"{ENGINE}/args/-", "value": "yes"},
                {"op": "remove", "path": "/spec/template/spec/volumes"},
            ),
        ),
        ObjectPatch(
            target=CLAIM,
            operations=({"op": "add", "path": "/metadata/labels", "value": {"a": "b"}},),
        ),
    ),
    added=(Manifest(value=thing("Service", "late", namespace="serving", spec={"x": 1.5})),),
)
RETAIN = Change(
    technique="retain",
    patches=(
        ObjectPatch(
            target=Identity(kind="NodePool", name="gpu", group="karpenter.sh"),
            operations=(
                {"op": "replace", "path": "/spec/disruption/consolidateAfter", "value": "10m"},
            ),
        ),
        ObjectPatch(
            target=VLLM,
            operations=(
                {"op": "test", "path": f"{ENGINE}/args/2", "value": "yes"},
                {"op": "replace", "path": f"{ENGINE}/args/2", "value": "no"},
            ),
        ),
    ),
    removed=(CLAIM, Identity(kind="Service", name="late", namespace="serving")),
)
NOTHING = Change(technique="nothing")


def changed(objects: ObjectSet, change: Change) -> ObjectSet:
    """The objects after a change, by the library that is not kustomize's."""
    patches: Any = {patch.target: list(patch.operations) for patch in change.patches}
    kept = [one for one in objects if one.identity not in change.removed]
    made = [
        Manifest(value=jsonpatch.apply_patch(one.value, patches.get(one.identity, [])))
        for one in kept
    ]
    return ObjectSet(manifests=(*made, *change.added))


def by_identity(objects: Iterable[Manifest]) -> dict[Identity, Any]:
    return {one.identity: one.value for one in objects}


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def built(kubectl: Path, folder: Path) -> dict[Identity, Any]:
    """What kubectl makes of a folder."""
    done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, check=False)
    assert (0, b"") == (done.returncode, done.stderr)
    objects, _ = kubernetes_objects("built", marked_documents("built", done.stdout))
    return by_identity(Manifest(value=one.value) for one in objects)


def test_kubectl_builds_what_the_changes_make(kubectl_binary: Path, tmp_path: Path) -> None:
    """Object for object: patched twice, added and removed again, names with dots in them."""
    write(tmp_path, kustomization(BASE, [STREAM, RETAIN, NOTHING]))

    expected = changed(changed(BASE, STREAM), RETAIN)
    assert by_identity(expected) == built(kubectl_binary, tmp_path)
    assert by_identity(BASE) == built(kubectl_binary, tmp_path / "base")


def test_every_step_is_an_overlay(kubectl_binary: Path, tmp_path: Path) -> None:
    """One that changes nothing is the one before it."""
    row = [("first", None), ("stream", STREAM), ("left-out", None), ("retain", RETAIN)]
    write(tmp_path, steps(BASE, row))

    after = changed(BASE, STREAM)
    expected = [BASE, after, after, changed(after, RETAIN)]
    folders = ["0-first", "1-stream", "2-left-out", "3-retain"]
    assert folders == sorted(path.name for path in (tmp_path / "steps").iterdir())
    for folder, objects in zip(folders, expected, strict=True):
        assert by_identity(objects) == built(kubectl_binary, tmp_path / "steps" / folder)


def test_a_component_goes_on_another_base(kubectl_binary: Path, tmp_path: Path) -> None:
    """Somebody else's, of which the engine's Deployment is one of many objects."""
    other = ObjectSet(manifests=(*BASE, Manifest(value=thing("Secret", "theirs"))))
    files = kustomization(other, [])
    write(tmp_path / "mine", {k: v for k, v in files.items() if k.startswith("base/")})
    write(tmp_path / "component", component(BASE, STREAM))
    (tmp_path / "kustomization.yaml").write_text(
        "resources: [mine/base]\ncomponents: [component]\n"
    )

    assert by_identity(changed(other, STREAM)) == built(kubectl_binary, tmp_path)


def test_a_patch_on_something_else_fails(kubectl_binary: Path, tmp_path: Path) -> None:
    """A container that was put in front since: kustomize says so and builds nothing."""
    moved = jsonpatch.apply_patch(
        DEPLOYMENT,
        [{"op": "add", "path": "/spec/template/spec/containers/0", "value": {"name": "new"}}],
    )
    others = [one for one in BASE if one.value is not DEPLOYMENT]
    base = ObjectSet(manifests=(Manifest(value=moved), *others))
    files = kustomization(BASE, [STREAM])
    write(tmp_path, {**files, **{k: v for k, v in kustomization(base, []).items() if "base/" in k}})

    assert "testing value" in failure(kubectl_binary, tmp_path)


@pytest.mark.parametrize(
    ("kind", "namespace"),
    [
        ("ConfigMap", ""),
        ("ConfigMap", "default"),
        ("ConfigMap", "a"),
        ("PersistentVolume", ""),
        ("NodePool", ""),
    ],
)
def test_a_patch_is_for_one_object(
    kind: str, namespace: str, kubectl_binary: Path, tmp_path: Path
) -> None:
    """Those of its name in other namespaces stay as they are, also where it names none."""
    values = [
        thing(kind, "a.b", namespace=namespace, data={"x": "1"}),
        *(
            thing(kind, "a.b", namespace=n)
            for n in ("b", "a-b", "default-a")
            if kind == "ConfigMap"
        ),
        *(thing(other, "a.b", namespace="b") for other in ("Secret", "Service")),
    ]
    base = ObjectSet(manifests=tuple(Manifest(value=value) for value in values))
    target = base.manifests[0].identity
    operations = ({"op": "replace", "path": "/data/x", "value": "2"},)
    change = Change(technique="t", patches=(ObjectPatch(target=target, operations=operations),))
    write(tmp_path, kustomization(base, [change]))

    assert by_identity(changed(base, change)) == built(kubectl_binary, tmp_path)


def failure(kubectl: Path, folder: Path) -> str:
    """What kubectl says to a folder that it cannot build."""
    done = subprocess.run(
        [kubectl, "kustomize", folder], capture_output=True, text=True, check=False
    )
    assert (True, "") == (done.returncode != 0, done.stdout)
    return done.stderr


def test_a_patch_that_finds_no_object_fails(kubectl_binary: Path, tmp_path: Path) -> None:
    """kustomize alone would build the rest and say nothing."""
    files = dict(kustomization(BASE, [STREAM]))
    write(tmp_path, files)
    base = tmp_path / "base" / "deployment-vllm.yaml"
    base.write_text(base.read_text().replace("name: vllm\n", "name: renamed\n", 1))

    assert "no matches for Id Deployment.v1.apps/vllm.serving" in failure(kubectl_binary, tmp_path)


def test_an_object_with_nulls_in_it_is_patched(kubectl_binary: Path, tmp_path: Path) -> None:
    """A field that somebody left empty is as good as none."""
    value = deepcopy(DEPLOYMENT)
    value["spec"]["template"]["spec"]["containers"][1]["env"] = None
    after = deepcopy(value)
    after["spec"]["template"]["spec"]["containers"][1]["env"] = [{"name": "A", "value": "1"}]
    base = ObjectSet(manifests=(Manifest(value=value),))
    patches = (ObjectPatch(target=VLLM, operations=patch(value, after)),)
    write(tmp_path, kustomization(base, [Change(technique="t", patches=patches)]))

    assert {VLLM: after} == built(kubectl_binary, tmp_path)


def adding(name: str) -> Change:
    """One variable more, in a list that was not there, as a run of its own would have it."""
    after = deepcopy(DEPLOYMENT)
    after["spec"]["template"]["spec"]["containers"][1]["env"] = [{"name": name, "value": "1"}]
    patches = (ObjectPatch(target=VLLM, operations=patch(DEPLOYMENT, after)),)
    return Change(technique=name.lower(), patches=patches)


def test_components_of_separate_runs_do_not_undo_each_other(
    kubectl_binary: Path, tmp_path: Path
) -> None:
    """Each was drawn on the base alone: the second fails, and the first is not lost."""
    one, two = adding("A"), adding("B")
    write(tmp_path, kustomization(BASE, [one]))
    assert VLLM in built(kubectl_binary, tmp_path)

    write(tmp_path, kustomization(BASE, [one, two]))

    assert "testing value /spec/template/spec/containers/1/env" in failure(kubectl_binary, tmp_path)


def test_the_files_are_the_same_every_time_and_marked() -> None:
    """And no two objects fall into one file."""
    files = kustomization(BASE, [STREAM, RETAIN])

    assert dict(kustomization(BASE, [STREAM, RETAIN])) == dict(files)
    assert all(text.startswith(f"{MARK}\n") for text in files.values())
    assert [
        "base/kustomization.yaml",
        "base/deployment-vllm.yaml",
        "base/nodepool-gpu.yaml",
        "base/persistentvolumeclaim-model.x.yaml",
        "base/persistentvolumeclaim-model-x.yaml",
        "base/persistentvolumeclaim-model.x-other.yaml",
        "base/configmap-c.yaml",
    ] == [name for name in files if name.startswith("base/")]


def test_no_path_leads_out_of_the_folder() -> None:
    """A name comes from somebody's file; roles have colons, and worse may stand there."""
    names = ["../../etc/passwd", "system:node", "kustomization", "..", "a/b", "a:b"]
    base = ObjectSet(manifests=tuple(Manifest(value=thing("Role", name)) for name in names))

    files = kustomization(base, [])

    assert len(names) + 2 == len(files)
    for path in files:
        assert ".." not in Path(path).parts
        assert path.count("/") <= 1


def test_what_has_no_name_is_refused() -> None:
    """kustomize would say that metadata.name is missing, and not of which object."""
    one = Manifest(
        value={"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}},
        artefact="pods.yaml",
        lines={"": 4},
    )

    with pytest.raises(BadInput, match=r"pods\.yaml line 4: kustomize finds objects by their name"):
        kustomization(ObjectSet(manifests=(one,)), [])
