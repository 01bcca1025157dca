"""Manifests that are YAML and nothing else: one sentence each, and never a traceback."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.differences import differences
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.workload import find_workload
from firstlight.techniques.card import Card
from firstlight.wiring.cards import deck
from tests.manifests.shapes import SHAPES, deployment, objects, shape
from tests.manifests.test_drawing_shapes import GIVEN


@pytest.mark.parametrize(
    ("container", "why"),
    [
        ({"args": "--model m"}, "args is not a list"),
        ({"command": {"a": "b"}}, "command is not a list"),
        ({"args": [["m"]]}, "args/0 is not a text"),
        ({"args": ["m", None]}, "args/1 is not there"),
        ({"args": ["--model", 3]}, 'args/1 is no text: write "3"'),
        ({"command": ["vllm", True]}, 'command/1 is no text: write "true"'),
        ({"env": [{"name": "A", "value": 1}]}, 'env/0/value is no text: write "1"'),
        ({"env": {"A": "1"}}, "env is not a list"),
        ({"env": [{"value": "1"}]}, "env/0 has no name"),
        ({"volumeMounts": [{"name": "v"}]}, "volumeMounts/0 has no mountPath"),
        ({"ports": [{"containerPort": "http"}]}, "containerPort is not a whole number"),
        ({"resources": []}, "resources is not a map"),
    ],
)
def test_what_kubernetes_would_refuse_is_refused(container: dict[str, Any], why: str) -> None:
    """With its place."""
    lines = {"": 3}
    manifest = Manifest(value=deployment(container), artefact="a.yaml", lines=lines)

    with pytest.raises(BadInput, match=why) as refusal:
        find_workload(ObjectSet(manifests=(manifest,)))

    assert refusal.value.message.startswith("a.yaml line 3: /spec/template/spec/containers/0")


def nodes(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict | list):
        inner = [*(value.items() if isinstance(value, dict) else enumerate(value))]
    return [path, *(node for k, v in inner for node in nodes(v, (*path, k)))]


SETS = {name: [m.value for m in shape(name)] for name in SHAPES}
CARDS = [*deck()]
junk: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1.5, "", "x", "$X", "--", [], ["x"], [None], [[]], {}, {"x": {}}, {"name": "x"}]
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from(CARDS), st.data())
def test_whatever_stands_anywhere_is_drawn_on_or_refused(
    name: str, card: Card, data: st.DataObject
) -> None:
    """One to three places of a manifest replaced by something else."""
    values = deepcopy(SETS[name])
    for _ in range(data.draw(st.integers(1, 3))):
        value = data.draw(st.sampled_from(values))
        *way, last = data.draw(st.sampled_from([n for n in nodes(value) if n] or [("x",)]))
        inner: Any = value
        for part in way:
            inner = inner[part]
        inner[last] = deepcopy(data.draw(junk))
    before = objects(*values)

    try:
        change = draw(card, before, deck=deck(), given=GIVEN.get(card.id, {}))
        after = applied(change, before)
    except BadInput:
        return

    assert bool(differences(before, after)) == (not change.is_empty)
