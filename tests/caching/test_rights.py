"""Nobody needs more rights on the store than for what they do there."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstlight.caches.layout import Place
from firstlight.caches.publishing import State
from firstlight.caches.signatures import key_id
from firstlight.core.errors import OutsideFailed
from firstlight.edges.object_store import ObjectStore
from tests.caching.rights import BOTH, BUCKET, NAMED, READS, WRITES, Guarded, guarded
from tests.caching.small import FILES, PUBLIC, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def store() -> Iterator[Guarded]:
    """With an identity for each."""
    with guarded(WRITES, READS, NAMED, BOTH) as found:
        yield found


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A prefix of its own."""
    return f"s3://{BUCKET}/{tmp_path.name}"


class Acting:
    """Whoever asks from now on."""

    def __init__(self, store: Guarded, patched: pytest.MonkeyPatch) -> None:
        self._store, self._patched = store, patched

    def __call__(self, rights: tuple[str, ...]) -> None:
        for name, value in self._store.acting_with(rights).items():
            self._patched.setenv(name, value)


@pytest.fixture
def acting_with(store: Guarded, monkeypatch: pytest.MonkeyPatch) -> Acting:
    """Be somebody."""
    return Acting(store, monkeypatch)


def test_who_may_only_write_publishes_once(acting_with: Acting, url: str, tmp_path: Path) -> None:
    """The archive in parts; whether a cache is there already is decided by the last write."""
    files = {**FILES, "vllm/large": os.urandom(20_000_000)}
    root = write(tmp_path / "root", files)
    acting_with(WRITES)

    first, second = pushed(url, root), pushed(url, root)

    assert first.manifest is not None
    assert (None, State.HIDDEN) == (second.manifest, second.found.state)
    acting_with(READS)
    taken = pulled(url, tmp_path / "into" / "engine")
    assert first.manifest == taken.manifest
    assert files == read(tmp_path / "into" / "engine")


def test_who_may_only_read_takes_and_publishes_nothing(
    acting_with: Acting, url: str, tmp_path: Path
) -> None:
    """What is there already stays, and is said to; what is not is refused."""
    root = write(tmp_path / "root")
    acting_with(WRITES)
    pushed(url, root)
    acting_with(READS)

    assert pushed(url, root).manifest is None
    with pytest.raises(OutsideFailed, match="conditional-put cannot be written") as refused:
        pushed(f"{url}-2", root)
    assert "s3:PutObject" in refused.value.remedy
    assert not pulled(url, tmp_path / "into" / "engine").there_already


def test_who_may_only_write_replaces_when_told(
    acting_with: Acting, url: str, tmp_path: Path
) -> None:
    """What nobody may look at cannot be found wrong."""
    acting_with(WRITES)
    first = pushed(url, write(tmp_path / "root", {"vllm/a": b"one"}))
    write(tmp_path / "root")

    second = pushed(url, tmp_path / "root", replaces=True)

    acting_with(READS)
    assert first.manifest is not None
    assert second.manifest == pulled(url, tmp_path / "into" / "engine").manifest


def test_who_may_write_and_read_finds_what_is_wrong(
    acting_with: Acting, url: str, tmp_path: Path
) -> None:
    """Without a right to list, whether the store says that it is gone or that nobody may look."""
    root = write(tmp_path / "root")
    acting_with(BOTH)
    first = pushed(url, root)
    assert first.manifest is not None
    assert State.WHOLE is pushed(url, root).found.state
    # Another store, to which only the manifest came.
    place = Place(key=first.key, signer=key_id(PUBLIC)).path
    manifest = ObjectStore(url).read(place, at_most=9999)
    assert manifest is not None
    ObjectStore(f"{url}-2").put(place, manifest)

    healed = pushed(f"{url}-2", root)

    assert State.WRONG is healed.found.state
    acting_with(READS)
    assert healed.manifest == pulled(f"{url}-2", tmp_path / "into" / "engine").manifest


@pytest.mark.parametrize("rights", [NAMED, WRITES], ids=["not to list", "only to write"])
def test_who_may_not_list_is_told(
    acting_with: Acting, url: str, tmp_path: Path, rights: tuple[str, ...]
) -> None:
    """Which right it is, in one sentence."""
    acting_with(rights)

    with pytest.raises(OutsideFailed, match="manifests/ cannot be listed: AccessDenied") as refused:
        pulled(url, tmp_path / "into" / "engine")

    assert "s3:ListBucket" in refused.value.remedy
    assert "\n" not in refused.value.message + refused.value.remedy
