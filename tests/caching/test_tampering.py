"""Whoever can write to the store, and cannot sign, changes nothing that anybody takes."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from firstlight.core.errors import BadInput, FirstlightError
from tests.caches.made import FACTORS
from tests.caching.small import pulled, pushed, read, write

pytestmark = pytest.mark.timeout(300)
SMALL = {"vllm/a/model": b"graph", "vllm/b": b"x" * 300}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """With one cache."""
    pushed(f"file://{tmp_path}/store", write(tmp_path / "root", SMALL))
    return tmp_path / "store"


def only(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def flips(size: int, stride: int) -> Iterator[tuple[int, int]]:
    """Every byte, each with one bit of it."""
    for at in range(0, size, stride):
        yield at, 1 << (at % 8)


@pytest.mark.parametrize("stride", [13, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("part", ["manifests", "archives"])
def test_a_byte_that_was_changed_is_seen(store: Path, part: str, stride: int) -> None:
    """Wherever it is; what is taken is what was published, or nothing."""
    file = only(store / part)
    whole = file.read_bytes()
    taken = 0
    for at, bit in flips(len(whole), stride):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        into = store.parent / f"{part}-{at}" / "engine"
        try:
            pulled(f"file://{store}", into)
        except FirstlightError:
            assert not into.exists()
        else:
            # A signature in base64 has bits at its end that mean nothing.
            assert part == "manifests"
            assert SMALL == read(into)
            taken += 1

    assert taken <= 1


@pytest.mark.parametrize("part", ["manifests", "archives"])
def test_what_was_cut_is_seen(store: Path, part: str) -> None:
    """At any length."""
    file = only(store / part)
    whole = file.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(FirstlightError):
            pulled(f"file://{store}", store.parent / "into" / "engine")
    assert not (store.parent / "into" / "engine").exists()


def test_what_was_put_behind_an_archive_is_not_read(store: Path, tmp_path: Path) -> None:
    """The manifest says where it ends."""
    file = only(store / "archives")
    file.write_bytes(file.read_bytes() * 2)

    pulled(f"file://{store}", tmp_path / "into" / "engine")

    assert SMALL == read(tmp_path / "into" / "engine")


def test_a_manifest_in_anothers_place_is_refused(store: Path, tmp_path: Path) -> None:
    """It is signed, and of another engine."""
    other = replace(FACTORS, model="/models/other")
    pushed(f"file://{tmp_path}/second", write(tmp_path / "root2", {"vllm/a": b"2"}), factors=other)
    place = only(store / "manifests")
    shutil.copy(only(tmp_path / "second" / "manifests"), place)
    shutil.copytree(tmp_path / "second" / "archives", store / "archives", dirs_exist_ok=True)

    with pytest.raises(BadInput, match="the manifest of another key"):
        pulled(f"file://{store}", tmp_path / "into" / "engine")


@pytest.mark.parametrize("name", ["0123456789abcdef", "unsigned"])
def test_a_manifest_in_another_signers_place_is_refused(
    store: Path, tmp_path: Path, name: str
) -> None:
    """It is of the right key, and by somebody who is believed."""
    place = only(store / "manifests")
    key, _, _ = place.name.split(".")
    place.rename(place.with_name(f"{key}.{name}.json"))

    with pytest.raises(BadInput, match="is not signed"):
        pulled(f"file://{store}", tmp_path / "into" / "engine")


def test_what_others_put_beside_it_changes_nothing(store: Path, tmp_path: Path) -> None:
    """Under a name of their own, of the old form, or of no form at all."""
    place = only(store / "manifests")
    key, _, _ = place.name.split(".")
    shutil.copy(place, place.with_name(f"{key}.json"))
    for name in (f"{key}.unsigned.json", f"{key}.0123456789abcdef.json", "x.json", "x"):
        place.with_name(name).write_bytes(b"{}")

    pulled(f"file://{store}", tmp_path / "into" / "engine")

    assert SMALL == read(tmp_path / "into" / "engine")


def test_an_archive_in_anothers_place_is_refused(store: Path, tmp_path: Path) -> None:
    """The manifest says the digest of its own."""
    other = replace(FACTORS, model="/models/other")
    pushed(f"file://{tmp_path}/second", write(tmp_path / "root2", {"vllm/a": b"2"}), factors=other)
    shutil.copy(only(tmp_path / "second" / "archives"), only(store / "archives"))

    with pytest.raises(FirstlightError):
        pulled(f"file://{store}", tmp_path / "into" / "engine")


def test_an_older_pair_is_not_taken_where_a_newer_was(store: Path, tmp_path: Path) -> None:
    """Both are signed, of one key; the one that is here already says when it was made."""
    into = tmp_path / "into" / "engine"
    old = tmp_path / "old"
    shutil.copytree(store, old)
    shutil.rmtree(store)
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr("time.time", lambda: 4_000_000_000.0)
        pushed(f"file://{store}", write(tmp_path / "root3", {"vllm/a": b"new"}))
    pulled(f"file://{store}", into)

    with pytest.raises(BadInput, match="an older cache"):
        pulled(f"file://{old}", into)

    assert {"vllm/a": b"new"} == read(into)
