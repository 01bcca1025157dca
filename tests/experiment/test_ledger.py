"""What was run can be read back, whatever cut it off."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.experiment.ledger import (
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
STOPPED = StoppedEntry(slot="warm/0/1", why="it died", at_ns=3)
ENTRIES: list[Entry] = [PLAN, ROUND, ROUND, STOPPED, ROUND]
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
