"""What anybody may put beside a good cache keeps nobody from it."""

import threading
from pathlib import Path

import pytest

from firstlight.caches.layout import MANIFESTS
from firstlight.caches.signatures import key_id
from firstlight.core.errors import OutsideFailed
from firstlight.edges.object_store import ObjectStore
from firstlight.wiring.caching import store as reading
from firstlight.wiring.caching.store import listed
from tests.caching.small import FILES, PUBLIC, pulled, pushed, read, write

KEY = "0" * 64


def published(tmp_path: Path) -> tuple[str, Path]:
    """A folder with one cache, and where its manifests lie."""
    url = f"file://{tmp_path}/store"
    pushed(url, write(tmp_path / "root"))
    return url, tmp_path / "store" / MANIFESTS


def test_one_that_cannot_be_read_keeps_nobody(tmp_path: Path) -> None:
    """A folder in its place, a file that is no manifest: of a signer who is believed."""
    url, manifests = published(tmp_path)
    (manifests / f"{KEY}.{key_id(PUBLIC)}.json").write_bytes(b"{")
    (manifests / f"{'1' * 64}.{key_id(PUBLIC)}.json").symlink_to(manifests / "nowhere")

    assert pulled(url, tmp_path / "into" / "engine").manifest
    assert FILES == read(tmp_path / "into" / "engine")


class Hangs(ObjectStore):
    """A store that answers for all but one object, until it is let go."""

    def __init__(self, url: str, path: str) -> None:
        super().__init__(url)
        self.path = path
        self.let_go = threading.Event()

    def read(self, path: str, *, at_most: int) -> bytes | None:
        if path == self.path:
            self.let_go.wait(20)
        return super().read(path, at_most=at_most)


def test_one_that_never_comes_is_left_out(tmp_path: Path) -> None:
    """What has come by then is enough."""
    url, manifests = published(tmp_path)
    name = f"{KEY}.{key_id(PUBLIC)}.json"
    (manifests / name).touch()
    store = Hangs(url, f"{MANIFESTS}{name}")

    found = list(listed(store, [PUBLIC], within_s=0.5))

    store.let_go.set()
    assert f"{MANIFESTS}{name} did not come in time" == found[0].refused
    assert [False, True] == [one.manifest is not None for one in found]


def test_one_that_comes_late_is_waited_for_no_longer_than_that(tmp_path: Path) -> None:
    """Others that lie behind it in the listing were read meanwhile."""
    url, manifests = published(tmp_path)
    name = f"{'f' * 64}.{key_id(PUBLIC)}.json"
    (manifests / name).touch()
    store = Hangs(url, f"{MANIFESTS}{name}")

    found = list(listed(store, [PUBLIC], within_s=0.5))

    store.let_go.set()
    assert [True, False] == [one.manifest is not None for one in found]


def test_a_strangers_is_not_read(tmp_path: Path) -> None:
    """Its name says whose it is, and that is said."""
    url, manifests = published(tmp_path)
    stranger, unsigned = f"{KEY}.{'f' * 16}.json", f"{KEY}.unsigned.json"
    for name in (stranger, unsigned):
        (manifests / name).touch()
    store = Hangs(url, f"{MANIFESTS}{stranger}")

    found = {one.path: str(one.refused) for one in listed(store, [PUBLIC])}

    assert "is not signed by anybody who is trusted here" in found[f"{MANIFESTS}{stranger}"]
    assert found[f"{MANIFESTS}{unsigned}"].endswith("is not signed")


def test_too_many_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may write could list for ever."""
    url, manifests = published(tmp_path)
    monkeypatch.setattr(reading, "_MOST", 3)
    for number in range(4):
        (manifests / f"{number}.{'f' * 16}.json").touch()

    with pytest.raises(OutsideFailed, match="has 4 manifests and more"):
        list(listed(ObjectStore(url), [PUBLIC]))
