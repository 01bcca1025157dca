"""Several inputs are one set of objects, each object once."""

import pytest

from firstlight.core.errors import BadInput
from firstlight.lint.joined import joined
from tests.lint.judging import objects_of

ONE = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {}\nspec: {{type: {}}}\n"


def test_the_two_halves_of_a_pair_stand_in_two_files() -> None:
    """In order of the files."""
    both = joined([objects_of(ONE.format("b", "X")), objects_of(ONE.format("a", "X"))])

    assert ["b", "a"] == [m.identity.name for m in both]


def test_what_is_the_same_in_both_is_one_object() -> None:
    """Of the first file: a folder, and a file in it."""
    first, second = (objects_of(ONE.format("a", "X"), name=name) for name in ("1.yaml", "2.yaml"))

    both = joined([first, second])

    assert ["1.yaml"] == [m.artefact for m in both]


def test_what_is_not_the_same_is_refused_with_both_places() -> None:
    """Which of the two runs, nobody knows."""
    first = objects_of(ONE.format("a", "X"), name="1.yaml")
    second = objects_of("---\n" + ONE.format("a", "Y"), name="2.yaml")

    with pytest.raises(BadInput) as refused:
        joined([first, second])

    assert refused.value.message == (
        "service/a is there twice and not the same: 1.yaml line 1 and 2.yaml line 2"
    )


def test_objects_without_a_name_are_each_their_own() -> None:
    """Each makes a new one."""
    job = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: run-}\nspec: {}\n"

    assert 2 == len(joined([objects_of(job), objects_of(job)]).manifests)
