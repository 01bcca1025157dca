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
