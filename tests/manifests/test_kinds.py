"""Kinds of one name in several APIs."""

from typing import Any

import pytest

from firstlight.manifests.kinds import is_known, kind_of
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.manifests.well_formed import check_form


def of(version: str, kind: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **rest}


def with_pod(version: str, kind: str, container: Any) -> dict[str, Any]:
    return of(version, kind, spec={"template": {"spec": {"containers": [container]}}})


@pytest.mark.parametrize(
    ("version", "kind", "expected"),
    [
        ("v1", "Service", "Service"),
        ("serving.knative.dev/v1", "Service", "Service.serving.knative.dev"),
        ("apps/v1", "Deployment", "Deployment"),
        ("extensions/v1beta1", "Deployment", "Deployment"),
        ("foo.example.com/v1", "Deployment", "Deployment.foo.example.com"),
        ("argoproj.io/v1alpha1", "Rollout", "Rollout"),
        ("apps/v1", "deployment", "deployment"),
    ],
)
def test_a_kind_is_told_by_its_group(version: str, kind: str, expected: str) -> None:
    """A kind that is not known here has its own name in any group."""
    assert expected == kind_of(of(version, kind))


def test_a_set_gives_what_is_meant() -> None:
    """Nobody who asks for a Service means one that makes pods."""
    values = [of("v1", "Service"), of("serving.knative.dev/v1", "Service")]
    objects = ObjectSet(manifests=tuple(Manifest(value=value) for value in values))
    assert [values[0]] == [one.value for one in objects.of_kind("Service")]
    assert [values[1]] == [one.value for one in objects.of_kind("Service.serving.knative.dev")]


@pytest.mark.parametrize(
    "value",
    [
        of("container.cnrm.cloud.google.com/v1beta1", "NodePool", spec={"nodeCount": 1}),
        of("foo/v1", "ConfigMap", data=[1]),
        with_pod("serving.knative.dev/v1", "Service", {"image": "vllm/vllm-openai:v0.20.0"}),
        with_pod("foo.example.com/v1", "Deployment", {"name": "x", "args": {"model": "m"}}),
        with_pod("apps/v1", "deployment", {"args": "no list"}),
    ],
)
def test_what_another_api_wants_of_its_kind_is_its_own_business(value: dict[str, Any]) -> None:
    """No refusal: it is not what is known here under that name."""
    assert not is_known(value)
    check_form(ObjectSet(manifests=(Manifest(value=value),)))


def test_what_only_looks_like_a_pod_is_one_where_it_has_the_form() -> None:
    """Knative names its containers itself; `args` that are a map are no words of a program."""
    unnamed = with_pod("serving.knative.dev/v1", "Service", {"image": "x"})
    other = with_pod("foo.example.com/v1", "Deployment", {"name": "x", "args": {"model": "m"}})
    assert [("/spec/template/spec",), ()] == [pod_pointers(unnamed), pod_pointers(other)]
