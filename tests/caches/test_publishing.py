"""Archive first, manifest last, and one winner."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.caches.layout import Place, archive_path, place_of
from firstlight.caches.manifest import Manifest, canonical
from firstlight.caches.publishing import Published, Seen, State, found, publish
from firstlight.caches.signatures import UNSIGNED, opened, public_of, sealed, signer_of
from firstlight.core.errors import BadInput, OutsideFailed
from tests.caches.made import FACTORS, manifest

WHOLE = manifest("vllm/a")
ARCHIVE = b"archive"
KEYS = (bytes(range(32)),)
PLACE = Place(key=WHOLE.key, signer=signer_of(KEYS)).path


class Shelf:
    """A store that can stop after so many writes, as whoever is killed does."""

    def __init__(
        self,
        *,
        writes: int = 99,
        hides: str | None = None,
        reads: bool = True,
        overwrites: bool = False,
    ) -> None:
        self.objects: dict[str, bytes] = {}
        self.left = writes
        self.hides = hides
        """What nobody may look at begins so; None for nothing."""
        self.reads = reads
        self.overwrites = overwrites

    def require_put_first(self) -> None:
        if self.overwrites:
            raise OutsideFailed("it overwrites what is there", remedy="none")

    def seen(self, path: str) -> Seen:
        if self.hides is not None and path.startswith(self.hides):
            return Seen(size_bytes=None, hidden=True)
        data = self.objects.get(path)
        return Seen(size_bytes=None if data is None else len(data))

    def read_if_allowed(self, path: str, *, at_most: int) -> bytes | None:
        assert at_most
        return self.objects[path] if self.reads else None

    def put_first(self, path: str, data: bytes) -> bool:
        if path in self.objects:
            return False
        self.put(path, data)
        return True

    def put(self, path: str, data: bytes) -> None:
        if not self.left:
            raise OutsideFailed("no more", remedy="none")
        self.left -= 1
        self.objects[path] = data

    def upload(self, path: str) -> None:
        self.put(path, ARCHIVE)


def published(
    shelf: Shelf,
    one: Manifest = WHOLE,
    *,
    keys: Sequence[bytes] = KEYS,
    replaces: bool = False,
) -> Published:
    return publish(one, shelf, shelf.upload, private_keys=keys, replaces=replaces)


def lying(shelf: Shelf, path: str = PLACE) -> Manifest:
    return opened("m", shelf.objects[path], [public_of(*KEYS)])[0]


def test_what_is_published_is_found_with_its_archive() -> None:
    """Under its key and its signer."""
    shelf = Shelf()

    assert published(shelf).published
    assert [archive_path(WHOLE.archive.name), PLACE] == list(shelf.objects)
    assert WHOLE == lying(shelf)


def test_what_no_reader_would_take_is_not_published() -> None:
    """Files of no kind of cache, for example: everybody would find them, and nobody take them."""
    shelf = Shelf()
    with pytest.raises(BadInput, match="of no kind of cache"):
        published(shelf, manifest("mine/a"))
    assert not shelf.objects


def test_the_second_to_publish_a_key_changes_nothing() -> None:
    """Not even the archive is brought."""
    shelf = Shelf()
    published(shelf)
    before = dict(shelf.objects)
    shelf.left = 0

    done = published(shelf)

    assert (False, State.WHOLE, None) == (done.published, done.found.state, done.found.wrong)
    assert before == shelf.objects


def test_one_that_comes_in_between_wins() -> None:
    """While our archive was on its way."""
    shelf = Shelf()
    theirs = manifest("vllm/b")

    def upload(path: str) -> None:
        shelf.upload(path)
        published(shelf, theirs)

    done = publish(WHOLE, shelf, upload, private_keys=KEYS)

    assert (False, State.WHOLE) == (done.published, done.found.state)
    assert theirs == lying(shelf)


def test_nobody_keeps_another_from_publishing() -> None:
    """Neither whoever signs nothing, nor whoever has another key; each has a place."""
    shelf = Shelf()
    other = (bytes(32),)

    assert published(shelf, keys=()).published
    assert published(shelf, keys=other).published
    assert published(shelf).published

    places = [Place(key=WHOLE.key, signer=s).path for s in (UNSIGNED, signer_of(other))]
    assert {*places, PLACE, archive_path(WHOLE.archive.name)} == set(shelf.objects)
    assert not published(shelf, keys=()).published


def _sealed(one: Manifest, keys: Sequence[bytes] = KEYS) -> bytes:
    return sealed(canonical(one), keys)


OTHER = manifest("vllm/a", factors=replace(FACTORS, model="/other"))
DAMAGED = {
    "no archive": (None, _sealed(WHOLE), "is not there"),
    "half an archive": (b"arch", _sealed(WHOLE), "has 4 bytes, and 7 are right"),
    "nonsense": (ARCHIVE, b"{}", "is no signed manifest"),
    "not signed": (ARCHIVE, _sealed(WHOLE, ()), "is not signed"),
    "a stranger's": (ARCHIVE, _sealed(WHOLE, (bytes(32),)), "not signed by anybody"),
    "of another key": (ARCHIVE, _sealed(OTHER), "is the manifest of another key"),
}


@pytest.mark.parametrize(
    ("archive", "stored", "why"), list(DAMAGED.values()), ids=list(DAMAGED.keys())
)
def test_what_nobody_could_take_is_published_anew(
    archive: bytes | None, stored: bytes, why: str
) -> None:
    """In its place, with what was wrong; archive first."""
    shelf = Shelf()
    if archive is not None:
        shelf.objects[archive_path(WHOLE.archive.name)] = archive
    shelf.objects[PLACE] = stored

    assert State.WRONG is found(shelf, WHOLE.key, KEYS).state
    done = published(shelf)

    assert done.published
    assert why in (done.found.wrong or "")
    assert WHOLE == lying(shelf)
    assert ARCHIVE == shelf.objects[archive_path(WHOLE.archive.name)]
    assert not published(shelf).published


def test_one_that_is_too_large_is_not_even_read() -> None:
    """It is wrong by that alone."""

    class Huge(Shelf):
        """Nothing of it can be read in time."""

        def seen(self, path: str) -> Seen:
            return Seen(size_bytes=10**12 if path == PLACE else None)

    shelf = Huge()
    assert "has 1000000000000 bytes" in (found(shelf, WHOLE.key, KEYS).wrong or "")


def test_a_whole_one_is_replaced_when_told() -> None:
    """Its archive too: what is wrong with it may not be seen."""
    shelf = Shelf()
    published(shelf)
    shelf.objects[archive_path(WHOLE.archive.name)] = b"ARCHIVE"
    newer = replace(WHOLE, made_unix_s=WHOLE.made_unix_s + 1)

    done = published(shelf, newer, replaces=True)

    assert (True, State.WHOLE) == (done.published, done.found.state)
    assert newer == lying(shelf)
    assert ARCHIVE == shelf.objects[archive_path(WHOLE.archive.name)]


@pytest.mark.parametrize(
    "blind", [{"hides": ""}, {"reads": False}], ids=["to be seen", "to be read"]
)
def test_where_nobody_may_look_the_last_write_decides(blind: dict[str, Any]) -> None:
    """And --replace writes whatever is there."""
    shelf = Shelf(**blind)
    assert published(shelf).published
    newer = replace(WHOLE, made_unix_s=WHOLE.made_unix_s + 1)

    again = published(shelf, newer)
    assert (False, State.HIDDEN) == (again.published, again.found.state)
    assert WHOLE == lying(shelf)

    assert published(shelf, newer, replaces=True).published
    assert newer == lying(shelf)


def test_an_archive_that_may_not_be_looked_at_is_taken_for_gone() -> None:
    """S3 says no right of what is not there, to whoever may not list."""
    shelf = Shelf(hides="archives/")
    published(shelf)

    done = published(shelf)

    assert done.published
    assert "is not there, or may not be looked at" in (done.found.wrong or "")


@pytest.mark.parametrize("writes", [0, 1])
def test_whoever_is_killed_leaves_nothing_that_is_taken(writes: int) -> None:
    """And whoever comes after publishes it."""
    shelf = Shelf(writes=writes)
    with pytest.raises(OutsideFailed):
        published(shelf)
    assert not [path for path in shelf.objects if place_of(path)]

    shelf.left = 99
    assert published(shelf).published


def test_a_store_that_overwrites_is_refused_before_anything_is_written() -> None:
    """Before it is packed, and whoever did not ask before is refused all the same."""
    shelf = Shelf(overwrites=True)

    with pytest.raises(OutsideFailed, match="overwrites"):
        found(shelf, WHOLE.key, KEYS)
    with pytest.raises(OutsideFailed, match="overwrites"):
        published(shelf)
    assert {} == shelf.objects


def test_whoever_only_finds_it_there_needs_no_right_to_write() -> None:
    """It stays."""
    shelf = Shelf()
    published(shelf)
    shelf.overwrites = True

    assert State.WHOLE is found(shelf, WHOLE.key, KEYS).state
    with pytest.raises(OutsideFailed, match="overwrites"):
        found(shelf, WHOLE.key, KEYS, replaces=True)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("manifests/0a.1b.json", Place(key="0a", signer="1b")),
        (PLACE, Place(key=WHOLE.key, signer=signer_of(KEYS))),
        ("manifests/0a.json", None),
        ("manifests/0a..json", None),
        ("manifests/.1b.json", None),
        ("manifests/0a.1b.2c.json", None),
        ("manifests/0a.1b.json.tmp", None),
        ("manifests/deep/0a.1b.json", None),
        ("archives/0a.1b.json", None),
        ("0a.1b.json", None),
    ],
)
def test_a_manifests_path_is_known_from_others(path: str, place: Place | None) -> None:
    """What else lies there is nobody's."""
    assert place == place_of(path)
    assert place is None or path == place.path
