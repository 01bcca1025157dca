"""A cache that nobody could take does not block its key: the next push brings a whole one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.caches.publishing import State
from firstlight.caches.signatures import UNSIGNED, key_id, public_of
from firstlight.core.errors import BadInput, FirstlightError
from firstlight.edges.object_store import ObjectStore
from tests.caching.small import FILES, PUBLIC, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)
ROTATED = bytes(range(1, 33))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """With one cache."""
    pushed(f"file://{tmp_path}/store", write(tmp_path / "root"))
    return tmp_path / "store"


def only(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def _gone(store: Path) -> None:
    only(store / "archives").unlink()


def _half(store: Path) -> None:
    file = only(store / "archives")
    file.write_bytes(file.read_bytes()[:100])


def _nonsense(store: Path) -> None:
    only(store / "manifests").write_bytes(b"{}")


def _unsigned(store: Path) -> None:
    """Somebody who may write and not sign was first, in the publisher's place."""
    other = f"{store}-2"
    pushed(f"file://{other}", store.parent / "root", private_keys=())
    only(store / "manifests").write_bytes(only(Path(other) / "manifests").read_bytes())


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_gone, "is not there"),
        (_half, "has 100 bytes, and "),
        (_nonsense, "is no signed manifest"),
        (_unsigned, "is not signed"),
    ],
)
def test_the_next_push_heals_it(
    store: Path, tmp_path: Path, spoil: Callable[[Path], None], why: str
) -> None:
    """And says what was wrong; the one after that finds it whole."""
    spoil(store)
    with pytest.raises(FirstlightError):
        pulled(f"file://{store}", tmp_path / "before" / "engine")

    healed = pushed(f"file://{store}", tmp_path / "root")
    again = pushed(f"file://{store}", tmp_path / "root")

    assert healed.manifest is not None
    assert why in (healed.found.wrong or "")
    assert (None, State.WHOLE) == (again.manifest, again.found.state)
    assert healed.manifest == pulled(f"file://{store}", tmp_path / "into" / "engine").manifest
    assert FILES == read(tmp_path / "into" / "engine")


def test_what_cannot_be_seen_from_outside_is_replaced_when_told(
    store: Path, tmp_path: Path
) -> None:
    """Bytes in the archive that are others, as many as there were."""
    file = only(store / "archives")
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    assert pushed(f"file://{store}", tmp_path / "root").manifest is None

    assert pushed(f"file://{store}", tmp_path / "root", replaces=True).manifest is not None

    pulled(f"file://{store}", tmp_path / "into" / "engine")
    assert FILES == read(tmp_path / "into" / "engine")


def test_a_better_folder_is_published_when_told(bucket: str, tmp_path: Path) -> None:
    """In a bucket; whoever pulled the first one gets the second."""
    pushed(bucket, write(tmp_path / "root", {"vllm/a": b"one"}))
    pulled(bucket, tmp_path / "into" / "engine")
    write(tmp_path / "root")

    with pytest.MonkeyPatch.context() as clock:
        clock.setattr("time.time", lambda: 4_000_000_000.0)
        assert pushed(bucket, tmp_path / "root", replaces=True).manifest is not None
    pulled(bucket, tmp_path / "into" / "engine")

    assert {**FILES, "vllm/a": b"one"} == read(tmp_path / "into" / "engine")


def test_a_bucket_heals_too(bucket: str, tmp_path: Path) -> None:
    """A rule deletes archives after thirty days."""
    first = pushed(bucket, write(tmp_path / "root"))
    assert first.manifest is not None
    store = ObjectStore(bucket)
    store.put(f"archives/{first.manifest.archive.name}", b"half")

    healed = pushed(bucket, tmp_path / "root")

    assert "has 4 bytes, and " in (healed.found.wrong or "")
    pulled(bucket, tmp_path / "into" / "engine")
    assert FILES == read(tmp_path / "into" / "engine")


def test_each_signer_has_a_place(bucket: str, tmp_path: Path) -> None:
    """Nobody is kept from publishing by another, nor by a key of their own that was changed."""
    root = write(tmp_path / "root")

    for keys in ((), (ROTATED,)):
        assert pushed(bucket, root, private_keys=keys).manifest is not None
    mine = pushed(bucket, root)

    assert mine.manifest is not None
    names = {one.path.split(".")[1] for one in ObjectStore(bucket).entries("manifests/")}
    assert {UNSIGNED, key_id(public_of(ROTATED)), key_id(PUBLIC)} == names
    assert key_id(PUBLIC) == pulled(bucket, tmp_path / "into" / "engine").signed_by


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"vllm/modelinfos/x.json": b"{}", "vllm/assets/a": b"a", "vllm/startup_plan/p": b"p"},
        {"vllm/gpu_p2p_access_cache_for_0.json": b"{}", "triton/x.lock": b""},
        {"bytecode/usr/lib/os.pyc": b"code"},
    ],
    ids=["empty", "notes", "more notes", "bytecode"],
)
def test_what_was_not_compiled_is_not_published(tmp_path: Path, files: dict[str, bytes]) -> None:
    """It would stand in the way of a better one."""
    (tmp_path / "root").mkdir()
    root = write(tmp_path / "root", files)

    with pytest.raises(BadInput, match="nothing in the caches was compiled") as refused:
        pushed(f"file://{tmp_path}/store", root)

    assert "start the engine once" in refused.value.remedy
    assert not list((tmp_path / "store").glob("manifests/*"))
    pushed(f"file://{tmp_path}/store", write(root))
