"""What differs, by the names of things."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.manifests.differences import differences
from firstlight.manifests.objects import ObjectSet
from tests.manifests.shapes import SHAPES, deployment, objects, shape

POD = "spec.template.spec"
ENGINE = f"{POD}.containers[vllm]"


def between(one: dict[str, Any], other: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    found = differences(objects(one), objects(other))
    return [(d.path, d.before, d.after) for d in found]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (["m"], ["m", "--a", "x"], [("args[--a]", None, "x")]),
        (["m", "--a", "x"], ["m", "--a=y"], [("args[--a]", "x", "y")]),
        (["m", "--a_b", "x"], ["m", "--a-b", "x"], [("args", ["m", "--a_b", "x"], None)]),
        (["m", "--enable-x"], ["m"], [("args[--enable-x]", True, None)]),
        (["m"], ["n"], [("args[0]", "m", "n")]),
        (["m", "--a", "x", "--b", "y"], ["m", "--b", "y", "--a", "x"], []),
        (["m", "-tp", "1"], ["m", "-tp", "2"], [("args[--tensor-parallel-size]", "1", "2")]),
    ],
)
def test_arguments_differ_by_flag(
    before: list[str], after: list[str], found: list[tuple[str, Any, Any]]
) -> None:
    """Wherever they stand."""
    expected = [(f"{ENGINE}.{p}", old, after if p == "args" else new) for p, old, new in found]

    assert expected == between(deployment({"args": before}), deployment({"args": after}))


def test_a_script_differs_by_flag_or_as_a_whole() -> None:
    """What its flags do not tell is not left out."""
    before = deployment({"command": ["sh", "-c", "sleep 1; vllm serve m --a x"]})
    flag = deployment({"command": ["sh", "-c", "sleep 1; vllm serve m --a y"]})
    rest = deployment({"command": ["sh", "-c", "sleep 2; vllm serve m --a x"]})

    assert [(f"{ENGINE}.command[--a]", "x", "y")] == between(before, flag)
    assert [f"{ENGINE}.command"] == [path for path, *_ in between(before, rest)]


def test_things_differ_by_name() -> None:
    """A new one in front moves the others, and is no difference of theirs."""
    env = [{"name": "A", "value": "1"}]
    before = deployment({"args": ["m"], "env": env}, volumes=[{"name": "v", "emptyDir": {}}])
    after = deepcopy(before)
    pod = after["spec"]["template"]["spec"]
    pod["containers"].insert(0, {"name": "new"})
    pod["containers"][1]["env"][0]["value"] = "2"
    pod["volumes"][0] = {"name": "v", "hostPath": {"path": "/x"}}

    assert [
        (f"{POD}.containers[new]", None, {"name": "new"}),
        (f"{ENGINE}.env[A].value", "1", "2"),
        (f"{POD}.volumes[v].emptyDir", {}, None),
        (f"{POD}.volumes[v].hostPath", None, {"path": "/x"}),
    ] == sorted(between(before, after), key=lambda d: ("volumes" in d[0], "env" in d[0], d[0]))


def test_the_order_of_what_runs_first_is_a_difference() -> None:
    """That of volumes is none."""
    two = [{"name": "a"}, {"name": "b"}]
    init = [deployment({}, initContainers=order) for order in (two, two[::-1])]
    volumes = [deployment({}, volumes=order) for order in (two, two[::-1])]

    assert [(f"{POD}.initContainers order", ("a", "b"), ("b", "a"))] == between(*init)
    assert [] == between(*volumes)


@pytest.mark.parametrize(
    ("field", "before", "after", "found"),
    [
        (
            "tolerations",
            [{"operator": "Exists"}, {"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
            [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
            ["tolerations[Exists]"],
        ),
        (
            "tolerations",
            [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}],
            [{"key": "a", "effect": "NoExecute", "tolerationSeconds": 5}],
            ["tolerations[a/NoSchedule]", "tolerations[a/NoExecute].tolerationSeconds"],
        ),
        (
            "topologySpreadConstraints",
            [{"topologyKey": "zone", "maxSkew": 1}, {"topologyKey": "host", "maxSkew": 1}],
            [{"topologyKey": "host", "maxSkew": 2}, {"topologyKey": "zone", "maxSkew": 1}],
            ["topologySpreadConstraints[host].maxSkew"],
        ),
        (
            "requirements",
            [{"key": "type", "operator": "In", "values": ["a"]}, {"key": "arch", "values": ["x"]}],
            [{"key": "arch", "values": ["x"]}, {"key": "type", "operator": "In", "values": ["b"]}],
            ["requirements[type].values[0]"],
        ),
        (
            "requirements",
            [{"key": "cpu", "operator": "Gt", "values": ["1"]}, {"key": "cpu", "operator": "Lt"}],
            [{"key": "cpu", "operator": "Lt"}, {"key": "cpu", "operator": "Gt", "values": ["2"]}],
            ["requirements[cpu/Gt].values[0]"],
        ),
        ("taints", [{"key": "a", "effect": "x"}], [], ["taints[a/x]"]),
        ("ports", [{"port": 80}, {"port": 81}], [{"port": 81}], ["ports[80/TCP]"]),
    ],
)
def test_lists_with_keys_of_several_fields(
    field: str, before: list[Any], after: list[Any], found: list[str]
) -> None:
    """Karpenter's requirements, tolerations and their like: by what tells them apart."""
    pair = (deployment({}, **{field: side}) for side in (before, after))

    assert [f"{POD}.{path}" for path in found] == [path for path, *_ in between(*pair)]


