"""What conditions are worth: Python's own answer with all facts, and a steady one with fewer."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from firstlight.decisions.condition import names, read_condition
from firstlight.decisions.truth import Truth, Value, truth

FACTS = ("a", "b", "c", "d")
NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, -1.5, 1e3])


def numeric(depth: int) -> st.SearchStrategy[str]:
    """Something to calculate."""
    leaf = st.sampled_from(FACTS) | st.integers(0, 3).map(str) | st.just("0.5")
    if depth == 0:
        return leaf
    inner = numeric(depth - 1)
    return (
        leaf
        | st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner)
        | st.builds("(-{})".format, inner)
    )


def comparison() -> st.SearchStrategy[str]:
    """One with two sides or three."""
    sign = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    side = numeric(2)
    two = st.builds("{} {} {}".format, side, sign, side)
    return two | st.builds("{} {} {}".format, two, sign, side)


def conditions(depth: int = 3) -> st.SearchStrategy[str]:
    """Anything that is true or false in the end."""
    if depth == 0:
        return comparison()
    inner = conditions(depth - 1)
    return (
        comparison()
        | st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("not ({})".format, inner)
    )


texts = conditions().filter(lambda text: len(text) < 400)
all_facts = st.fixed_dictionaries(dict.fromkeys(FACTS, NUMBERS))
some_facts = st.dictionaries(st.sampled_from(FACTS), NUMBERS)


def in_python(text: str, facts: dict[str, Any]) -> bool | None:
    """Python's own answer; None where it divides by zero on the way."""
    try:
        return bool(eval(text, {"__builtins__": {}}, facts))  # noqa: S307
    except ZeroDivisionError:
        return None


@given(texts, all_facts)
def test_with_all_facts_the_answer_is_pythons(text: str, facts: dict[str, Value]) -> None:
    """Where Python has one; where it divides by zero, a true `or` may still decide here."""
    expected = in_python(text, facts)
    answer = truth(read_condition(text), facts)

    if expected is not None:
        assert Truth(is_so=expected) == answer
    elif answer.is_so is None:
        assert any("divides by zero" in trouble for trouble in answer.troubles)


@given(texts, some_facts, some_facts)
def test_another_fact_never_changes_an_answer(
    text: str, facts: dict[str, Value], more: dict[str, Value]
) -> None:
    """Only what was not known becomes known."""
    condition = read_condition(text)
    before = truth(condition, facts)
    assume(before.is_so is not None)

    assert before == truth(condition, {**more, **facts})


@given(texts, some_facts)
def test_what_cannot_be_judged_says_what_it_needs(text: str, facts: dict[str, Value]) -> None:
    """Either facts that are really missing and asked for, or a calculation without a result."""
    condition = read_condition(text)
    answer = truth(condition, facts)

    if answer.is_so is None:
        assert answer.missing or answer.troubles
        assert set(answer.missing) <= set(names(condition)) - set(facts)
    else:
        assert ((), ()) == (answer.missing, answer.troubles)


@pytest.mark.parametrize(
    ("text", "is_so", "missing"),
    [
        ("a > 1 and x > 1", None, ("x",)),
        ("a > 3 and x > 1", False, ()),
        ("a > 1 or x > 1", True, ()),
        ("x > 1 or a > 3", None, ("x",)),
        ("not x > 1", None, ("x",)),
        ("3 < a < x", False, ()),
        ("1 < a < x", None, ("x",)),
        ("x * y > 1 and x > 2", None, ("x", "y")),
        ("yes and a > 1", True, ()),
        ("no or x > 1", None, ("x",)),
        ('node == "al2023"', True, ()),
        ('node != "al2023"', False, ()),
    ],
)
def test_a_missing_fact_counts_only_where_it_matters(
    text: str, is_so: bool | None, missing: tuple[str, ...]
) -> None:
    """After Kleene: what the rest decides is decided."""
    facts: dict[str, Value] = {"a": 2, "yes": True, "no": False, "node": "al2023"}

    assert Truth(is_so=is_so, missing=missing) == truth(read_condition(text), facts)


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("a / zero > 1", "a / zero divides by zero"),
        ("node > 1", "'al2023' and 1 cannot be compared"),
        ("node == 3", "'al2023' and 3 cannot be compared"),
        ("node + 1 > 3", "node + 1 is no calculation with numbers"),
        ("yes * 2 > 1", "yes * 2 is no calculation with numbers"),
        ("yes > 1", "True and 1 cannot be compared"),
        ("a and zero == 0", "a is 2, which is neither true nor false"),
        ("huge * huge > 1", "huge * huge is too large a number"),
        ("1 < whole / 0.1", "whole / 0.1 is too large a number"),
    ],
)
def test_a_calculation_without_a_result_is_not_known(text: str, trouble: str) -> None:
    """And says why, in the condition's own words."""
    facts: dict[str, Value] = {
        "a": 2,
        "zero": 0,
        "node": "al2023",
        "yes": True,
        "huge": 1e300,
        "whole": 10**400,
    }

    answer = truth(read_condition(text), facts)

    assert Truth(is_so=None, troubles=(trouble,)) == answer


def test_a_true_or_false_fact_is_no_number() -> None:
    """Python would say that true is 1; nobody who writes a fact means that."""
    assert truth(read_condition("a == 1"), {"a": True}).is_so is None
