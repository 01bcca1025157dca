"""A patch on a manifest that somebody has changed since it was rendered."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import ObjectSet
from firstlight.wiring.cards import deck
from tests.manifests.test_drawing_shapes import BESIDE, DRAWN, given_for, prepared

LISTS = ("args", "command", "env", "volumeMounts", "volumes", "initContainers", "containers")
MAPS = ("nodeSelector",)
CONTAINERS = ("initContainers", "containers")
EXAMPLES = 12
OF_THE_POD = frozenset({"volumes", "initContainers", "containers", "nodeSelector"})


def drawn(technique: str, on: ObjectSet) -> Change:
    return draw(deck().card(technique), on, deck=deck(), given=given_for(technique))


def pod_of(on: ObjectSet) -> dict[str, Any]:
    workload = next(m.value for m in on.of_kind("Deployment", "StatefulSet"))
    found: dict[str, Any] = workload["spec"]["template"]["spec"]
    return found


def engine_of(pod: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = max(
        pod["containers"] or [{}], key=lambda c: "nvidia.com/gpu" in str(c.get("resources"))
    )
    return found


def holder(on: ObjectSet, field: str) -> dict[str, Any]:
    pod = pod_of(on)
    return pod if field in OF_THE_POD else engine_of(pod)


def number(of: ObjectSet, field: str) -> int:
    return len(pod_of(of).get(field) or [])


def touched(then: ObjectSet, after: ObjectSet) -> list[str]:
    """The fields in which a technique changes something; the engine itself is one of no list."""
    changed = [f for f in LISTS + MAPS if holder(then, f).get(f) != holder(after, f).get(f)]
    same = [f for f in CONTAINERS if number(then, f) == number(after, f)]
    return [field for field in changed if field not in same]


def one_more(data: st.DataObject, field: str, after: ObjectSet) -> Any:
    """What somebody may have added: what the technique adds, that with another value, or else."""
    own = list(holder(after, field).get(field) or ["x"])
    if field in ("args", "command"):
        return data.draw(st.sampled_from([*own, "--more", "x"]))
    element = deepcopy(data.draw(st.sampled_from(own)))
    if isinstance(element, str):
        element = {"name": "x", "mountPath": "/x"}
    if data.draw(st.booleans()):
        element["mountPath" if field == "volumeMounts" else "name"] = "/another"
    if data.draw(st.booleans()):
        element["value" if field == "env" else "subPath"] = "theirs"
    return element


def edit(data: st.DataObject, on: ObjectSet, fields: list[str], after: ObjectSet) -> None:
    """One change by hand in a place that the technique touches."""
    field = data.draw(st.sampled_from(fields))
    of = holder(on, field)
    if field in MAPS:
        of[field] = (of.get(field) or {}) | {data.draw(st.sampled_from(["a", "b"])): "theirs"}
        return
    there = of[field] = of.get(field) or []
    kind = data.draw(st.sampled_from(["insert", "delete", "replace", "swap"]))
    at = data.draw(st.integers(0, len(there)))
    if kind == "insert" or at == len(there):
        there.insert(at, one_more(data, field, after))
    elif kind == "delete":
        del there[at]
    elif kind == "swap":
        there[at], there[0] = there[0], there[at]
    else:
        new = one_more(data, field, after)
        # Another value under the same name is a change of what was only read.
        if key_of(new, field) != key_of(there[at], field):
            there[at] = new


def key_of(element: Any, field: str) -> Any:
    if isinstance(element, str):
        return element
    return element["mountPath" if field == "volumeMounts" else "name"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("name", "technique"), [c for c in DRAWN if c[1] not in BESIDE])
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_it_fails_or_does_what_rendering_anew_does(
    name: str, technique: str, data: st.DataObject
) -> None:
    """Whatever was put in, taken out, replaced or moved where techniques change something."""
    then = prepared(name, technique)
    change = drawn(technique, then)
    now = ObjectSet(manifests=tuple(deepcopy(m) for m in then))
    after = applied(change, then)
    edit(data, now, touched(then, after), after)

    try:
        made = applied(change, now)
    except BadInput:
        return

    anew = applied(drawn(technique, now), now)
    assert [m.value for m in anew] == [m.value for m in made]
