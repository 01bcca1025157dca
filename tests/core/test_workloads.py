"""What is in a cluster, in kubectl's words."""

import pytest

from firstlight.core.errors import BadInput
from firstlight.core.workloads import Target, names_a_workload, parsed_target, selector_text


@pytest.mark.parametrize(
    ("text", "kind", "resource"),
    [
        ("deployment/vllm", "deployment", "deployments"),
        ("deploy/vllm", "deployment", "deployments"),
        ("deployment.apps/vllm", "deployment", "deployments"),
        ("Deployments.v1.apps/vllm", "deployment", "deployments"),
        ("sts/vllm", "statefulset", "statefulsets"),
        ("rs/vllm", "replicaset", "replicasets"),
        ("ds/vllm", "daemonset", "daemonsets"),
        ("jobs.batch/vllm", "job", "jobs"),
        ("cj/vllm", "cronjob", "cronjobs"),
        ("PO/vllm", "pod", "pods"),
    ],
)
def test_kinds_by_any_of_their_names(text: str, kind: str, resource: str) -> None:
    """As kubectl takes them; printed, there is one."""
    target = parsed_target(text, namespace="ns")

    assert Target(kind=kind, name="vllm", namespace="ns") == target
    assert (resource, f"{kind}/vllm") == (target.resource, str(target))
    assert names_a_workload(text)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("vllm", "say deployment/vllm or pod/vllm"),
        ("service/vllm", "say deployment/NAME or pod/NAME"),
        ("deployment.batch/vllm", "say deployment/NAME or pod/NAME"),
        ("pods.apps/vllm", "say deployment/NAME or pod/NAME"),
        ("./vllm", "say deployment/NAME or pod/NAME"),
        ("po/", "say pod/NAME"),
        ("pod/a/b", "say pod/NAME"),
    ],
)
def test_anything_else_is_none_and_is_refused_with_what_would_do(text: str, remedy: str) -> None:
    """Before any cluster is asked; a program or a file is not taken for one."""
    with pytest.raises(BadInput) as raised:
        parsed_target(text)

    assert remedy == raised.value.remedy
    assert not names_a_workload(text)


def test_a_selector_is_what_the_api_server_reads() -> None:
    """Labels and expressions, all of which must hold."""
    selector = {
        "matchLabels": {"app": "vllm"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["a", "b"]},
            {"key": "zone", "operator": "NotIn", "values": ["x"]},
            {"key": "new", "operator": "Exists"},
            {"key": "old", "operator": "DoesNotExist"},
        ],
    }

    assert "app=vllm,tier in (a,b),zone notin (x),new,!old" == selector_text(selector)
    assert "" == selector_text({})
