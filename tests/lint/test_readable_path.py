"""Paths as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.lint.readable_path import readable_path
from firstlight.readers.json_pointer import pointer

OBJECT = {
    "metadata": {"annotations": {"a/b": "1", "plain": "2"}},
    "spec": {
        "containers": [{"name": "proxy"}, {"name": "engine", "args": ["-a", "-b"]}],
        "mounts": [{"mountPath": "/data"}, {"name": 3}],
    },
}


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("", ""),
        ("/spec/containers/1/args/1", "spec.containers[engine].args[1]"),
        ("/spec/mounts/0/mountPath", "spec.mounts[/data].mountPath"),
        ("/spec/mounts/1", "spec.mounts[1]"),
        ("/metadata/annotations/a~1b", 'metadata.annotations["a/b"]'),
        ("/metadata/annotations/plain", "metadata.annotations.plain"),
        ("/spec/containers/7/args/0", "spec.containers[7].args.0"),
        ("/spec/nothing/here", "spec.nothing.here"),
    ],
)
def test_elements_are_called_by_their_names(given_: str, expected: str) -> None:
    """By number where they have none, and places that are not there as they are written."""
    assert expected == readable_path(OBJECT, given_)


@given(
    st.recursive(
        st.none() | st.text(max_size=3) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    st.lists(st.text(max_size=4) | st.integers(0, 3), max_size=4),
)
def test_any_pointer_into_anything_has_a_path(root: object, parts: list[str | int]) -> None:
    """Whatever a rule points at."""
    assert bool(readable_path(root, pointer(*parts))) == bool(parts)
