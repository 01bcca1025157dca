"""Archive first, manifest last, and one winner."""

import pytest

from firstlight.caches.layout import archive_path, key_of, manifest_path
from firstlight.caches.manifest import Manifest
from firstlight.caches.publishing import Published, publish
from firstlight.caches.signatures import opened
from firstlight.core.errors import OutsideFailed
from tests.caches.made import manifest

WHOLE = manifest("vllm/a")


class Shelf:
    """A store that can stop after so many writes, as whoever is killed does."""

    def __init__(self, *, writes: int = 99) -> None:
        self.objects: dict[str, bytes] = {}
        self.left = writes

    def require_put_first(self) -> None:
        """It has it."""

    def has(self, path: str) -> bool:
        return path in self.objects

    def put_first(self, path: str, data: bytes) -> bool:
        if path in self.objects:
            return False
        self.write(path, data)
        return True

    def write(self, path: str, data: bytes = b"archive") -> None:
        if not self.left:
            raise OutsideFailed("no more", remedy="none")
        self.left -= 1
        self.objects[path] = data


def published(shelf: Shelf, one: Manifest = WHOLE) -> Published:
    return publish(one, shelf, shelf.write, private_keys=[])


def test_what_is_published_is_found_with_its_archive() -> None:
    """Under its key."""
    shelf = Shelf()

    assert Published(key=WHOLE.key, first=True) == published(shelf)
    assert [archive_path(WHOLE.archive.name), manifest_path(WHOLE.key)] == list(shelf.objects)
    assert (WHOLE, None) == opened("m", shelf.objects[manifest_path(WHOLE.key)], None)


def test_the_second_to_publish_a_key_changes_nothing() -> None:
    """Not even the archive is brought."""
    shelf = Shelf()
    published(shelf)
    before = dict(shelf.objects)
    shelf.left = 0

    assert Published(key=WHOLE.key, first=False) == published(shelf)
    assert before == shelf.objects


def test_one_that_comes_in_between_wins() -> None:
    """While our archive was on its way."""
    shelf = Shelf()
    theirs = manifest("vllm/b")

    def upload(path: str) -> None:
        shelf.write(path)
        published(shelf, theirs)

    found = publish(WHOLE, shelf, upload, private_keys=[])
    assert not found.first
    assert (theirs, None) == opened("m", shelf.objects[manifest_path(WHOLE.key)], None)


@pytest.mark.parametrize("writes", [0, 1])
def test_whoever_is_killed_leaves_nothing_that_is_taken(writes: int) -> None:
    """And whoever comes after publishes it."""
    shelf = Shelf(writes=writes)
    with pytest.raises(OutsideFailed):
        published(shelf)
    assert not [path for path in shelf.objects if key_of(path)]

    shelf.left = 99
    assert published(shelf).first


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (manifest_path("0a"), "0a"),
        ("manifests/0a.json.tmp", None),
        ("manifests/deep/0a.json", None),
        ("archives/0a.json", None),
        ("0a.json", None),
    ],
)
def test_a_manifests_path_is_known_from_others(path: str, key: str | None) -> None:
    """What else lies there is nobody's."""
    assert key == key_of(path)
