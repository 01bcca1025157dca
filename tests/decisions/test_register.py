"""The register: made from cards, kept by people, read strictly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.decisions.facts import Fact, Standing
from firstlight.decisions.register import (
    Decision,
    Evidence,
    LookAgain,
    Register,
    Whose,
    from_deck,
    read_register,
)
from firstlight.decisions.register_text import register_text
from firstlight.techniques.card import Status
from tests.decisions.cards import deck

TECHNIQUES = ("disk", "retention", "streaming")

KEPT = """\
version: 1
decisions:
  - technique: disk
    status: excluded
    reason: ours are slow
    evidence:
      - {where: runs/disk, says: "300 s"}
    look_again: {when: disk_gbps > stream_gbps}
facts:
  disk_gbps: 5
"""


def read(text: str) -> Register:
    return read_register(text.encode(), artefact="decisions.yaml", techniques=TECHNIQUES, units={})


def test_the_first_register_is_what_the_cards_decided() -> None:
    """Each decision with its reason, sources and condition, and who says each."""
    disk, *_ = from_deck(deck()).decisions

    assert (
        Decision(
            technique="disk",
            status=Status.EXCLUDED,
            reason="slower than the stream",
            origin=Whose.REFERENCE_CASE,
            evidence=(Evidence(where="step one", origin=Whose.REFERENCE_CASE),),
            look_again=LookAgain(
                when="disk_gbps > stream_gbps", says="a disk is faster", origin=Whose.OURS
            ),
        )
        == disk
    )


def test_what_people_write_is_theirs() -> None:
    """Who says it need not be written where it is the keeper."""
    kept = read(KEPT)

    (disk,) = kept.decisions
    assert [Whose.HERE, Whose.HERE] == [disk.origin, disk.evidence[0].origin]
    assert [
        Fact(name="disk_gbps", value=5, source="decisions.yaml", standing=Standing.REGISTER)
    ] == [*kept.facts.values()]


def test_a_register_is_text_that_is_read_in_git() -> None:
    """One decision a paragraph, one field a line, and a head that says how it is used."""
    text = register_text(from_deck(deck()))
    head, _, body = text.partition("\nversion: 1\n")

    assert all(line.startswith("#") for line in head.splitlines())
    assert "firstlight decide THIS-FILE --check" in head
    assert """
decisions:
- technique: disk
  status: excluded
  reason: slower than the stream
  origin: reference-case
  evidence:
  - where: step one
    origin: reference-case
  look_again:
    when: disk_gbps > stream_gbps
    says: a disk is faster
    origin: ours