def test_whole_objects_and_odd_names() -> None:
    """An object that is only in one set; a label with dots in it."""
    one = {"kind": "A", "metadata": {"name": "a", "labels": {"x.y/z": "1"}}}
    two = {"kind": "A", "metadata": {"name": "a", "labels": {"x.y/z": "2"}}}
    new = {"kind": "B", "metadata": {"name": "b"}}

    found = differences(objects(one), objects(two, new))

    assert ['A/a metadata.labels."x.y/z"', "B/b"] == [str(d) for d in found]


def edited(*edits: tuple[tuple[str | int, ...], Any]) -> list[str]:
    """The paths that differ after edits by hand in the Deployment of a real shape."""
    before = shape("several-containers")
    service, workload = (deepcopy(m.value) for m in before)
    for path, value in edits:
        inner: Any = workload
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = value
    return [d.path for d in differences(before, objects(service, workload))]


def test_each_of_several_edits_is_named() -> None:
    """By the path that somebody would look for, and each alone."""
    pod = ("spec", "template", "spec")
    engine = (*pod, "containers", 1)

    assert [
        "spec.replicas",
        f"{POD}.containers[engine].args[--gpu-memory-utilization]",
        f"{POD}.containers[engine].resources.limits.memory",
        f"{POD}.volumes[shm].emptyDir.medium",
    ] == edited(
        (("spec", "replicas"), 3),
        ((*engine, "args", 5), "0.95"),
        ((*engine, "resources", "limits", "memory"), "64Gi"),
        ((*pod, "volumes", 0, "emptyDir", "medium"), ""),
    )


@given(st.sampled_from(["paused", "minReadySeconds", "revisionHistoryLimit"]), st.integers(5, 9))
def test_a_field_that_was_not_there_is_named(field: str, value: int) -> None:
    """Whatever its value."""
    assert [f"spec.{field}"] == edited((("spec", field), value))


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [leaf for k, v in value.items() for leaf in leaves(v, (*path, k))]
    if isinstance(value, list):
        return [leaf for k, v in enumerate(value) for leaf in leaves(v, (*path, k))]
    return [path]


@given(st.data())
def test_no_edit_goes_unseen(data: st.DataObject) -> None:
    """Any one value of any manifest, changed by hand."""
    before = shape(data.draw(st.sampled_from(SHAPES)))
    at = data.draw(st.integers(0, len(before.manifests) - 1))
    edited = [deepcopy(m.value) for m in before]
    *way, last = data.draw(st.sampled_from(leaves(edited[at])))
    inner: Any = edited[at]
    for part in way:
        inner = inner[part]
    inner[last] = "edited"

    assert differences(before, objects(*edited))


@pytest.mark.parametrize("name", SHAPES)
def test_a_set_does_not_differ_from_itself(name: str) -> None:
    """Nor does an empty one."""
    assert () == differences(shape(name), shape(name))
    assert () == differences(ObjectSet(manifests=()), ObjectSet(manifests=()))
