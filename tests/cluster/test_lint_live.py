"""
`firstlight lint --live` on a real API server.

What is judged is what was applied, with what stands around it; what may not be read is said.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from onenode import ControlPlane

from tests.cli.console import firstlight, said

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]

ROOT = Path(__file__).resolve().parents[2]
RBAC = ROOT / "docs" / "rbac" / "lint.yaml"
EXAMPLES = ROOT / "docs" / "rules" / "examples"
Object = dict[str, Any]


def example(code: str, which: str, namespace: str) -> list[Object]:
    """The objects of a rule's example, in a namespace of the test."""
    text = (EXAMPLES / code / f"{which}.yaml").read_text()
    objects = [one for one in yaml.safe_load_all(text) if one]
    for one in objects:
        one["metadata"]["namespace"] = namespace
    return objects


def agent(*args: str) -> Object:
    """Amazon's network plugin, as far as it says what it does."""
    labels = {"k8s-app": "aws-node"}
    containers = [
        {"name": "aws-node", "image": "amazon-k8s-cni:v1.21.1"},
        {"name": "aws-eks-nodeagent", "image": "aws-network-policy-agent:v1.3", "args": [*args]},
    ]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "aws-node", "namespace": "kube-system"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    }


@pytest.fixture
def namespace(control_plane: ControlPlane) -> Iterator[str]:
    with control_plane.namespace() as namespace:
        yield namespace


@pytest.fixture
def amazon(control_plane: ControlPlane) -> Iterator[None]:
    """A network plugin that does not enforce policies."""
    control_plane.kubectl.apply(agent("--enable-network-policy=false"))
    yield
    control_plane.kubectl("delete", "daemonset", "aws-node", "-n", "kube-system")


def lint(kubeconfig: Path, namespace: str, *arguments: str, code: int) -> Object:
    at = ("--kubeconfig", kubeconfig, "-n", namespace, "--output", "json")
    done = firstlight("lint", *arguments, *at)
    assert code == done.returncode, said(done)
    document: Object = json.loads(done.stdout)
    return document


def found(document: Object) -> list[tuple[str, str]]:
    return [(one["code"], one["object"]["name"]) for one in document["findings"]]


def test_a_workload_is_judged_with_what_stands_around_it(
    control_plane: ControlPlane, namespace: str
) -> None:
    """The other half of the pair, a Service, was named by nobody."""
    objects = example("service-named-vllm", "bad", namespace)
    control_plane.kubectl.apply(*objects)
    (name,) = [one["metadata"]["name"] for one in objects if one["kind"] == "Deployment"]

    document = lint(control_plane.kubeconfig, namespace, f"deployment/{name}", code=1)

    assert "service-named-vllm" in {code for code, _ in found(document)}
    assert all(one["line"] is None and one["artefact"] is None for one in document["findings"])
    assert namespace == document["findings"][0]["object"]["namespace"]


def test_the_whole_namespace(control_plane: ControlPlane, namespace: str) -> None:
    """Every workload in which vLLM runs, and nothing that one of them made."""
    bad = example("image-tag-moves", "bad", namespace)
    good = example("shared-memory-small", "good", namespace)
    good[0]["metadata"]["name"] = "other"
    control_plane.kubectl.apply(*bad, *good)

    document = lint(control_plane.kubeconfig, namespace, "--live", code=1)

    at = ("--kubeconfig", control_plane.kubeconfig, "--output", "json")
    everywhere = json.loads(firstlight("lint", "--live", "-A", *at).stdout)

    assert {(one["code"], one["object"]["namespace"]) for one in document["findings"]} <= {
        (one["code"], one["object"]["namespace"]) for one in everywhere["findings"]
    }
    names = {bad[0]["metadata"]["name"], "other"}
    assert names == {one["object"]["name"] for one in document["engines"]}
    assert [("image-tag-moves", bad[0]["metadata"]["name"])] == [
        one for one in found(document) if one[0] == "image-tag-moves"
    ]


