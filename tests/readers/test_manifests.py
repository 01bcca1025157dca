"""Which documents are Kubernetes objects, and what the others probably are."""

import pytest

from firstlight.core.errors import BadInput
from firstlight.readers.manifests import NoObject, kubernetes_objects, refuse_others
from firstlight.readers.marked_yaml import MarkedDocument, marked_documents

OBJECT = "apiVersion: v1\nkind: Service\nmetadata:\n  name: vllm\n"


def read(text: str) -> tuple[tuple[MarkedDocument, ...], tuple[NoObject, ...]]:
    return kubernetes_objects("vllm.yaml", marked_documents("vllm.yaml", text.encode()))


def refused(text: str) -> BadInput:
    with pytest.raises(BadInput) as caught:
        refuse_others("vllm.yaml", read(text)[1])
    return caught.value


def test_objects_are_taken_as_they_are() -> None:
    """Whatever their kind; an empty document between them is none."""
    objects, others = read(f"{OBJECT}---\n---\n{OBJECT}spec: {{type: ClusterIP}}\n")

    assert [1, 7] == [one.line for one in objects]
    assert {"type": "ClusterIP"} == objects[1].value["spec"]
    assert () == others


def test_a_list_is_taken_apart() -> None:
    """Each item with its own lines, counted in the file."""
    text = (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: v1\n  kind: Service\n  metadata:\n    name: a\n"
        "- apiVersion: v1\n  kind: List\n  items:\n"
        "  - apiVersion: v1\n    kind: Service\n    metadata: {name: b}\n"
    )

    objects, _ = read(text)

    assert ["a", "b"] == [one.value["metadata"]["name"] for one in objects]
    assert {
        "": 4,
        "/apiVersion": 4,
        "/kind": 5,
        "/metadata": 7,
        "/metadata/name": 7,
    } == objects[0].lines
    assert 11 == objects[1].line


def test_a_list_of_one_kind_says_it_once() -> None:
    """As an API server answers, before kubectl writes the kind into each item."""
    items = "- metadata: {name: a}\n- metadata: {name: b}\n"
    text = f"apiVersion: apps/v1\nkind: DeploymentList\nitems:\n{items}"

    objects, _ = read(text)

    assert [("apps/v1", "Deployment")] * 2 == [
        (one.value["apiVersion"], one.value["kind"]) for one in objects
    ]
    assert () == read("apiVersion: v1\nkind: List\nitems: []\n")[0]


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("- a\n- b\n", "line 1: it is a list", "kubectl apply -f"),
        ("hello\n", "line 1: it is text, 'hello'", "kubectl apply -f"),
        ('resource "a" "b" {\n}\n', "line 1: it is Terraform", "Terraform is not read"),
        (
            f"{OBJECT}---\nreplicaCount: 1\nimage: x\na: 1\nb: 2\nc: 3\n",
            "line 6: it has no apiVersion and no kind, and begins with replicaCount, image, a, b",
            "helm template RELEASE CHART` into `-`",
        ),
        ("services:\n  vllm:\n    image: x\n", "line 1: it is a compose file", "manifests"),
        ("resources: [a.yaml]\n", "line 1: it is a kustomization", "give the folder"),
        (
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
            "line 1: it is a kustomization",
            "give the folder",
        ),
        ("apiVersion: v2\nname: x\nversion: 1.0.0\n", "the head of a Helm chart", "helm template"),
        ("kind: Service\nmetadata: {name: a}\n", "line 1: it has no apiVersion", "kubectl apply"),
        ("apiVersion: v1\nmetadata: {name: a}\n", "line 1: it has no kind", "kubectl apply"),
    ],
)
def test_what_is_no_object_is_called_by_its_name(text: str, words: str, remedy: str) -> None:
    """With its line, and what to give instead."""
    error = refused(text)

    assert words in error.message
    assert error.message.startswith("vllm.yaml is no Kubernetes object in line")
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("apiVersion: v1\nkind: Pod\nspec: {}\n", "line 1: this Pod has no metadata"),
        ("apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n", "line 4: this Pod has no name"),
        ("apiVersion: v1\nkind: Pod\nmetadata:\n  name: 0123\n", "line 4: the name is 83"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: on}\n", "line 3: the name is True"),
        (f"{OBJECT}  labels:\n  - a\n", "line 6: metadata/labels is no map"),
        ("apiVersion: v1\nkind: List\nitems: {}\n", "line 3: items is no list"),
        ("apiVersion: v1\nkind: List\nitems:\n- a\n", "line 4: an item is no object"),
        (
            "apiVersion: v1\nkind: List\nitems:\n- a: b\n",
            "line 4: an item of the list is no object",
        ),
    ],
)
def test_a_damaged_object_is_refused_with_its_line(text: str, words: str) -> None:
    """Nobody has to look twice behind this."""
    with pytest.raises(BadInput) as caught:
        read(text)

    assert f"vllm.yaml {words}" in caught.value.message


def test_a_generated_name_will_do() -> None:
    """Jobs are often made so."""
    assert 1 == len(read("apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n")[0])


@pytest.mark.parametrize(
    "value", ['"{{ .Values.image }}"', "'{{- $.Values.x }}'", "'{{ include \"x\" . }}'"]
)
def test_a_template_in_quotes_is_a_template(value: str) -> None:
    """It would be applied as it stands there."""
    with pytest.raises(BadInput, match=r"vllm\.yaml is a Helm template, line 6"):
        read(f"{OBJECT}spec:\n  a: {value}\n")


@pytest.mark.parametrize(
    "text",
    [
        OBJECT.replace("Service", "ConfigMap") + "data:\n  a: '{{ .Values.x }}'\n",
        f"{OBJECT}  annotations:\n    a: '{{{{ .Release.Name }}}}'\n",
        f"{OBJECT}spec: {{a: '{{{{inputs.parameters.x}}}}', b: '{{{{ messages }}}}'}}\n",
    ],
)
def test_braces_of_other_programs_are_left_alone(text: str) -> None:
    """Dashboards, chat templates, workflows."""
    assert 1 == len(read(text)[0])
