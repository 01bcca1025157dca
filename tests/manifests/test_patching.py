"""Two states into the patch between them, and the patch carried out again."""

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.objects import Identity, ObjectSet
from firstlight.manifests.patching import patch
from firstlight.readers.json_pointer import parts, pointer, set_at, value_at
from tests.manifests.shapes import objects

scalars = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a", "b"])
names = st.sampled_from(["name", "mountPath", "a/b", "c~d", "env", "volumeMounts"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


@given(values, values)
def test_the_patch_makes_the_one_of_the_other(before: Any, after: Any) -> None:
    """Whatever they are."""
    whole = {"value": before}

    made = carried_out(patch(whole, {"value": after}), whole)

    assert json.dumps({"value": after}, sort_keys=True) == json.dumps(made, sort_keys=True)


@given(values)
def test_equal_states_need_no_patch(value: Any) -> None:
    """The same, whatever the order of its keys."""
    assert () == patch({"v": value}, {"v": deepcopy(value)})


@pytest.mark.parametrize(("before", "after"), [(1, True), (0, False), (1, 1.0), ("1", 1)])
def test_what_python_takes_for_equal_is_changed(before: Any, after: Any) -> None:
    """A manifest with 1 where true belongs is refused by the API."""
    assert [
        {"op": "test", "path": "/v", "value": before},
        {"op": "replace", "path": "/v", "value": after},
    ] == [*patch({"v": before}, {"v": after})]


X, Y = {"name": "x"}, {"name": "y"}
WHOLE = "test /l"
END = ["add /l/-", "test /l/1", "remove /l/1"]


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        (["a"], ["a", "b"], [WHOLE, "add /l/-"]),
        (["a", "b"], ["a", "c"], [WHOLE, "replace /l/1"]),
        (["a", "b"], ["b"], [WHOLE, "remove /l/0"]),
        (["a"], ["b", "a"], [WHOLE, "add /l/0"]),
        ([], ["a"], [WHOLE, "add /l/-"]),
        ([{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 2}], [WHOLE, "replace /l/0"]),
        ([X | {"v": 1}], [X | {"v": 2}], ["test /l/0/name", "test /l/0/v", "replace /l/0/v"]),
        ([X], [X, Y], ["test /l/0/name", *END, "add /l/-"]),
        ([X], [Y, X], ["test /l/0/name", *END, "add /l/0"]),
        ([X, Y], [Y], ["test /l/0/name", "remove /l/0"]),
        ([X | {"v": {"w": 1}}], [], ["test /l/0/name", "test /l/0/v/w", "remove /l/0"]),
        (
            [X, Y | {"v": 1}],
            [{"name": "z"}, X, Y | {"v": 2}],
            [
                *("test /l/0/name", "test /l/1/name", "add /l/-", "test /l/2", "remove /l/2"),
                *("test /l/1/v", "add /l/0", "replace /l/2/v"),
            ],
        ),
        (
            ["a", "b", "c", "d"],
            ["n", "b", "c", "m", "d"],
            [WHOLE, "replace /l/0", "add /l/3"],
        ),
    ],
)
def test_what_a_list_was_is_tested_before_it_is_changed(
    before: list[Any], after: list[Any], operations: list[str]
) -> None:
    """One without names as a whole; one with names by them, and that it ends there."""
    made = patch({"l": before}, {"l": after})

    assert operations == [f"{o['op']} {o['path']}" for o in made]


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ({}, {"a": {"b": 1}}, [("test", "/a", None), ("add", "/a", {"b": 1})]),
        ({"a": None}, {"a": 1}, [("test", "/a", None), ("add", "/a", 1)]),
        (
            {"a": {"b": 1, "c": "d"}},
            {},
            [("test", "/a/b", 1), ("test", "/a/c", "d"), ("remove", "/a")],
        ),
        (
            {"nodeSelector": {"a": "b"}},
            {},
            [("test", "/nodeSelector", {"a": "b"}), ("remove", "/nodeSelector")],
        ),
        ({"a": [1]}, {}, [("test", "/a", [1]), ("remove", "/a")]),
        ({"a": {}}, {"a": 1}, [("test", "/a", {}), ("replace", "/a", 1)]),
        (
            {"a": [X]},
            {},
            [("test", "/a/0/name", "x"), ("remove", "/a/0"), ("test", "/a", []), ("remove", "/a")],
        ),
    ],
)
def test_what_a_field_was_is_tested_before_it_is_changed(
    before: Any, after: Any, operations: list[tuple[Any, ...]]
) -> None:
    """Also that it was not there; a list that goes has to be empty without what it held."""
    made = patch(before, after)

    assert operations == [tuple(o.values()) for o in made]


def test_a_long_list_is_no_obstacle() -> None:
    """What both ends have in common is not compared with everything else."""
    long = [str(k) for k in range(20_000)]
    shorter = [*long[:10_000], "new", *long[10_001:]]

    assert ["test", "replace"] == [o["op"] for o in patch({"l": long}, {"l": shorter})]


def carried_out(operations: Sequence[dict[str, Any]], on: dict[str, Any]) -> Any:
    """The value afterwards."""
    whole = objects(on)
    return applied(one_change(whole, *operations), whole).manifests[0].value


def one_change(on: ObjectSet, *operations: dict[str, Any]) -> Change:
    target = on.manifests[0].identity
    return Change(technique="it", patches=(ObjectPatch(target=target, operations=operations),))


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/spec/a", "value": 2},
        {"op": "test", "path": "/spec/a", "value": None},
        {"op": "test", "path": "/spec/a", "value": True},
        {"op": "test", "path": "/spec/l/0", "value": None},
        {"op": "test", "path": "/spec/none/b", "value": None},
        {"op": "remove", "path": "/spec/b"},
        {"op": "add", "path": "/spec/l/7", "value": 1},
        {"op": "replace", "path": "/nowhere/x", "value": 1},
    ],
)
def test_an_object_that_has_changed_since_is_refused(operation: dict[str, Any]) -> None:
    """In our words, and nothing of it is done."""
    on = objects({"kind": "A", "metadata": {"name": "a"}, "spec": {"a": 1, "l": []}})

    with pytest.raises(BadInput, match="A/a has changed since it was drawn"):
        applied(one_change(on, operation), on)


def test_a_test_for_null_is_one_of_absence() -> None:
    """As kubectl, kustomize and the API server take it."""
    on = objects({"kind": "A", "metadata": {"name": "a"}, "spec": {"a": None}})

    for path in ("/spec/a", "/spec/b"):
        assert on == applied(one_change(on, {"op": "test", "path": path, "value": None}), on)


def test_a_change_of_what_is_not_there_is_refused() -> None:
    """Patched or removed."""
    on = objects({"kind": "A", "metadata": {"name": "a"}})
    gone = Change(technique="it", removed=(Identity(kind="B", name="b"),))

    with pytest.raises(BadInput, match="B/b, which is not among the objects"):
        applied(gone, on)


@given(st.lists(names, min_size=1, max_size=3), scalars)
def test_a_pointer_leads_to_what_was_put_there(path: list[str], value: Any) -> None:
    """Slashes and tildes in names too."""
    root: dict[str, Any] = {}

    assert set_at(root, pointer(*path), value) is None
    assert (tuple(path), value) == (parts(pointer(*path)), value_at(root, pointer(*path)))
