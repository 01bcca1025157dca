"""The language of conditions: what it takes, and where it points at what it does not take."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.decisions.condition import names, read_condition
from firstlight.decisions.spelled import explained, spelled


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("ebs_gbps > stream_gbps", ("ebs_gbps", "stream_gbps")),
        (
            "hit_rate * node_saved_s >= 3 / penalty_per_s",
            ("hit_rate", "node_saved_s", "penalty_per_s"),
        ),
        ("0 < hit_rate < 1", ("hit_rate",)),
        ("not (a > 1 or b == 2) and -c != 1.5e3", ("a", "b", "c")),
        ('node_class == "bottlerocket"', ("node_class",)),
        ("node_class != 'and or not'", ("node_class",)),
        ("nvme and not raid", ("nvme", "raid")),
        ("a > 1\n  and b > 2\n", ("a", "b")),
        ("b > a and a > b", ("b", "a")),
        ("vllm_minor >= 33", ("vllm_minor",)),
    ],
)
def test_a_condition_says_which_facts_it_asks_for(text: str, asked: tuple[str, ...]) -> None:
    """Each once, in the order it names them; the language's own words and texts are none."""
    assert asked == names(read_condition(text))


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("a > 3 # because", 7, "# does not belong there"),
        ("a[0] > 1", 2, "[ does not belong there"),
        ("a.b > 1", 2, ". does not belong there"),
        ("open('x') > 1", 1, "this is not in the language"),
        ("a if b else c", 1, "this is not in the language"),
        ("a ** 2 > 1", 1, "this is not in the language"),
        ("a // 2 > 1", 1, "this is not in the language"),
        ("a > 1 and a is b", 16, "this is not in the language"),
        ("a in b", 6, "this is not in the language"),
        ("a := 3", 3, ": does not belong there"),
        ("a, b", 2, ", does not belong there"),
        ("a > 0x10", 6, "x does not belong there"),
        ("a > 1_000", 6, "_ does not belong there"),
        ("Ebs > 1", 1, "E does not belong there"),
        ("ä > 1", 1, "ä does not belong there"),
        ("f'x' == a", 2, "' does not belong there"),
        ("a & b", 3, "& does not belong there"),
        ("a > ", 3, "it cannot be read"),
        ("(a > 1", 1, "it cannot be read"),
        ("a > 01", 5, "it cannot be read"),
        ("a > 1e400", 5, "one cannot calculate with so large a number"),
        ("a * -1e999 > 1", 6, "one cannot calculate with so large a number"),
        ("3", 1, "it compares nothing"),
        ("a + 1", 1, "it compares nothing"),
        ("'a'", 1, "it compares nothing"),
        ("a and 3", 7, "and, or join comparisons"),
        ("not 3", 5, "not stands before a comparison"),
        ("-(a > b) > 1", 3, "only a number has a sign"),
        ("(a > b) + 1 > 2", 2, "only numbers are calculated with"),
        ("'a' < b", 1, "only numbers are less or more, texts == or !="),
        ("1 < (a < b)", 6, "only numbers are less or more, texts == or !="),
        ("c == (a < b)", 7, "a comparison is not compared again"),
    ],
)
def test_anything_else_is_refused_with_its_column(text: str, column: int, why: str) -> None:
    """One sentence that points at the place, and one that says what there is."""
    with pytest.raises(BadInput) as refused:
        read_condition(text)

    quoted = " ".join(text.split())
    assert f"the condition {quoted!r} is wrong at column {column}: {why}" == refused.value.message
    assert refused.value.remedy.startswith("a condition is made of facts, numbers")


def test_a_number_of_four_hundred_digits_is_refused() -> None:
    """A whole one has no infinity that would give it away."""
    with pytest.raises(BadInput, match="at column 5: one cannot calculate with so large a number"):
        read_condition(f"a > {'9' * 400}")


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_condition_is_refused(text: str) -> None:
    """A decision without one would never be looked at again."""
    with pytest.raises(BadInput, match="the condition is empty"):
        read_condition(text)


@pytest.mark.parametrize(
    "text",
    [
        "not " * 100 + "a",
        "-" * 300 + "a > 1",
        "(" * 240 + "a" + ")" * 240,
        "a + " * 120 + "a > 1",
        "a > " * 200 + "a",
    ],
)
def test_a_condition_that_nobody_can_read_is_refused(text: str) -> None:
    """Too long or too deep: in a sentence, not by running out of something."""
    with pytest.raises(BadInput, match="the condition"):
        read_condition(text)


@given(st.text(alphabet="ab1.e<>=!+-*/()'\" andort\n#[]:", max_size=40) | st.text(max_size=30))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    """Whatever stands there is a condition, or is refused in a sentence."""
    with suppress(BadInput):
        assert " ".join(text.split()) == read_condition(text).text


def test_a_condition_is_shown_with_its_numbers() -> None:
    """Names stay, texts stay, and what is missing is said."""
    condition = read_condition('a > b * 2 and c == "a b" or d and e > 1')
    told = explained(condition, {"a": "20", "b": "13.6", "c": '"a b"', "d": "true"})

    assert 'a 20 > b 13.6 * 2 and c "a b" == "a b" or d true and e (not known) > 1' == told


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (8_900_000_000, "8900000000"),
        (8.9e9, "8900000000"),
        (0.25, "0.25"),
        (13.6000001, "13.6"),
        (-3, "-3"),
        (5.0, "5"),
        (True, "true"),
        ("a b", '"a b"'),
    ],
)
def test_a_value_is_spelled_as_people_write_it(value: float | str, expected: str) -> None:
    """No powers of ten, and no digits that mean nothing."""
    assert expected == spelled(value)