- technique: retention
""" == body[: body.index("  status: conditional")]


words = st.text(min_size=1, max_size=30).filter(str.strip)
registers = st.builds(
    lambda chosen, facts: Register(
        artefact="decisions.yaml",
        decisions=tuple(chosen),
        facts={
            name: Fact(name=name, value=value, source="decisions.yaml", standing=Standing.REGISTER)
            for name, value in facts.items()
        },
    ),
    st.lists(
        st.builds(
            Decision,
            technique=st.sampled_from(TECHNIQUES),
            status=st.sampled_from(Status),
            reason=words,
            origin=st.sampled_from(Whose),
            evidence=st.lists(
                st.builds(Evidence, where=words, says=words, origin=st.sampled_from(Whose)),
                max_size=2,
            ).map(tuple),
            look_again=st.builds(
                LookAgain, when=st.just("a > 1"), says=words, origin=st.sampled_from(Whose)
            ),
        ),
        unique_by=lambda decision: decision.technique,
        max_size=3,
    ),
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
        st.integers(-(10**9), 10**9) | st.booleans() | st.floats(-1e9, 1e9),
        max_size=3,
    ),
)


@given(registers)
def test_a_register_is_read_back_as_it_was_written(register: Register) -> None:
    """Whatever words stand in it, and whatever the facts are called."""
    text = register_text(register)
    again = read(text)

    assert register.decisions == again.decisions
    assert {n: f.value for n, f in register.facts.items()} == {
        n: f.value for n, f in again.facts.items()
    }
    assert text.partition("\nfacts:")[0] == register_text(again).partition("\nfacts:")[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("version: 1", "version: x"), "1: a register says its version, which is 1"),
        (("version: 1\n", ""), "1: a register says its version, which is 1"),
        (
            ("status: excluded", "status: excludd"),
            "4: decisions.0.status: invalid enum value 'excludd'",
        ),
        (
            ("    reason: ours are slow\n", ""),
            "3: decisions.0: it is missing required field reason",
        ),
        (
            ("reason: ours", "resaon: ours"),
            "5: decisions.0: it contains unknown field resaon",
        ),
        (("ours are slow", "[1]"), "5: decisions.0.reason: expected str, got array"),
        (("ours are slow", "' '"), "5: disk is decided without a reason"),
        (
            ("technique: disk", "technique: diks"),
            "3: no technique is called diks; did you mean disk?",
        ),
        (("technique: disk", "technique: xyz"), "3: no technique is called xyz"),
        (
            ("disk_gbps > stream_gbps", "disk_gbps >> 1"),
            "8: the condition 'disk_gbps >> 1' is wrong at column 1: this is not in the language",
        ),
        (("disk_gbps: 5", "disk_gbps: [5]"), "10: disk_gbps is no number, text, true or false"),
        (
            ("disk_gbps: 5", "Disk-GBps: 5"),
            "10: Disk-GBps is no name of a fact: small letters, digits and _",
        ),
        (("disk_gbps: 5", "5: 5"), "10: 5 is no name of a fact: small letters, digits and _"),
        (("version: 1", "---\nversion: 1\n---"), "4: a second document begins, and one is read"),
        ((KEPT, "- a\n"), "1: it holds no map of keys and values"),
    ],
)
def test_a_mistake_is_said_with_its_line(wrong: tuple[str, str], said: str) -> None:
    """One sentence, also years later and by somebody else."""
    text = KEPT.replace(*wrong)
    assert text != KEPT

    with pytest.raises(BadInput) as refused:
        read(text)

    assert f"decisions.yaml line {said}" == refused.value.message
    assert "compare with a new one: firstlight decide --new FILE" == refused.value.remedy


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("version: 1", "version: [1"), "is no register, line 2: did not find expected ',' or ']'"),
        (
            ("status: excluded", "status: excluded\n    status: recommended"),
            "is no register, line 5: status stands there a second time",
        ),
        (
            ("disk_gbps: 5", "disk_gbps: .inf"),
            "is no register, line 10: .inf is no number that JSON has",
        ),
        ((KEPT, ""), "is no register: it is empty"),
        ((KEPT, "[" * 5000), "is no register, line 1: exceeded maximum nesting depth"),
        ((KEPT, "a\x00b"), "is binary"),
    ],
)
def test_what_is_no_register_is_told_from_a_wrong_one(wrong: tuple[str, str], said: str) -> None:
    """With the line, wherever there is one."""
    with pytest.raises(BadInput) as refused:
        read(KEPT.replace(*wrong))

    assert f"decisions.yaml {said}" == refused.value.message


def test_a_date_in_a_register_is_a_text() -> None:
    """As in manifests: nothing here is a date, and a reason may be one."""
    (decision,) = read(KEPT.replace("ours are slow", "2026-01-02")).decisions

    assert "2026-01-02" == decision.reason


def test_a_technique_is_decided_once() -> None:
    """Of two decisions one would be read and the other not."""
    _, _, decision = KEPT.partition("decisions:\n")
    decision = decision.partition("facts:")[0]

    with pytest.raises(BadInput) as refused:
        read(KEPT.replace("facts:", f"{decision}facts:"))

    assert (
        "decisions.yaml line 9: disk is decided twice, first in decisions.yaml line 3"
        == refused.value.message
    )


def test_a_newer_register_is_refused() -> None:
    """Guessing at its fields would be worse."""
    with pytest.raises(NewerRecord, match=r"version 2 of its format, this one reads 1"):
        read(KEPT.replace("version: 1", "version: 2\nnew: true"))
