"""What expressions over labels hold of."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.kube.label_selectors import fit_together, fits, selects


def says(operator: str, *values: str) -> dict[str, Any]:
    return {"key": "k", "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("expression", "value", "expected"),
    [
        (says("In", "a", "b"), "a", True),
        (says("In", "a"), "b", False),
        (says("In", "a"), None, False),
        (says("NotIn", "a"), "a", False),
        (says("NotIn", "a"), "b", True),
        (says("NotIn", "a"), None, True),
        (says("Exists"), "", True),
        (says("Exists"), None, False),
        (says("DoesNotExist"), None, True),
        (says("DoesNotExist"), "", False),
        (says("Gt", "4"), "5", True),
        (says("Gt", "4"), "4", False),
        (says("Lt", "4"), "-3", True),
        (says("Lt", "4"), None, False),
        (says("Gt", "4"), "many", False),
        (says("Gt", "many"), "5", False),
        (says("Gt"), "5", False),
        (says("Newer", "4"), "5", None),
        ({"operator": "In", "values": [4]}, "4", True),
        ({"operator": "In", "values": "a"}, "a", False),
        ({}, "a", None),
    ],
)
def test_an_expression_and_a_value(
    expression: dict[str, Any], value: str | None, *, expected: bool | None
) -> None:
    """A label that is not there is in no list; an unknown operator says nothing."""
    assert expected is fits(expression, value)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, True),
        (None, False),
        ({"matchLabels": {"app": "a"}}, True),
        ({"matchLabels": {"app": "a", "tier": "x"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["x"]}]}, True),
        (
            {
                "matchLabels": {"app": "a"},
                "matchExpressions": [{"key": "app", "operator": "DoesNotExist"}],
            },
            False,
        ),
        ({"matchExpressions": [{"key": "app", "operator": "Newer"}]}, False),
    ],
)
def test_a_selector(selector: object, *, expected: bool) -> None:
    """All of it has to hold; an empty one is for everything, one that is not there for nothing."""
    assert expected is selects(selector, {"app": "a"})


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        ([], True),
        ([says("In", "a", "b"), says("In", "b", "c")], True),
        ([says("In", "a"), says("In", "b")], False),
        ([says("In", "a"), says("NotIn", "a")], False),
        ([says("In")], False),
        ([says("Exists"), says("NotIn", "a")], True),
        ([says("Exists"), says("DoesNotExist")], False),
        ([says("NotIn", "a"), says("DoesNotExist")], True),
        ([says("Gt", "4"), says("Lt", "6")], True),
        ([says("Gt", "4"), says("Lt", "6"), says("NotIn", "5")], False),
        ([says("Gt", "4"), says("Lt", "7"), says("NotIn", "5")], True),
        ([says("Gt", "4"), says("Lt", "5")], False),
        ([says("Gt", "4"), says("NotIn", "5", "6")], True),
        ([says("Lt", "4"), says("NotIn", "3")], True),
        ([says("Gt", "4"), says("DoesNotExist")], False),
        ([says("Gt", "4"), says("In", "3", "8")], True),
        ([says("Gt", "4"), says("In", "3")], False),
        ([says("Newer", "4"), says("In", "3")], True),
    ],
)
def test_whether_any_value_satisfies_all(
    expressions: list[dict[str, Any]], *, expected: bool
) -> None:
    """Where none is listed there is one that nobody named, unless the bounds leave none."""
    assert expected is fit_together(expressions)


VALUES = ["1", "2", "3", "4", "a"]
EXPRESSIONS = st.builds(
    lambda operator, values: says(operator, *values),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
    st.lists(st.sampled_from(VALUES), max_size=3),
)


@given(st.lists(EXPRESSIONS, max_size=4))
def test_it_is_what_trying_every_value_says(expressions: list[dict[str, Any]]) -> None:
    """Numbers around every bound, every name, one that is nowhere, and no label at all."""
    tried = [None, "other", *VALUES, *(str(n) for n in range(-9, 12))]
    expected = any(all(fits(e, value) for e in expressions) for value in tried)

    assert expected is fit_together(expressions)
