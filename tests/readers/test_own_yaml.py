"""YAML that people write for firstlight: what is wrong in it is said with its line."""

import re
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.readers.own_yaml import OwnYaml, read_own_yaml
from firstlight.readers.yaml_text import document_text


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something inside a plan."""

    count: int
    kind: Literal["small", "large"] = "small"


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the tests read."""

    name: str
    part: Part | None = None
    parts: tuple[Part, ...] = ()
    named: dict[str, Part] = {}


def read(text: str) -> OwnYaml:
    return read_own_yaml("plan.yaml", text.encode(), what="plan", remedy="see the plan of plans")


def refused(text: str) -> str:
    """The sentence; it comes with what to do."""
    with pytest.raises(BadInput) as caught:
        read(text).typed(Plan)
    assert caught.value.remedy
    return caught.value.message


def test_a_file_becomes_a_value() -> None:
    """With anchors, and with words as they are in manifests."""
    text = "# ours\nname: 2026-01-02\npart: &p {count: 1e3}\nparts:\n- *p\n- count: 0x10\n"

    plan = read(text).typed(Plan)

    assert (
        Plan(name="2026-01-02", part=Part(count=1000), parts=(Part(count=1000), Part(count=16)))
        == plan
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nnmae: x\n", "line 2: it contains unknown field nmae"),
        ("part: {count: 1}\n", "line 1: it is missing required field name"),
        ("name: a\npart: {count: x}\n", "line 2: part.count: expected int, got str"),
        ("name: a\npart:\n  count: 1\n  knid: x\n", "line 4: part: it contains unknown field knid"),
        ("name: a\npart:\n\n  kind: x\n", "line 4: part.kind: invalid enum value 'x'"),
        (
            "name: a\nparts:\n- count: 1\n- count: 2\n  kind: huge\n",
            "line 5: parts.1.kind: invalid enum value 'huge'",
        ),
        ("name: a\nparts: [{}]\n", "line 2: parts.0: it is missing required field count"),
        ("name: yes\n", "line 1: name: expected str, got bool; put it in quotes"),
        ("- name: a\n", "line 1: it holds no map of keys and values"),
        ("name: a\n---\n\nname: b\n", "line 4: a second document begins, and one is read"),
    ],
)
def test_what_is_wrong_in_it_has_its_line(text: str, said: str) -> None:
    """And its field, however deep."""
    assert f"plan.yaml {said}" == refused(text)


def test_of_a_map_with_keys_of_ones_own_the_map_is_named() -> None:
    """Behind which key it is wrong is not known, so no line inside is claimed."""
    text = "name: a\nnamed:\n  first: {count: 1}\n  second: {count: x}\n"

    assert "plan.yaml line 3: named: expected int, got str" == refused(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: [\n", "is no plan, line 1: did not find expected node content"),
        ("name: a\nname: b\n", "is no plan, line 2: name stands there a second time"),
        ("", "is no plan: it is empty"),
        ("name: a\x00\n", "is binary"),
    ],
)
def test_what_is_no_yaml_is_called_by_what_it_should_be(text: str, said: str) -> None:
    """Not by Kubernetes, which has nothing to do with it."""
    assert f"plan.yaml {said}" == refused(text)


def test_a_mistake_that_a_type_cannot_tell_is_said_in_the_same_way() -> None:
    """By whoever finds it: at a place, or the nearest that is there."""
    plan = read("name: a\npart:\n  count: 1\n")

    assert "plan.yaml line 3" == plan.place("/part/count/deeper/still")
    assert "plan.yaml line 1: no such thing" == plan.refusal("/x", "no such thing").message
    assert "see the plan of plans" == plan.refusal("/name", "too short").remedy
    assert "make it longer" == plan.refusal("/name", "too short", remedy="make it longer").remedy


_leaves = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["small", "x", "1e3"])
_fields = st.sampled_from(["name", "part", "parts", "named", "count", "kind", "other"])


@given(
    st.dictionaries(
        _fields,
        st.recursive(
            _leaves,
            lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_fields, inner, max_size=3),
            max_leaves=6,
        ),
        min_size=1,
    )
)
def test_any_map_is_a_value_or_refused_in_one_sentence(value: dict[str, Any]) -> None:
    """With a line of the file."""
    text, said = document_text(value), ""
    try:
        read(text).typed(Plan)
    except BadInput as e:
        said = e.message

    found = re.match(r"plan\.yaml line ([0-9]+): [^`\n]+$", said)
    assert not said or (found and 1 <= int(found[1]) <= len(text.splitlines()))
