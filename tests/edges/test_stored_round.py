import json
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.core.marks import MarkKind
from firstlight.edges.stored_round import read_listing, read_round

_ROUND: dict[str, Any] = {
    "schema": "firstlight.round/1",
    "label": "plain",
    "index": 3,
    "command": ["vllm", "serve", "m"],
    "anchor": {"unix_ns": 1_000, "monotonic_ns": 10},
    "probe": False,
    "outcome": "ready",
    "exit_code": None,
    "ready_ns": 5,
    "first_token_ns": None,
    "fingerprint": {"host": {}},
}
_MARK: dict[str, Any] = {"kind": "health_200", "at_ns": 7, "resolution_ns": 2, "words": "yes"}


def written(folder: Path, *, marks: object = None, **changed: object) -> Path:
    (folder / "round.json").write_text(json.dumps({**_ROUND, **changed}))
    if marks is not None:
        (folder / "marks.json").write_text(
            json.dumps({"schema": "firstlight.marks/1", "marks": marks})
        )
    return folder


def test_a_round_is_read_back_as_it_was_recorded(tmp_path: Path) -> None:
    """The fields that every reader of the format may rely on."""
    found = read_round(written(tmp_path, marks=[_MARK]))

    assert (found.label, found.index, found.command) == ("plain", 3, ("vllm", "serve", "m"))
    assert (found.anchor_unix_ns, found.anchor_monotonic_ns) == (1_000, 10)
    assert (found.outcome, found.ready_ns, found.first_token_ns) == ("ready", 5, None)
    assert found.first_token_problem is None, "an older version did not say"
    (mark,) = found.marks
    assert (mark.kind, mark.at_ns, mark.resolution_ns) == (MarkKind.HEALTH_200, 7, 2)
    assert mark.evidence.text == "yes"


def test_a_round_that_never_had_a_process_has_no_marks(tmp_path: Path) -> None:
    """A command that does not exist is recorded too."""
    found = read_round(written(tmp_path, problem={"message": "no such", "remedy": "check"}))

    assert (found.marks, found.problem, found.remedy) == ((), "no such", "check")


def test_the_files_of_the_probe_are_found(tmp_path: Path) -> None:
    """One for each process; none where the probe was off."""
    before = read_round(written(tmp_path)).probe_files
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "12-34.jsonl").touch()

    assert (before, read_round(tmp_path).probe_files) == (
        (),
        (tmp_path / "probe" / "12-34.jsonl",),
    )


def test_a_record_of_a_newer_firstlight_is_refused(tmp_path: Path) -> None:
    """Guessing at its fields would be worse than not reading it."""
    with pytest.raises(NewerRecord, match="newer firstlight") as caught:
        read_round(written(tmp_path, schema="firstlight.round/2"))

    assert caught.value.remedy == "upgrade firstlight"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"schema": "something else"}, "does not say that it is a firstlight.round"),
        ({"schema": None}, "does not say that it is a firstlight.round"),
        ({"label": None}, "it has no label"),
        ({"index": "3"}, "its index is not a whole number"),
        ({"ready_ns": True}, "its ready_ns is not a whole number"),
        ({"ready_ns": 1.5}, "its ready_ns is not a whole number"),
        ({"command": "vllm"}, "its command is not a list"),
        ({"command": [1]}, "its command are not all texts"),
        ({"anchor": {}}, "it has no unix_ns"),
        ({"marks": [1]}, "its marks are not all objects"),
        ({"marks": [{**_MARK, "kind": "new_moon"}]}, "a mark of the unknown kind 'new_moon'"),
    ],
)
def test_damage_is_named_with_the_file(tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    """A record is never half read."""
    with pytest.raises(BadInput, match=words) as caught:
        read_round(written(tmp_path, **changed))

    assert str(tmp_path) in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_no_record_at_all_is_damage_too(tmp_path: Path, content: bytes) -> None:
    """Half a file, an empty one, another kind of file."""
    (tmp_path / "round.json").write_bytes(content)

    with pytest.raises(BadInput, match="is damaged"):
        read_round(tmp_path)


def test_an_unfinished_round_is_told_from_no_round(tmp_path: Path) -> None:
    """Its log can still be read."""
    with pytest.raises(BadInput, match="cannot be read"):
        read_round(tmp_path)

    (tmp_path / "engine.log").touch()
    with pytest.raises(BadInput, match="not finished"):
        read_round(tmp_path)


def test_a_listing_is_read_back(tmp_path: Path) -> None:
    """With what it says about itself."""
    file = {"path": "a/b", "bytes": 1, "mtime_ns": 2}
    root = {"root": "/c", "exists": True, "complete": False, "files": [file]}
    (tmp_path / "cache-after.json").write_text(
        json.dumps({"schema": "firstlight.listing/1", "roots": [root]})
    )

    (found,) = read_listing(tmp_path, "cache-after.json")

    assert (found.root, found.exists, found.complete) == ("/c", True, False)
    assert [(f.path, f.bytes, f.mtime_ns) for f in found.files] == [("a/b", 1, 2)]
