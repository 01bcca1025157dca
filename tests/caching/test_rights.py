"""Nobody needs more rights on the store than for what they do there."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstlight.core.errors import OutsideFailed
from tests.caching.rights import BUCKET, NAMED, READS, WRITES, Guarded, guarded
from tests.caching.small import FILES, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def store() -> Iterator[Guarded]:
    """With an identity for each."""
    with guarded(WRITES, READS, NAMED) as found:
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
    assert second.manifest is None
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