def test_what_was_clean_in_a_file_is_clean_in_the_cluster(
    control_plane: ControlPlane, namespace: str
) -> None:
    """What a server fills in breaks no rule."""
    objects = [
        one
        for one in example("sleep-mode-memory-share", "good", namespace)
        if one["kind"] in ("Deployment", "Service")
    ]
    control_plane.kubectl.apply(*objects)

    document = lint(control_plane.kubeconfig, namespace, "--live", code=0)

    assert [] == found(document)


def test_an_annotation_is_kept_by_the_cluster(control_plane: ControlPlane, namespace: str) -> None:
    """A comment would be gone."""
    control_plane.kubectl.apply(*example("suppression-without-reason", "good", namespace))

    document = lint(control_plane.kubeconfig, namespace, "--live", code=0)

    assert ["image-tag-moves"] == [one["code"] for one in document["suppressed"]]


@pytest.mark.usefixtures("amazon")
def test_whether_policies_are_enforced(control_plane: ControlPlane, namespace: str) -> None:
    """The plugin's own words say so, and the rule's words become worse."""
    objects = example("dev-endpoints-exposed", "bad", namespace)
    control_plane.kubectl.apply(*objects)

    document = lint(control_plane.kubeconfig, namespace, "--live", code=1)

    assert document["stated"]["policies_enforced"] is False
    assert (
        "NetworkPolicies are not enforced: the DaemonSet aws-node says "
        "--enable-network-policy=false"
    ) in document["notes"]
    assert "dev-endpoints-exposed" in {code for code, _ in found(document)}


def test_of_an_unknown_plugin_nothing_is_concluded(
    control_plane: ControlPlane, namespace: str
) -> None:
    """This control plane has none."""
    control_plane.kubectl.apply(*example("image-tag-moves", "bad", namespace))

    document = lint(control_plane.kubeconfig, namespace, "--live", code=1)

    assert document["stated"]["policies_enforced"] is None
    assert any("cannot be told" in note for note in document["notes"])


def test_the_documented_rights_are_enough(control_plane: ControlPlane, namespace: str) -> None:
    """With all of them nothing is missing; with those of the namespace alone, the rest is said."""
    control_plane.kubectl.apply(*example("image-tag-moves", "bad", namespace))
    roles = [one["rules"] for one in yaml.safe_load_all(RBAC.read_text())]
    whole = control_plane.account_kubeconfig(
        "whole", namespace, rules=roles[0], cluster_rules=roles[1]
    )
    least = control_plane.account_kubeconfig("least", namespace, rules=roles[0], cluster_rules=[])

    full, bare = (lint(user, namespace, "--live", code=1) for user in (whole, least))

    assert found(full) == found(bare)
    assert [] == [note for note in full["notes"] if "could not be read" in note]
    assert {
        f"namespaces {namespace}",
        "daemonsets.apps",
        "ec2nodeclasses.karpenter.k8s.aws",
        "nodepools.karpenter.sh",
        "storageclasses.storage.k8s.io",
    } == {
        note.partition(" could not be read")[0]
        for note in bare["notes"]
        if "could not be read" in note
    }


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("deployment/none",), 1, "there is no deployment/none in namespace"),
        (("pod/x",), 2, "pod/x cannot be changed"),
        (("--live",), 1, "runs vLLM"),
    ],
)
def test_what_is_not_there(
    control_plane: ControlPlane, namespace: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """One sentence, and the right exit code."""
    done = firstlight("lint", *arguments, "--kubeconfig", control_plane.kubeconfig, "-n", namespace)

    assert code == done.returncode
    assert words in said(done)


def test_who_may_read_no_workload_is_told(control_plane: ControlPlane, namespace: str) -> None:
    """The outside's no: exit 3."""
    nobody = control_plane.account_kubeconfig("nobody", namespace, rules=[], cluster_rules=[])

    done = firstlight("lint", "--live", "--kubeconfig", nobody, "-n", namespace)

    assert 3 == done.returncode
    assert "docs/rbac/lint.yaml" in said(done)
