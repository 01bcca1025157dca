"""The objects of steps on a real API server: put in place, exchanged, and put back."""

from collections.abc import Iterator
from typing import Any

import pytest
from onenode import ControlPlane

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.api import KubeApi
from firstlight.experiment.in_cluster.standing import MARK, ROUND, Standing
from firstlight.experiment.object_setup import ObjectSetup, object_setup
from firstlight.manifests.objects import Manifest, ObjectSet

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]

Object = dict[str, Any]


def deployment(image: str, *volumes: str) -> Object:
    container = {
        "name": "engine",
        "image": image,
        "command": ["vllm", "serve", "/m"],
        "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in volumes],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "vllm"},
        "spec": {
            "selector": {"matchLabels": {"app": "vllm"}},
            "template": {
                "metadata": {"labels": {"app": "vllm"}},
                "spec": {
                    "containers": [container],
                    "volumes": [{"name": name, "emptyDir": {}} for name in volumes],
                },
            },
        },
    }


def settings(name: str, **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def claim(name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def setup(*values: Object) -> ObjectSetup:
    return object_setup(ObjectSet(manifests=tuple(Manifest(value=v) for v in values)), None)


BASE = setup(deployment("vllm:1", "model"), settings("shared", a="1"))
STEP = setup(
    deployment("vllm:2"), settings("shared", a="2", b="3"), settings("new", c="4"), claim("model")
)


class Bench:
    """A namespace, and what stands in it."""

    def __init__(self, plane: ControlPlane, namespace: str, api: KubeApi) -> None:
        self.plane, self.namespace, self.api = plane, namespace, api

    def standing(self, run: str = "run-1") -> Standing:
        return Standing(self.api, [BASE, STEP], namespace=self.namespace, run=run)

    def get(self, kind: str, name: str) -> Object:
        found: Object = self.plane.kubectl.get("-n", self.namespace, kind, name)
        return found

    def names(self, kind: str) -> list[str]:
        items = self.plane.kubectl.get("-n", self.namespace, kind)["items"]
        return sorted(
            one["metadata"]["name"]
            for one in items
            if one["metadata"]["name"] != "kube-root-ca.crt"
        )


@pytest.fixture
def bench(control_plane: ControlPlane) -> Iterator[Bench]:
    with (
        control_plane.namespace("standing") as namespace,
        KubeApi.open(kubeconfig=str(control_plane.kubeconfig), namespace=namespace) as api,
    ):
        yield Bench(control_plane, namespace, api)


def test_a_step_is_put_in_place_and_back(bench: Bench) -> None:
    """
    What is there is changed and what is not is made; at the end all is as at the base, and
    what the run made beside it is gone. What others had there is left alone.
    """
    bench.plane.kubectl("-n", bench.namespace, "create", "configmap", "theirs")
    standing = bench.standing()

    standing.take()
    made = bench.get("deployment", "vllm")
    standing.bring(1)
    standing.start(1, "warm/1/1")
    there = bench.get("deployment", "vllm")
    changed = bench.get("configmap", "shared")["data"]
    said = standing.put_back()
    back = bench.get("deployment", "vllm")

    assert (0, "run-1") == (made["spec"]["replicas"], made["metadata"]["annotations"][MARK])
    template = there["spec"]["template"]
    assert (1, {"type": "Recreate"}, "vllm:2", {ROUND: "warm/1/1"}) == (
        there["spec"]["replicas"],
        there["spec"]["strategy"],
        template["spec"]["containers"][0]["image"],
        template["metadata"]["annotations"],
    )
    assert "volumes" not in template["spec"]
    assert {"a": "2", "b": "3"} == changed
    assert {"a": "1"} == bench.get("configmap", "shared")["data"]
    assert ["shared", "theirs"] == bench.names("configmap")
    # Nobody here ever lets go of a claim.
    assert "deletionTimestamp" in bench.get("pvc", "model")["metadata"]
    assert "vllm:1" == back["spec"]["template"]["spec"]["containers"][0]["image"]
    assert MARK not in back["metadata"].get("annotations", {})
    assert "Deployment/vllm stands as at the base" == said[0]
    assert ["ConfigMap/new is removed", "PersistentVolumeClaim/model is removed"] == [
        one.partition(",")[0] for one in said[1:]
    ]


def test_what_others_applied_does_not_stay_in_a_step(bench: Bench) -> None:
    """With kubectl, once: a volume that a step takes out is out, whoever put it there."""
    bench.plane.kubectl.apply(
        {**BASE.manifest.value, "metadata": {"name": "vllm", "namespace": bench.namespace}}
    )
    standing = bench.standing()

    standing.take()
    standing.start(1, "x")

    assert "volumes" not in bench.get("deployment", "vllm")["spec"]["template"]["spec"]


def test_what_was_there_before_is_not_removed(bench: Bench) -> None:
    """Only what says that this run made it."""
    bench.plane.kubectl("-n", bench.namespace, "create", "configmap", "new")
    standing = bench.standing()

    standing.take()
    standing.bring(1)
    standing.put_back()

    assert ["new", "shared"] == bench.names("configmap")


def test_another_run_is_refused_and_the_same_goes_on(bench: Bench) -> None:
    """A run that was killed has its workload still."""
    bench.standing().take()

    bench.standing().take()
    with pytest.raises(OutsideFailed, match="in the hands of another run of a plan \\(run-1\\)"):
        bench.standing("run-2").take()


def test_the_same_step_again_is_a_new_pod(bench: Bench) -> None:
    """The template names the round, so it is another one each time."""
    standing = bench.standing()
    standing.take()
    standing.start(1, "warm/1/1")
    before = bench.get("deployment", "vllm")["metadata"]["generation"]

    standing.start(1, "warm/1/2")

    assert before + 1 == bench.get("deployment", "vllm")["metadata"]["generation"]


def test_what_the_cluster_does_not_know_is_said(bench: Bench) -> None:
    """By its kind, before anything is made."""
    odd = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "gpu"}}
    base = setup(deployment("vllm:1"), odd)
    standing = Standing(bench.api, [base], namespace=bench.namespace, run="run-1")

    with pytest.raises(OutsideFailed, match=r"knows no Widget of example\.com/v1"):
        standing.take()

    assert [] == bench.names("deployment")


def test_what_cannot_be_changed_is_said(bench: Bench) -> None:
    """A claim that is there with another size."""
    other = claim("model")
    other["spec"]["resources"]["requests"]["storage"] = "2Gi"
    other["spec"]["accessModes"] = ["ReadOnlyMany"]
    bench.plane.kubectl.apply(
        {**other, "metadata": {"name": "model", "namespace": bench.namespace}}
    )
    standing = bench.standing()
    standing.take()

    with pytest.raises(OutsideFailed, match="PersistentVolumeClaim/model is not as the plan has"):
        standing.bring(1)
