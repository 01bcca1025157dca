"""
`firstlight render deployment/NAME` on a real API server.

What it reads is what was applied, less what the server added; what it prints, the server
takes again.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from onenode import ControlPlane

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.readers.manifests import kubernetes_objects
from firstlight.readers.marked_yaml import marked_documents
from tests.cli.console import firstlight, said

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]

RBAC = Path(__file__).resolve().parents[2] / "docs" / "rbac" / "render.yaml"
Object = dict[str, Any]
ENGINE: Object = {
    "name": "engine",
    "image": "vllm/vllm-openai:v0.26.0",
    "args": ["--model=/models/gemma", "--port", "8000"],
    "resources": {"limits": {"nvidia.com/gpu": "1"}},
    "volumeMounts": [{"name": "model", "mountPath": "/models"}],
}
POOL: Object = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "gpu", "annotations": {"karpenter.sh/nodepool-hash": "1"}},
    "spec": {
        "template": {
            "spec": {
                "nodeClassRef": {
                    "group": "karpenter.k8s.aws",
                    "kind": "EC2NodeClass",
                    "name": "gpu",
                }
            }
        }
    },
}
NODE_CLASS: Object = {
    "apiVersion": "karpenter.k8s.aws/v1",
    "kind": "EC2NodeClass",
    "metadata": {"name": "gpu"},
    "spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}]},
}


def workload(namespace: str) -> list[Object]:
    """A Deployment, its claim, and the volume behind it."""
    pv = f"{namespace}-model"
    size = {"storage": "1Gi"}
    pod = {
        "nodeSelector": {"karpenter.sh/nodepool": "gpu"},
        "containers": [{"name": "proxy", "image": "proxy:1"}, ENGINE],
        "volumes": [{"name": "model", "persistentVolumeClaim": {"claimName": "model"}}],
    }
    csi = {
        "driver": "s3.csi.aws.com",
        "volumeHandle": pv,
        "volumeAttributes": {"bucketName": "models"},
    }
    labels = {"app": "vllm"}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "vllm", "namespace": namespace},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "model", "namespace": namespace},
            "spec": {
                "accessModes": ["ReadOnlyMany"],
                "storageClassName": "",
                "volumeName": pv,
                "resources": {"requests": size},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": pv},
            "spec": {"accessModes": ["ReadOnlyMany"], "capacity": size, "csi": csi},
        },
    ]


def crd(group: str, plural: str, kind: str) -> Object:
    """A kind that takes anything."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [{"name": "v1", **version}],
        },
    }


CRDS = [
    crd("karpenter.sh", "nodepools", "NodePool"),
    crd("karpenter.k8s.aws", "ec2nodeclasses", "EC2NodeClass"),
]


@pytest.fixture
def namespace(control_plane: ControlPlane) -> Iterator[str]:
    """The workload in a namespace of its own."""
    with control_plane.namespace() as namespace:
        control_plane.kubectl.apply(*workload(namespace))
        yield namespace
        control_plane.kubectl("delete", "pv", f"{namespace}-model", "--wait=false")


@pytest.fixture
def karpenter(control_plane: ControlPlane) -> Iterator[None]:
    """A NodePool and its class."""
    control_plane.kubectl.apply(*CRDS)
    names = [f"crd/{one['metadata']['name']}" for one in CRDS]
    control_plane.kubectl("wait", "--for=condition=Established", *names, "--timeout=30s")
    # The server may still publish the schema of a definition that another test has taken away.
    both = json.dumps({"apiVersion": "v1", "kind": "List", "items": [POOL, NODE_CLASS]})
    control_plane.kubectl("apply", "--validate=false", "-f", "-", input=both)
    yield
    control_plane.kubectl("delete", *names)


def render(
    kubeconfig: Path, namespace: str, *arguments: str
) -> "subprocess.CompletedProcess[bytes]":
    at = ("--kubeconfig", kubeconfig, "-n", namespace)
    return firstlight("render", "deployment/vllm", *at, *arguments)


def objects(text: bytes) -> list[Object]:
    found, others = kubernetes_objects("output", marked_documents("output", text))
    assert () == others
    return [one.value for one in found]


