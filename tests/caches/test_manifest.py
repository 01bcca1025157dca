"""What is said of an archive, and what no manifest may say."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.caches.manifest import File, canonical, read_manifest
from firstlight.core.errors import BadInput
from tests.caches.made import FACTORS, digest, manifest, with_files

WHOLE = manifest("triton/b", "vllm/a", "vllm/c/d")


def test_what_was_written_is_read() -> None:
    """The same value, and the same bytes again."""
    assert WHOLE == read_manifest("m", canonical(WHOLE))
    assert 3 == WHOLE.unpacked_bytes
    assert f"sha256-{digest(b'archive')}.tar.zst" == WHOLE.archive.name


def wrong(**changes: Any) -> bytes:
    """The bytes of a manifest in which some fields are others."""
    said = json.loads(canonical(WHOLE)) | changes
    return msgspec.json.encode(said, order="sorted")


FILE = {
    "executable": False,
    "mtime_s": 0,
    "path": "vllm/a",
    "sha256": digest(b"x"),
    "size_bytes": 1,
}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no manifest"),
        (b"[]", "is no manifest"),
        (b"[" * 100_000, "is no manifest"),
        (canonical(WHOLE)[:-1], "is no manifest"),
        (canonical(WHOLE) + b" ", "its bytes are not those"),
        (b" " + canonical(WHOLE), "its bytes are not those"),
        (wrong(schema="firstlight.cache/2"), "firstlight.cache/1 is known here"),
        (wrong(more=1), "is no manifest"),
        (wrong(key="0" * 64), "not the one of its factors"),
        (wrong(made_unix_s=-1), "is no manifest"),
        (wrong(made_unix_s=2**53), "is no manifest"),
        (wrong(files=[]), "names no file, or one of no kind"),
        (wrong(files=[FILE | {"path": "evil.pth"}]), "one of no kind of cache"),
        (wrong(files=[FILE | {"path": "cuda/a"}]), "one of no kind of cache"),
        (wrong(files=[FILE, FILE]), "twice, or not in order"),
        (wrong(files=[FILE | {"path": "vllm/b"}, FILE]), "twice, or not in order"),
        (wrong(files=[FILE | {"path": "../a"}]), "goes elsewhere"),
        (
            wrong(files=[FILE | {"path": "a"}, FILE | {"path": "a-b"}, FILE | {"path": "a/c"}]),
            "as a file and as a folder",
        ),
        (wrong(files=[FILE | {"size_bytes": -1}]), "is no manifest"),
        (wrong(files=[FILE | {"size_bytes": 2**53}]), "more bytes than a cache has"),
        (wrong(files=[FILE | {"sha256": "A" * 64}]), "is no manifest"),
        (wrong(files=[FILE | {"mode": "04755"}]), "is no manifest"),
    ],
)
def test_what_no_manifest_says_is_refused(data: bytes, why: str) -> None:
    """In a sentence that names it."""
    with pytest.raises(BadInput, match=why):
        read_manifest("m", data)


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any of them is looked at."""
    monkeypatch.setattr("firstlight.caches.manifest.MOST_FILES", 2)

    with pytest.raises(BadInput, match="names 3 files"):
        read_manifest("m", canonical(WHOLE))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Never anything else."""
    with pytest.raises(BadInput):
        read_manifest("m", data)


@given(st.data())
def test_a_byte_that_is_another_is_another_manifest_or_none(data: st.DataObject) -> None:
    """There is one spelling of each manifest."""
    whole = canonical(with_files(WHOLE, File(path="vllm/a", size_bytes=1, sha256=digest(b"x"))))
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    changed = whole[:at] + bytes([byte]) + whole[at + 1 :]

    try:
        found = read_manifest("m", changed)
    except BadInput:
        return
    assert changed == canonical(found)
    assert found != WHOLE


def test_other_factors_are_another_key() -> None:
    """One cannot be passed off as the other."""
    other = manifest("vllm/a", factors=replace(FACTORS, machine="aarch64"))

    assert other.key != WHOLE.key
