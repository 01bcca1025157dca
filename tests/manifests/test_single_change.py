"""One technique and nothing else, or the place of what else."""

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.single_change import unexpected
from tests.manifests.shapes import deck, objects, shape

BEFORE = shape("several-containers")
CARD = deck().card("compile-cache-local")
POD = "spec.template.spec"


def after() -> ObjectSet:
    return applied(draw(CARD, BEFORE, deck=deck(), given={}), BEFORE)


def edited(*edits: tuple[tuple[str | int, ...], Any]) -> ObjectSet:
    """The objects with the change, and with edits of the Deployment by hand."""
    service, workload = (deepcopy(m.value) for m in after())
    for path, value in edits:
        inner: Any = workload
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = value
    return objects(service, workload)


def left(edited_set: ObjectSet) -> list[str]:
    found = unexpected(deck(), CARD, BEFORE, edited_set, given={})
    return [difference.path for difference in found]


def test_the_change_alone_leaves_nothing() -> None:
    """Whoever reads it knows that one thing was changed."""
    assert [] == left(after())


def test_each_edit_is_named() -> None:
    """By the path that somebody would look for."""
    pod = ("spec", "template", "spec")
    engine = (*pod, "containers", 1)

    assert [
        "spec.replicas",
        f"{POD}.containers[engine].args[--gpu-memory-utilization]",
        f"{POD}.volumes[compile-cache].hostPath.path",
    ] == left(
        edited(
            (("spec", "replicas"), 3),
            ((*engine, "args", 5), "0.95"),
            ((*pod, "volumes", 1, "hostPath", "path"), "/elsewhere"),
        )
    )


def test_a_change_that_was_not_made_is_named_too() -> None:
    """All of it."""
    paths = left(BEFORE)

    assert f"{POD}.volumes[compile-cache]" in paths
    assert f"{POD}.containers[engine].env[VLLM_CACHE_ROOT]" in paths


@given(st.sampled_from(["replicas", "paused", "minReadySeconds"]), st.integers(5, 9))
def test_no_other_field_goes_unseen(field: str, value: int) -> None:
    """One that was not there before included."""
    assert [f"spec.{field}"] == left(edited((("spec", field), value)))
