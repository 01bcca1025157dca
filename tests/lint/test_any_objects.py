"""Whatever stands in a manifest, rules judge it or it is refused with its place."""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.lint.annotations import annotated
from firstlight.lint.finding import finding_of
from firstlight.lint.rules.table import RULES
from firstlight.lint.scene import Stated, scene
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.well_formed import check_form
from firstlight.readers.json_pointer import pointer, set_at
from firstlight.wiring.cards import deck
from tests.lint.judging import objects_of

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "rules" / "examples"
STATED = Stated(
    start_p95_s=350.0, model_bytes=33 * 10**9, nat_price_per_gb=0.045, policies_enforced=False
)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 10**30, 0.5, "", " ", "x", "0", "${X}", "1Ti", "--", "a=b", "'"]),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.just([{"name": "x"}]),
    st.just({"x": None}),
    st.just({"name": ["x"]}),
)


@cache
def samples() -> tuple[tuple[dict[str, Any], ...], ...]:
    """The objects of every example that breaks a rule."""
    texts = (path.read_text() for path in sorted(EXAMPLES.glob("*/bad.yaml")))
    return tuple(tuple(m.value for m in objects_of(text)) for text in texts)


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place inside a value."""
    inner = value.items() if isinstance(value, dict) else ()
    for key, one in enumerate(value) if isinstance(value, list) else inner:
        yield (*at, key)
        yield from places(one, (*at, key))


def judge(values: list[dict[str, Any]], stated: Stated) -> int:
    """How many findings all rules have; BadInput for what is no Kubernetes object."""
    objects = ObjectSet(manifests=tuple(Manifest(value=value) for value in values))
    check_form(objects)
    looked_at = scene(
        objects,
        stated,
        deck=deck(),
        suppressions=tuple(annotated(objects)),
        codes=frozenset(rule.code for rule in RULES),
    )
    return sum(len([finding_of(rule, hit) for hit in rule.check(looked_at)]) for rule in RULES)


def test_the_samples_are_judged() -> None:
    """Each has something to find, so that what is spoilt is looked at."""
    assert all(judge([*values], Stated()) + judge([*values], STATED) for values in samples())


@pytest.mark.timeout(30)
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_spoilt_manifest_is_judged_or_refused(data: st.DataObject) -> None:
    """One or two values of an object are something else: never an exception of ours."""
    values = [deepcopy(value) for value in data.draw(st.sampled_from(samples()))]
    for _ in range(data.draw(st.integers(1, 2))):
        value = data.draw(st.sampled_from(values))
        inside = [p for p in places(value) if p[0] not in ("apiVersion", "kind", "metadata")]
        if not inside:
            continue
        where = data.draw(st.sampled_from(inside))
        set_at(value, pointer(*where), deepcopy(data.draw(ODD)))

    with suppress(BadInput):
        judge(values, STATED)