def is_part(part: Any, whole: Any) -> bool:
    """Whether everything of one value is in another: a server fills in what was left out."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(is_part(v, whole.get(k)) for k, v in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_part, part, whole))
    return bool(part == whole)


@pytest.mark.usefixtures("karpenter")
def test_what_was_applied_is_read(control_plane: ControlPlane, namespace: str) -> None:
    """The workload, its claim and volume, its pool and node class; nothing that a server adds."""
    json_output = ("--technique", "compile-cache-local", "--output", "json")

    done = render(control_plane.kubeconfig, namespace, *json_output)

    assert 0 == done.returncode, said(done)
    document = json.loads(done.stdout)
    assert [] == document["notes"]
    deployment, claim, volume, pool, node_class = document["objects"]
    for given, read in zip(
        [*workload(namespace)[1:], NODE_CLASS], [claim, volume, node_class], strict=True
    ):
        assert is_part(given, read)
    assert {"name": "gpu"} == pool["metadata"]
    for one in (deployment, claim, volume, pool, node_class):
        assert "status" not in one
        assert {*one["metadata"]} <= {"name", "namespace", "labels", "annotations"}


def test_the_server_takes_the_patch(
    control_plane: ControlPlane, namespace: str, tmp_path: Path, kubectl_binary: Path
) -> None:
    """And then has the technique: rendered again there is nothing to change."""
    done = render(control_plane.kubeconfig, namespace, "--technique", "stream-weights")
    assert b"--model=s3://models/gemma" in done.stdout
    patch = tmp_path / "patch.yaml"
    patch.write_bytes(done.stdout)

    at = (kubectl_binary, "--kubeconfig", control_plane.kubeconfig, "-n", namespace)
    what = ("patch", "deployment", "vllm", "--type", "json", "--patch-file", patch)
    subprocess.run([*at, *what], check=True, capture_output=True)

    live = control_plane.kubectl.get("deployment", "vllm", "-n", namespace)
    engine = live["spec"]["template"]["spec"]["containers"][1]
    assert "--model=s3://models/gemma" == engine["args"][0]
    assert "volumeMounts" not in engine
    again = render(control_plane.kubeconfig, namespace, "--technique", "stream-weights")
    assert (0, ()) == (again.returncode, marked_documents("again", again.stdout))


@pytest.mark.parametrize(
    ("path", "value", "takes"),
    [
        ("volumeMounts", None, True),
        ("env", None, False),
        ("nowhere/x", None, False),
        ("args", ["a", "b"], True),
        ("args", ["a"], False),
        ("args/2", None, False),
    ],
)
def test_the_server_tests_as_we_do(
    control_plane: ControlPlane, namespace: str, path: str, value: Any, takes: bool
) -> None:
    """A `test` for null passes where nothing is, and only there: patches rely on it."""
    container: Object = {
        "name": "proxy",
        "image": "p:1",
        "args": ["a", "b"],
        "env": [{"name": "A", "value": "1"}],
    }
    deployment = workload(namespace)[0]
    deployment["metadata"]["name"] = "tested"
    deployment["spec"]["template"]["spec"]["containers"] = [container]
    control_plane.kubectl.apply(deployment)
    operation = {
        "op": "test",
        "path": f"/spec/template/spec/containers/0/{path}",
        "value": value,
    }
    target = Identity(kind="Deployment", name="tested", namespace=namespace, group="apps")
    change = Change(technique="t", patches=(ObjectPatch(target=target, operations=(operation,)),))
    ours = ObjectSet(manifests=(Manifest(value=deployment),))

    at = ("patch", "deployment", "tested", "-n", namespace, "--type", "json")
    done = control_plane.kubectl.run(*at, "-p", json.dumps([operation]), "--dry-run=server")

    assert takes == (done.returncode == 0)
    with nullcontext() if takes else pytest.raises(BadInput):
        applied(change, ours)


def test_a_patch_of_a_file_fits_what_the_server_made_of_it(
    control_plane: ControlPlane, namespace: str, tmp_path: Path, kubectl_binary: Path
) -> None:
    """It tests what was written, not what the server filled in; what was added since fails it."""
    deployment = workload(namespace)[0]
    pod = deployment["spec"]["template"]["spec"]
    pod["volumes"].append({"name": "host", "hostPath": {"path": "/x"}})
    pod["volumes"].append({"name": "c", "configMap": {"name": "c"}})
    field = {"fieldRef": {"fieldPath": "status.podIP"}}
    pod["containers"][1]["env"] = [{"name": "IP", "valueFrom": field}]
    file = tmp_path / "vllm.json"
    file.write_text(json.dumps(deployment))
    control_plane.kubectl("apply", "-f", file)
    techniques = ("--technique", "compile-cache-local", "--technique", "bytecode-cache")
    patch = tmp_path / "patch.yaml"
    patch.write_bytes(firstlight("render", file, *techniques).stdout)
    at = (kubectl_binary, "--kubeconfig", control_plane.kubeconfig, "-n", namespace)
    what = ("patch", "deployment", "vllm", "--type", "json", "--patch-file", patch)

    pod["volumes"].append({"name": "compile-cache", "emptyDir": {}})
    control_plane.kubectl.apply(deployment)
    refused = subprocess.run([*at, *what], capture_output=True, check=False)
    pod["volumes"].pop()
    control_plane.kubectl.apply(deployment)
    taken = subprocess.run([*at, *what], capture_output=True, check=False)

    assert (1, 0) == (refused.returncode, taken.returncode), taken.stderr
    live = control_plane.kubectl.get("deployment", "vllm", "-n", namespace)
    names = [one["name"] for one in live["spec"]["template"]["spec"]["volumes"]]
    assert ["model", "host", "c", "compile-cache"] == names


def test_the_server_takes_the_objects(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    """As `kubectl apply -f -` gives them, and as `--output objects` printed them."""
    form = ("--technique", "compile-cache-local", "--output", "objects")
    done = render(control_plane.kubeconfig, namespace, *form)
    whole = tmp_path / "objects.yaml"
    whole.write_bytes(done.stdout)

    control_plane.kubectl("apply", "-f", whole)

    live = control_plane.kubectl.get("deployment", "vllm", "-n", namespace)
    volumes = live["spec"]["template"]["spec"]["volumes"]
    assert ["model", "compile-cache"] == [volume["name"] for volume in volumes]
    assert 3 == len(objects(done.stdout))


def test_without_karpenter_that_is_said(control_plane: ControlPlane, namespace: str) -> None:
    """A NodePool that is named and not served is a note, no failure."""
    done = render(control_plane.kubeconfig, namespace, "--technique", "compile-cache-local")

    assert 0 == done.returncode
    assert "nodepools.karpenter.sh gpu is not there, so it is not among the objects" in said(done)


@pytest.mark.usefixtures("karpenter")
def test_the_documented_rights_are_enough(control_plane: ControlPlane, namespace: str) -> None:
    """With all of them nothing is missing; with those on the workload alone, the rest is said."""
    roles = [one["rules"] for one in yaml.safe_load_all(RBAC.read_text())]
    whole = control_plane.account_kubeconfig(
        "whole", namespace, rules=roles[0], cluster_rules=roles[1]
    )
    least = control_plane.account_kubeconfig(
        "least", namespace, rules=roles[0][:1], cluster_rules=[]
    )
    form = ("--technique", "compile-cache-local", "--output", "json")

    full, bare = (json.loads(render(user, namespace, *form).stdout) for user in (whole, least))

    assert (5, []) == (len(full["objects"]), full["notes"])
    assert 1 == len(bare["objects"])
    assert ["persistentvolumeclaims model", "nodepools.karpenter.sh gpu"] == [
        note.partition(" could not be read")[0] for note in bare["notes"]
    ]


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("deployment/none", 1, "there is no deployment/none in namespace"),
        ("pod/x", 2, "pod/x cannot be changed"),
        ("statefulset/none", 1, "there is no statefulset/none"),
        ("daemonset/none", 1, "there is no daemonset/none"),
        ("job/none", 1, "there is no job/none"),
    ],
)
def test_what_is_not_there(control_plane: ControlPlane, target: str, code: int, words: str) -> None:
    """One sentence, and the right exit code."""
    at = ("--kubeconfig", control_plane.kubeconfig)

    done = firstlight("render", target, *at, "--technique", "compile-cache-local")

    assert code == done.returncode
    assert words in said(done)


def test_who_may_not_read_the_workload_is_told_which_right(
    control_plane: ControlPlane, namespace: str
) -> None:
    """The outside's no: exit 3."""
    nobody = control_plane.account_kubeconfig("nobody", namespace, rules=[], cluster_rules=[])

    done = render(nobody, namespace, "--technique", "compile-cache-local")

    assert 3 == done.returncode
    assert f"allow get deployments.apps vllm in namespace {namespace}" in said(done)
