"""
What every cluster does that a capture asks, the fake one and the real one.

There are a Deployment `vllm` with a pod `POD` (containers `fetch` and `server`), and a pod
`stranger` that belongs to nobody; both pods have the label `app=vllm`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from firstlight.capture.ports import Cluster, Refusal
from firstlight.core.objects import name, uid

POD = "vllm-7b9d6c4f8-abcde"
NODE = "ip-10-0-1-17.ec2.internal"
LOG = b"2026-11-29T20:00:00.000000001Z one\n2026-11-29T20:00:00.000000002Z two\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """The same cluster, as somebody who may read all of it and as somebody who may nothing."""

    open: Cluster
    shut: Cluster


def an_object(answer: Any) -> dict[str, Any]:
    """What was asked for, which is there."""
    assert isinstance(answer, dict), answer
    return answer


def a_no(answer: Any) -> tuple[int, str, str]:
    """A refusal, in the words of RBAC, with a sentence."""
    assert not isinstance(answer, (dict, Iterable)), answer
    no: Refusal = answer
    assert no.words
    return no.status, no.verb, no.resource


def names(answer: Any) -> set[str]:
    return {name(one) for one in an_object(answer)["items"]}


def an_object_by_its_name(there: Clusters) -> None:
    """As the server sent it: with its uid, in its namespace."""
    cluster = there.open
    found = an_object(cluster.get(cluster.path("pods", namespace=cluster.namespace, name=POD)))

    assert POD == name(found)
    assert uid(found)


def what_has_no_namespace(there: Clusters) -> None:
    """A node is asked for without one."""
    assert NODE == name(an_object(there.open.get(there.open.path("nodes", name=NODE))))


def what_is_not_there_is_refused(there: Clusters) -> None:
    """With the verb that was needed."""
    cluster = there.open
    absent = cluster.path("deployments", namespace=cluster.namespace, name="no-such")

    assert (404, "get") == a_no(cluster.get(absent))[:2]
    assert (404, "get", "namespaces") == a_no(cluster.get(cluster.path("namespaces", name="none")))


def an_unknown_kind_is_refused(there: Clusters) -> None:
    """As NodeClaims are where there is no Karpenter."""
    cluster = there.open

    assert (404, "list") == a_no(cluster.items(cluster.path("things.no-such.example")))[:2]


def all_of_a_namespace(there: Clusters) -> None:
    """One list; nothing of a kind is an empty one, and no refusal."""
    cluster = there.open

    assert {POD, "stranger"} == names(
        cluster.items(cluster.path("pods", namespace=cluster.namespace))
    )
    assert set() == names(cluster.items(cluster.path("statefulsets", namespace=cluster.namespace)))


def a_selector_chooses(there: Clusters) -> None:
    """By labels, or by name."""
    cluster = there.open
    pods = cluster.path("pods", namespace=cluster.namespace)

    def chosen(**params: str) -> set[str]:
        return names(cluster.items(pods, params))

    assert {POD, "stranger"} == chosen(labelSelector="app=vllm,!old,app in (a,vllm)")
    assert set() == chosen(labelSelector="app=vllm,old")
    assert set() == chosen(labelSelector="app notin (vllm)")
    assert {"stranger"} == chosen(fieldSelector="metadata.name=stranger")


def all_namespaces_at_once(there: Clusters) -> None:
    """Each object says where it is."""
    cluster = there.open
    found = an_object(
        cluster.items(cluster.path("pods"), {"fieldSelector": f"metadata.name={POD}"})
    )

    assert cluster.namespace in {one["metadata"]["namespace"] for one in found["items"]}


def who_has_no_rights_is_refused(there: Clusters) -> None:
    """By the verb and resource that a rule would have to name."""
    cluster = there.shut
    pods = cluster.path("pods", namespace=cluster.namespace)
    pod = cluster.path("pods", namespace=cluster.namespace, name=POD)

    assert (403, "list", "pods") == a_no(cluster.items(pods))
    assert (403, "get", "pods") == a_no(cluster.get(pod))
    assert (403, "get", "nodes") == a_no(cluster.get(cluster.path("nodes", name=NODE)))
    assert (403, "get", "pods/log") == a_no(cluster.log(cluster.namespace, POD, "server"))


def a_log_is_lines_with_their_ends(there: Clusters) -> None:
    """The runtime's stamp in front of each; whole, so nothing is said about its end."""
    cluster = there.open
    log = cluster.log(cluster.namespace, POD, "server")
    assert isinstance(log, Iterable), log

    assert LOG.splitlines(keepends=True) == list(log)
    assert None is log.problem


def a_log_that_nobody_has(there: Clusters) -> None:
    """Of a pod that is gone, of a container that the pod has not."""
    cluster = there.open

    assert (404, "get", "pods/log") == a_no(cluster.log(cluster.namespace, "gone", "server"))
    assert (400, "get", "pods/log") == a_no(cluster.log(cluster.namespace, POD, "no-such"))


CONTRACT: tuple[Callable[[Clusters], None], ...] = (
    an_object_by_its_name,
    what_has_no_namespace,
    what_is_not_there_is_refused,
    an_unknown_kind_is_refused,
    all_of_a_namespace,
    a_selector_chooses,
    all_namespaces_at_once,
    who_has_no_rights_is_refused,
    a_log_is_lines_with_their_ends,
    a_log_that_nobody_has,
)
