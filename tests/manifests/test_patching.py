"""Two states into the patch between them, and the patch carried out again."""

import json
from copy import deepcopy
from typing import Any

import jsonpatch
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
    """Whatever they are, by the library that others use."""
    whole = {"value": before}

    operations = patch(whole, {"value": after})

    assert json.dumps({"value": after}, sort_keys=True) == json.dumps(
        jsonpatch.apply_patch(deepcopy(whole), json.dumps(operations)), sort_keys=True
    )


@given(values)
def test_equal_states_need_no_patch(value: Any) -> None:
    """The same, whatever the order of its keys."""
    assert () == patch({"v": value}, {"v": deepcopy(value)})


@pytest.mark.parametrize(("before", "after"), [(1, True), (0, False), (1, 1.0), ("1", 1)])
def test_what_python_takes_for_equal_is_changed(before: Any, after: Any) -> None:
    """A manifest with 1 where true belongs is refused by the API."""
    assert [{"op": "replace", "path": "/v", "value": after}] == [
        *patch({"v": before}, {"v": after})
    ]


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        (["a"], ["a", "b"], ["add /l/-"]),
        (["a", "b"], ["a", "c"], ["test /l/1", "replace /l/1"]),
        (["a", "b"], ["b"], ["test /l/0", "remove /l/0"]),
        (["a"], ["b", "a"], ["add /l/0"]),
        ([{"name": "x", "v": 1}], [{"name": "x", "v": 2}], ["test /l/0/name", "replace /l/0/v"]),
        ([{"name": "x"}], [{"name": "x"}, {"name": "y"}], ["add /l/-"]),
        ([{"name": "x"}, {"name": "y"}], [{"name": "y"}], ["test /l/0/name", "remove /l/0"]),
        (
            ["a", "b", "c", "d"],
            ["n", "b", "c", "m", "d"],
            ["test /l/0", "replace /l/0", "add /l/3"],
        ),
    ],
)
def test_a_patch_is_as_small_as_it_can_be_and_safe(
    before: list[Any], after: list[Any], operations: list[str]
) -> None:
    """What stands under an index is tested before it is changed."""
    made = patch({"l": before}, {"l": after})

    assert operations == [f"{o['op']} {o['path']}" for o in made]


def test_a_long_list_is_no_obstacle() -> None:
    """What both ends have in common is not compared with everything else."""
    long = [str(k) for k in range(20_000)]
    shorter = [*long[:10_000], "new", *long[10_001:]]

    assert ["test", "replace"] == [o["op"] for o in patch({"l": long}, {"l": shorter})]


def one_change(on: ObjectSet, *operations: dict[str, Any]) -> Change:
    target = on.manifests[0].identity
    return Change(technique="it", patches=(ObjectPatch(target=target, operations=operations),))


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/spec/a", "value": 2},
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
