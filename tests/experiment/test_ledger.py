"""What was run can be read back, whatever cut it off."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.experiment.ledger import (
    ChangedEntry,
    Entry,
    PlanEntry,
    RoundEntry,
    StoppedEntry,
    line,
    read_ledger,
)

PLAN = PlanEntry(
    schema="firstlight.ledger/1", digest="d", name="é\n", substrate="process", began_ns=7
)
ROUND = RoundEntry(
    slot="warm/0/1",
    attempt=1,
    folder="rounds/a/round-01",
    outcome="failed",
    cause="it died\n, really",
    begun_ns=1,
    ended_ns=2,
)
AGAIN = msgspec.structs.replace(ROUND, attempt=2, folder="rounds/a/round-02")
LAST = msgspec.structs.replace(ROUND, attempt=3, folder="rounds/a/round-03")
STOPPED = StoppedEntry(slot="warm/0/1", why="it died", at_ns=3)
ENTRIES: list[Entry] = [PLAN, ROUND, AGAIN, STOPPED, LAST]
WHOLE = b"".join(map(line, ENTRIES))


def test_what_was_written_is_read() -> None:
    """Every entry in its order, and the reason why it stopped while it is the last."""
    found = read_ledger("l", b"".join(map(line, ENTRIES[:4])))

    assert found is not None
    assert (PLAN, tuple(ENTRIES[1:4]), STOPPED, False) == (
        found.plan,
        found.entries,
        found.stopped,
        found.torn,
    )


@given(st.integers(0, len(WHOLE)))
def test_a_ledger_cut_off_anywhere_has_its_whole_lines(at: int) -> None:
    """A kill leaves half a line at most, and that is known."""
    data = WHOLE[:at]
    whole = data.count(b"\n")

    found = read_ledger("l", data)

    if not whole:
        assert found is None
        return
    assert found is not None
    assert (whole - 1, not data.endswith(b"\n")) == (len(found.entries), found.torn)
    assert found.whole_bytes == data.rfind(b"\n") + 1


@given(st.integers(0, len(WHOLE) - 2), st.sampled_from([b"\x00", b"{", b"\xff", b'"']))
def test_damage_in_the_middle_is_never_passed_over(at: int, byte: bytes) -> None:
    """It is refused, or a value itself was changed and is read as that; no line is lost."""
    data = WHOLE[:at] + byte + WHOLE[at + 1 :]

    found = None
    with suppress(BadInput, NewerRecord):
        found = read_ledger("l", data)

    assert found is None or len(found.entries) == len(ENTRIES) - 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (line(ROUND), "line 1 is damaged"),
        (line(PLAN) + line(PLAN), "line 2 is damaged: a second plan begins"),
        (line(PLAN) + b"\n" + line(ROUND), "line 2 is damaged"),
        (b'{"schema": "firstlight.round/1"}\n', "does not say that it is a firstlight.ledger"),
        (line(PLAN) + b'{"entry": "round"}\n', "line 2 is damaged: it is no entry"),
        (b"[" * 100_000 + b"\n", "line 1 is damaged: it is no entry"),
        (line(PLAN) + b"[" * 100_000 + b"\n", "line 2 is damaged: it is no entry"),
    ],
)
def test_what_is_no_ledger_is_refused(data: bytes, words: str) -> None:
    """With the line."""
    with pytest.raises(BadInput, match=words):
        read_ledger("l", data)


def test_a_newer_ledger_is_refused() -> None:
    """Guessing at it would be worse."""
    with pytest.raises(NewerRecord):
        read_ledger("l", line(PLAN).replace(b"ledger/1", b"ledger/2"))


@pytest.mark.parametrize(
    "folder",
    [
        "",
        "rounds",
        "rounds/a/round-01\0",
        "rounds/a\0/round-01",
        "rounds/" + "a" * 5_000 + "/round-01",
        "/rounds/a/round-01",
        "/etc",
        "../rounds/a/round-01",
        "rounds/../round-01",
        "rounds/a/../../round-01",
        "rounds/a/round-01/..",
        "rounds/a/round-01/probe",
        "rounds/a/round-01\n",
    ],
)
def test_a_line_leads_to_a_round_of_this_run_and_nowhere_else(folder: str) -> None:
    """What lies elsewhere is not what was measured, and a name can be none at all."""
    entry = msgspec.structs.replace(ROUND, folder=folder)

    with pytest.raises(BadInput, match=r"line 2 is damaged: .* is no folder of a round") as error:
        read_ledger("l", line(PLAN) + line(entry))

    assert 400 > len(error.value.message)


@pytest.mark.parametrize(
    ("again", "words"),
    [
        (ROUND, "line 4 is damaged: try 1 of warm/0/1 stands there a second time"),
        (
            msgspec.structs.replace(ROUND, folder="rounds/a/round-07"),
            "line 4 is damaged: try 1 of warm/0/1 stands there a second time",
        ),
        (
            msgspec.structs.replace(ROUND, slot="warm/1/1"),
            "line 4 is damaged: the folder rounds/a/round-01 stands there a second time",
        ),
    ],
)
def test_a_round_counts_once(again: RoundEntry, words: str) -> None:
    """A line copied, or a folder given to two rounds, would make one start into two."""
    with pytest.raises(BadInput, match=words):
        read_ledger("l", line(PLAN) + line(ROUND) + line(AGAIN) + line(again))


def test_a_ledger_that_repeats_itself_is_refused_where_it_begins_to() -> None:
    """However long it is: nothing behind that line is looked at."""
    data = line(PLAN) + line(ROUND) * 100_000

    with pytest.raises(BadInput, match="line 3 is damaged"):
        read_ledger("l", data)


def test_a_ledger_of_an_earlier_version_has_no_home() -> None:
    """And is read all the same."""
    assert b'"home":null' in line(PLAN)

    found = read_ledger("l", line(PLAN).replace(b'"home":null,', b""))

    assert found is not None
    assert found.plan.home is None


def test_a_ledger_knows_the_label_of_a_round() -> None:
    """The folder between that of all rounds and its own."""
    assert "a" == ROUND.label


def test_what_a_changed_plan_put_aside_is_tried_from_the_first_again() -> None:
    """In a folder of its own; what still counts is not."""
    changed = ChangedEntry(
        digest="e", name="n", plan="plan-2.yaml", rounds=4, aside=(ROUND.folder,), at_ns=4
    )
    anew = msgspec.structs.replace(ROUND, folder="rounds/a/round-04")
    before: list[Entry] = [PLAN, ROUND, AGAIN, changed]

    found = read_ledger("l", b"".join(map(line, [*before, anew])))

    assert found is not None
    assert (AGAIN, anew) == found.rounds
    second = msgspec.structs.replace(anew, attempt=2)
    for again, words in ((ROUND, "the folder rounds/a/round-01"), (second, "try 2 of warm/0/1")):
        with pytest.raises(BadInput, match=f"line 5 is damaged: {words} stands there"):
            read_ledger("l", b"".join(map(line, [*before, again])))
