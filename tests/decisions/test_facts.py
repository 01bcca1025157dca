"""Facts as people write them, on the command line and in files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.decisions import facts as decided
from firstlight.decisions.fact_units import nonsense
from firstlight.decisions.facts import Fact, Standing, unused
from firstlight.decisions.meanings import read_meanings, units_of
from firstlight.decisions.truth import Value
from firstlight.edges.package_data import fact_meanings
from tests.decisions.cards import facts

MEANINGS = read_meanings(fact_meanings(), artefact="facts.yaml")
UNITS = units_of(MEANINGS)


def read_assignment(text: str) -> Fact:
    return decided.read_assignment(text, units=UNITS)


def read_facts(data: bytes, artefact: str) -> dict[str, Fact]:
    return decided.read_facts(data, artefact=artefact, units=UNITS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=20", 20),
        ("a = 1e3", 1000.0),
        ("a=-0.5", -0.5),
        ("a=true", True),
        ("a=bottlerocket", "bottlerocket"),
    ],
)
def test_an_assignment_is_a_fact(text: str, value: Value) -> None:
    """A number where it reads as one, else true or false, else a text."""
    fact = Fact(name="a", value=value, source="--set", standing=Standing.COMMAND_LINE)

    assert (fact, type(value)) == (read_assignment(text), type(read_assignment(text).value))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "=3",
        "a=",
        "A=3",
        "a b=3",
        "a=nan",
        "a=inf",
        "a=1e999",
        "a=0x10",
        "a=20=3",
        "a=1_000",
        "a=20 GB",
    ],
)
def test_what_is_no_fact_is_refused(text: str) -> None:
    """With what it should look like."""
    with pytest.raises(BadInput) as refused:
        read_assignment(text)

    assert refused.value.remedy


@given(st.text(max_size=20))
def test_any_text_is_a_fact_or_refused(text: str) -> None:
    """In a sentence either way."""
    try:
        name = read_assignment(text).name
    except BadInput:
        return
    assert text.strip().startswith(name)


def test_a_file_of_facts_says_where_each_is_from() -> None:
    """A number alone is the file's; one that is not known yet is none."""
    text = "a: 5\nb: {value: 2.5e3, source: iperf}\nc:\nd: {value: null}\ne: true\nf: 1e3\n"

    known = read_facts(text.encode(), "facts.yaml")

    assert [
        "5 (facts.yaml)",
        "2500 (facts.yaml: iperf)",
        "true (facts.yaml)",
        "1000 (facts.yaml)",
    ] == [fact.said for fact in known.values()]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: [2]\n", " line 2: b is no number, text, true or false"),
        ("a: {valeu: 1}\n", " line 1: a is no number, text, true or false"),
        ("5: 1\n", " line 1: 5 is no name of a fact: small letters, digits and _"),
        ("- a: 1\n", " line 1: it holds no map of keys and values"),
        ("a: 1\n---\na: 2\n", " line 3: a second document begins, and one is read"),
        ("# none yet\n", " is no file of facts: it is empty"),
        ("a: 1\na: 2\n", " is no file of facts, line 2: a stands there a second time"),
        (
            "a: 1\nebs_gbps: 20Gbps\n",
            " line 2: ebs_gbps cannot be 20Gbps: it is a number from 0 on, without its unit (Gbps)",
        ),
        (
            "hit_rate: 60\n",
            (
                " line 1: hit_rate cannot be 60: it is a share from 0 to 1; per cent are "
                "divided by 100"
            ),
        ),
        (
            f"a: {'9' * 400}\n",
            (
                " line 1: a cannot be "
                f"{'9' * 40}...: it is a text, and no number that one can calculate with"
            ),
        ),
        (
            "a: '5'\n",
            " line 1: a cannot be 5: it is a text, and no number that one can calculate with",
        ),
        ("a: .nan\n", " is no file of facts, line 1: .nan is no number that JSON has"),
    ],
)
def test_a_mistake_in_a_file_of_facts_is_said_with_its_line(text: str, said: str) -> None:
    """One sentence."""
    with pytest.raises(BadInput) as refused:
        read_facts(text.encode(), "facts.yaml")

    assert f"facts.yaml{said}" == refused.value.message


def test_a_fact_that_nobody_asks_for_is_said() -> None:
    """It is mostly a name that was mistyped."""
    given_facts = facts(Standing.FILE, {"ebs_gpbs": 1, "colour": "blue", "ebs_gbps": 2})

    assert [
        "file: no condition asks for ebs_gpbs; did you mean ebs_gbps?",
        "file: no condition asks for colour",
    ] == list(unused(given_facts.values(), ["ebs_gbps", "stream_gbps"]).values())


@pytest.mark.parametrize(
    "text",
    [
        "ebs_gbps=20Gbps",
        "ebs_gbps=-5",
        "ebs_gbps=0x10",
        "ebs_gbps=20=3",
        "ebs_gbps=true",
        "hit_rate=60",
        "hit_rate=-0.1",
        "image_has_bytecode=0.5",
        "image_has_bytecode=yes",
        "largest_batch=3.5",
        "vllm_minor=0.26.0",
        "total_s=-1",
        "penalty_per_s=-1",
        f"ebs_gbps={'9' * 400}",
    ],
)
def test_what_a_fact_cannot_be_is_refused(text: str) -> None:
    """By its unit: a decision must not flip by a number that nobody meant."""
    units = {**UNITS, "total_s": "s"}
    with pytest.raises(BadInput) as refused:
        decided.read_assignment(text, units=units)

    assert f"{text.partition('=')[0]} cannot be " in refused.value.message
    assert refused.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        *("ebs_gbps=20", "ebs_gbps=0", "hit_rate=0", "hit_rate=1", "hit_rate=.5"),
        *("image_has_bytecode=1", "largest_batch=256", "vllm_minor=26", "fork_saved_s=-3.5"),
        "node_system=bottlerocket",
    ],
)
def test_what_a_fact_can_be_is_taken(text: str) -> None:
    """The ends of a range, a difference below nothing, and a text of a fact of one's own."""
    assert text.partition("=")[0] == read_assignment(text).name


def test_the_table_of_facts_keeps_to_its_own_units() -> None:
    """Each value in it, whatever its unit."""
    known = {name: m.value for name, m in MEANINGS.items() if m.value is not None}

    assert known
    assert {} == {
        name: why for name, value in known.items() if (why := nonsense(name, value, UNITS))
    }
