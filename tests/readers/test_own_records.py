"""A record that is one value: whole, or damaged, or somebody else's file."""

import json

import msgspec
import pytest

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.core.records import SERVING, WAKE
from firstlight.readers.own_records import read_record


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    schema: str
    words: tuple[str, ...]


def read(data: bytes) -> Answer:
    return read_record(SERVING, Answer, "run/serving.json", data, what="answer")


def written(schema: str = SERVING.schema, **fields: object) -> bytes:
    return json.dumps({"schema": schema, **fields}).encode()


def test_the_value_is_read() -> None:
    """A field that is not known was added later, and is passed over."""
    assert Answer(schema=SERVING.schema, words=("a", "b")) == read(
        written(words=["a", "b"], more=1)
    )


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff", b'"\xff"', b"[" * 100_000, written(), written(words=7)],
    ids=["empty", "cut", "no text", "no letter", "deep", "a field less", "another kind"],
)
def test_damage_is_said_with_the_name_of_the_file(data: bytes) -> None:
    """A record is never half read."""
    with pytest.raises(BadInput, match=r"^run/serving\.json is damaged: "):
        read(data)


@pytest.mark.parametrize("data", [b"[]", b"7", b"{}", written(WAKE.schema, words=[])])
def test_another_file_is_no_record(data: bytes) -> None:
    """Whatever it is."""
    with pytest.raises(BadInput, match=r"^run/serving\.json is no answer of firstlight$"):
        read(data)


def test_a_newer_record_is_refused() -> None:
    """Also where its fields are others."""
    with pytest.raises(NewerRecord, match=r"run/serving\.json was written by a newer"):
        read(written("firstlight.serving/2"))
