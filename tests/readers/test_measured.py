"""measured.json: what was seen beside a bundle; a damaged value is none."""

import json

import pytest

from firstlight.core.errors import NewerRecord
from firstlight.readers.measured import read_measured


def written(**fields: object) -> bytes:
    return json.dumps({"schema": "firstlight.measured/1", "pod": "vllm-0", **fields}).encode()


def test_what_was_seen_is_read() -> None:
    """The stopwatch is the difference of two sights of one clock."""
    measured = read_measured(
        written(scenario="cold", created_seen_ns=5, ready_seen_ns=25, first_token_ns=3, notes=["n"])
    )

    assert measured is not None
    assert ["cold", 20, 3, ("n",)] == [
        measured.scenario,
        measured.watched_ns,
        measured.first_token_ns,
        measured.notes,
    ]


def test_how_it_went_is_read() -> None:
    """In fields: nobody has to look into sentences for it."""
    told = {"outcome": "failed", "cut_off": True, "not_as_asked": "not warm: b", "node": "b"}
    measured = read_measured(written(anchor={"unix_ns": 7, "monotonic_ns": 1}, **told))

    assert measured is not None
    assert ("failed", True, "not warm: b", "b", 7) == (
        measured.outcome,
        measured.cut_off,
        measured.not_as_asked,
        measured.node,
        measured.began_ns,
    )


def test_a_record_of_before_says_less() -> None:
    """It was not cut off, as far as is known."""
    measured = read_measured(written(anchor=[7], cut_off="yes"))

    assert measured is not None
    assert (None, False, None) == (measured.outcome, measured.cut_off, measured.began_ns)


@pytest.mark.parametrize("value", [-5, 10**30, "7", 1.5, True, None, [], {}])
def test_a_value_that_is_no_length_is_none(value: object) -> None:
    """A token before Ready, or one of 10**21 seconds, would be a wrong number."""
    measured = read_measured(written(first_token_ns=value, created_seen_ns=value))

    assert measured is not None
    assert [None, None] == [measured.first_token_ns, measured.created_seen_ns]


def test_a_watch_that_ran_backwards_measured_nothing() -> None:
    """Its clock was put back in between."""
    measured = read_measured(written(created_seen_ns=25, ready_seen_ns=5))

    assert measured is not None
    assert measured.watched_ns is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"schema": "other/1"}', b"\xff"])
def test_another_file_of_that_name_is_none(data: bytes) -> None:
    """It may hold anything."""
    assert read_measured(data) is None


def test_a_newer_record_is_refused() -> None:
    """Half of it would be worse than none."""
    with pytest.raises(NewerRecord):
        read_measured(b'{"schema": "firstlight.measured/2"}')
