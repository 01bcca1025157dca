"""What somebody's own objects have otherwise, and what only a server put there."""

from copy import deepcopy
from typing import Any

import pytest

from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.written_differences import written_differences
from tests.manifests.rendered import example_steps
from tests.manifests.shapes import deployment, objects

MINE = deployment({"args": ["m"], "ports": [{"containerPort": 8000}]})
POD = "spec.template.spec"


def found(change: dict[str, Any], **pod: Any) -> list[str]:
    """The paths that differ where the container, or the pod, has something more."""
    theirs = deepcopy(MINE)
    spec = theirs["spec"]["template"]["spec"]
    spec |= pod
    spec["containers"][0] |= change
    return [one.path for one in written_differences(objects(MINE), objects(theirs))]


@pytest.mark.parametrize(
    ("change", "pod"),
    [
        ({"imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log"}, {}),
        ({"resources": {}, "terminationMessagePolicy": "File"}, {}),
        ({"ports": [{"containerPort": 8000, "protocol": "TCP"}]}, {}),
        ({}, {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "securityContext": {}}),
        ({}, {"schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30}),
    ],
)
def test_a_default_is_no_difference(change: dict[str, Any], pod: dict[str, Any]) -> None:
    """Nobody wrote it."""
    assert [] == found(change, **pod)


@pytest.mark.parametrize(
    ("change", "pod", "paths"),
    [
        ({"imagePullPolicy": "Never"}, {}, ["containers[vllm].imagePullPolicy"]),
        ({"args": ["m", "--a"]}, {}, ["containers[vllm].args[--a]"]),
        ({"env": [{"name": "A", "value": "1"}]}, {}, ["containers[vllm].env"]),
        ({}, {"terminationGracePeriodSeconds": 31}, ["terminationGracePeriodSeconds"]),
        ({}, {"securityContext": {"runAsUser": 1}}, ["securityContext"]),
        ({}, {"hostNetwork": True}, ["hostNetwork"]),
    ],
)
def test_another_value_is_one(
    change: dict[str, Any], pod: dict[str, Any], paths: list[str]
) -> None:
    """In a field that has a default too."""
    assert [f"{POD}.{path}" for path in paths] == found(change, **pod)


def test_a_default_in_place_of_what_was_rendered_is_one() -> None:
    """The value of a default is nothing special where another one was asked for."""
    strict = deepcopy(MINE)
    strict["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 120
    theirs = deepcopy(strict)
    theirs["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 30

    (one,) = written_differences(objects(strict), objects(theirs))

    assert (120, 30) == (one.before, one.after)


def test_what_a_server_keeps_for_itself_is_not_looked_at() -> None:
    """Status, identity, who manages what; a claim that has found its volume."""
    mine = example_steps("intent")[0].objects
    theirs = [deepcopy(m.value) for m in mine]
    for value in theirs:
        value["metadata"] |= {"uid": "1", "resourceVersion": "7", "managedFields": [{}]}
        value["status"] = {"phase": "Bound"}
        if value["kind"] == "PersistentVolume":
            value["spec"]["claimRef"] |= {"uid": "1", "resourceVersion": "7"}
            del value["spec"]["storageClassName"]

    assert () == written_differences(mine, objects(*theirs))


def test_an_object_that_is_missing_or_more_is_one() -> None:
    """Whatever is in it."""
    more = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    empty = ObjectSet(manifests=())

    assert ["ConfigMap/a"] == [str(d) for d in written_differences(empty, objects(more))]
    assert ["ConfigMap/a"] == [str(d) for d in written_differences(objects(more), empty)]
