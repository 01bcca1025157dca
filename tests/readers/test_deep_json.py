"""Whatever JSON is read, brackets without end are damage or nothing, and no bug of ours."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.first_token import complaint, served_model
from firstlight.edges.stored_round import read_listing, read_round
from firstlight.experiment.ledger import read_ledger
from firstlight.experiment.serving import read_served
from firstlight.experiment.waking import read_woken
from firstlight.measure.pod.cordons import Signature
from firstlight.readers.bundle import read_bundle_notes
from firstlight.readers.measured import read_measured
from firstlight.report.saved_document import read_saved
from tests.edges.test_stored_round import written

DEEP = [
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"schema": "firstlight.serving/1", "x": ' + b"[" * 10**5,
]
_RECORDS: dict[str, Callable[[bytes], object]] = {
    "serving.json": lambda data: read_served("s", data),
    "wake.json": lambda data: read_woken("w", data),
    "ledger": lambda data: read_ledger("l", data + b"\n"),
}


@pytest.mark.parametrize("data", DEEP)
@pytest.mark.parametrize("name", _RECORDS)
def test_a_record_is_damaged(name: str, data: bytes) -> None:
    with pytest.raises(BadInput, match="is damaged"):
        _RECORDS[name](data)


@pytest.mark.parametrize("data", DEEP)
@pytest.mark.parametrize("name", ["round.json", "marks.json", "cache-before.json"])
def test_a_file_of_a_round_is_damaged(tmp_path: Path, name: str, data: bytes) -> None:
    folder = written(tmp_path)
    (folder / name).write_bytes(data)

    with pytest.raises(BadInput, match=f"{name} is damaged"):
        read_listing(folder, name) if name.startswith("cache") else read_round(folder)


@pytest.mark.parametrize("data", DEEP)
def test_what_may_be_another_file_is_one(data: bytes) -> None:
    """And what a server says is nothing that could be understood."""
    assert (None, None, None) == (read_measured(data), read_bundle_notes(data), served_model(data))
    assert read_saved("d", data) is None
    assert data[:20].decode() == complaint(data)[:20]
    assert "" == Signature.read(data.decode()).run


@pytest.mark.parametrize("data", [b"[" * 10**5, b"{"])
def test_a_document_that_is_not_whole_is_damaged(data: bytes) -> None:
    """It says what it is before it ends."""
    begun = json.dumps({"schema": "firstlight.explain/1"}).encode()[:-1] + b', "starts": ' + data

    with pytest.raises(BadInput, match="d is damaged: it is not whole"):
        read_saved("d", begun)
