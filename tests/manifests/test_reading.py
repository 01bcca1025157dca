"""Documents into a set of objects."""

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.reading import manifests_of, object_set
from firstlight.readers.manifests import kubernetes_objects
from firstlight.readers.marked_yaml import marked_documents

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"


def test_objects_know_their_place() -> None:
    """The file, and the line of a value or of what holds it."""
    objects, _ = kubernetes_objects("a.yaml", marked_documents("a.yaml", f"\n{SERVICE}".encode()))

    (manifest,) = manifests_of("a.yaml", objects)

    assert "a.yaml line 2" == manifest.place()
    assert "a.yaml line 4" == manifest.place("/metadata/name")
    assert "a.yaml line 4" == manifest.place("/metadata/labels/app")


def test_an_object_is_there_once() -> None:
    """Two of one name would be applied over one another; both places are said."""
    text = f"{SERVICE}---\n{SERVICE}"
    objects, _ = kubernetes_objects("a.yaml", marked_documents("a.yaml", text.encode()))
    twice = manifests_of("a.yaml", objects)

    assert twice[:1] == object_set(twice[:1]).manifests
    with pytest.raises(BadInput) as caught:
        object_set(twice)

    assert "Service/a is there twice: a.yaml line 1 and a.yaml line 5" == caught.value.message


def test_a_generated_name_may_be_there_twice() -> None:
    """Each time it is applied it is another object."""
    text = "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n"
    objects, _ = kubernetes_objects("a", marked_documents("a", f"{text}---\n{text}".encode()))

    assert 2 == len(object_set(manifests_of("a", objects)).manifests)
