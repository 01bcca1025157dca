"""
What every cluster does, the fake one and the real one.

The measurement relies on these: a node that somebody else changed is not patched blindly, a
patch that tests first changes nothing when the test fails, a pod is deleted by uid.
"""

from typing import Any

from firstlight.measure.pod.cordons import ANNOTATION, Cordons, Signature, opened
from firstlight.measure.pod.ports import Cluster

SIGNATURE = Signature(run="run-1", at="2026-01-01T00:00:00Z", target="ns/deployment/vllm")


def an_object(answer: Any) -> dict[str, Any]:
    """What was asked for, which is there."""
    assert isinstance(answer, dict), answer
    return answer


def the_node(cluster: Cluster, name: str) -> tuple[bool, str | None]:
    """Whether it is cordoned, and what a measurement wrote on it."""
    found = an_object(cluster.get(cluster.path("nodes", name=name)))
    written = (found["metadata"].get("annotations") or {}).get(ANNOTATION)
    return bool(found["spec"].get("unschedulable")), written


def closes_and_opens(cluster: Cluster, node: str) -> None:
    """A node is closed with a word of who did it, and opened without a trace."""
    before = an_object(cluster.get(cluster.path("nodes", name=node)))
    cordons = Cordons(cluster, SIGNATURE)

    cordons.close([before])

    assert (True, SIGNATURE.text) == the_node(cluster, node)
    assert [] == cordons.open_all()
    assert (False, None) == the_node(cluster, node)
    assert [node] == cordons.closed
    assert not cordons.is_closing


def a_stale_look_is_taken_again(cluster: Cluster, node: str) -> None:
    """Somebody cordons the node between the look and the patch: it is theirs."""
    before = an_object(cluster.get(cluster.path("nodes", name=node)))
    theirs = {"spec": {"unschedulable": True}}
    an_object(cluster.patch(cluster.path("nodes", name=node), theirs))
    cordons = Cordons(cluster, SIGNATURE)

    cordons.close([before])
    cordons.open_all()

    assert (True, None) == the_node(cluster, node)
    assert [] == cordons.closed


def only_the_own_node_is_opened(cluster: Cluster, node: str) -> None:
    """Closed by another run, it stays closed; for whoever mends everything it does not."""
    before = an_object(cluster.get(cluster.path("nodes", name=node)))
    Cordons(cluster, SIGNATURE).close([before])

    assert not opened(cluster, node, run="run-2")
    assert (True, SIGNATURE.text) == the_node(cluster, node)
    assert opened(cluster, node, run=None)
    assert (False, None) == the_node(cluster, node)
    assert not opened(cluster, node, run=None)


def a_failed_test_changes_nothing(cluster: Cluster, node: str) -> None:
    """A patch whose test does not hold is refused whole."""
    where = cluster.path("nodes", name=node)
    pointer = "/metadata/annotations/firstlight.dev~1cordoned"
    answer = cluster.patch(
        where,
        [
            {"op": "add", "path": "/spec/unschedulable", "value": True},
            {"op": "test", "path": pointer, "value": "x"},
        ],
        kind="json",
    )

    assert not isinstance(answer, dict)
    assert 400 <= answer.status < 500
    assert (False, None) == the_node(cluster, node)


def another_pod_of_the_name_is_not_deleted(cluster: Cluster, namespace: str, pod: str) -> None:
    """The uid that was meant, or none."""
    where = cluster.path("pods", namespace=namespace, name=pod)

    answer = cluster.delete(where, uid="12345678-0000-0000-0000-000000000000")

    assert not isinstance(answer, dict)
    assert 409 == answer.status
    assert "deletionTimestamp" not in an_object(cluster.get(where))["metadata"]


def what_is_not_there_is_absent(cluster: Cluster) -> None:
    """A node that an autoscaler took away in the middle needs no opening."""
    missing = cluster.get(cluster.path("nodes", name="never-was"))

    assert not isinstance(missing, dict)
    assert 404 == missing.status
    assert not opened(cluster, "never-was", run=None)


def a_list_is_of_what_was_asked_for(
    cluster: Cluster, namespace: str, pod: str, *, labels: str
) -> None:
    """One namespace, and what the selectors say, by label or by name."""

    def names(namespace: str, **params: str) -> list[str]:
        found = an_object(cluster.items(cluster.path("pods", namespace=namespace), params))
        return [one["metadata"]["name"] for one in found["items"]]

    assert [pod] == names(namespace, labelSelector=labels)
    assert [] == names(namespace, labelSelector="app=another")
    assert [pod] == names(namespace, fieldSelector=f"metadata.name={pod}")
    assert [] == names(namespace, fieldSelector="metadata.name=another")
    assert [] == names("another", labelSelector=labels)
    assert not isinstance(cluster.get(cluster.path("pods", namespace="another", name=pod)), dict)


NODE_CONTRACT = (
    closes_and_opens,
    a_stale_look_is_taken_again,
    only_the_own_node_is_opened,
    a_failed_test_changes_nothing,
)
