import os
from pathlib import Path

from firstlight.edges import cache_listing
from firstlight.edges.cache_listing import ListedFile, ListedRoot, list_caches


def test_every_file_below_a_root_is_listed_with_size_and_time(tmp_path: Path) -> None:
    """Sorted, so that two listings can be compared."""
    (tmp_path / "b" / "deep").mkdir(parents=True)
    for name, text in (("b/deep/two", "22"), ("a", "1")):
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, ns=(0, 1_000_000_007))

    (found,) = list_caches([str(tmp_path)])

    assert found == ListedRoot(
        root=str(tmp_path),
        exists=True,
        complete=True,
        files=(
            ListedFile(path="a", bytes=1, mtime_ns=1_000_000_007),
            ListedFile(path="b/deep/two", bytes=2, mtime_ns=1_000_000_007),
        ),
    )


def test_a_root_that_does_not_exist_is_an_empty_one(tmp_path: Path) -> None:
    """Before a first start that is so for all of them."""
    (found,) = list_caches([str(tmp_path / "absent")])

    assert (found.exists, found.files, found.complete) == (False, (), True)


def test_links_are_named_but_not_followed(tmp_path: Path) -> None:
    """A link to the root of everything, or to its own folder, lists one entry."""
    (tmp_path / "everything").symlink_to("/")
    (tmp_path / "itself").symlink_to(tmp_path)

    (found,) = list_caches([str(tmp_path)])

    assert [file.path for file in found.files] == ["everything", "itself"]


def test_a_listing_that_reaches_its_limit_says_so(tmp_path: Path) -> None:
    """The limit is for all roots together; what comes after it is incomplete as well."""
    for root in ("one", "two", "none"):
        (tmp_path / root).mkdir()
    for n in range(3):
        (tmp_path / "one" / str(n)).touch()
        (tmp_path / "two" / str(n)).touch()

    found = list_caches([str(tmp_path / root) for root in ("one", "two", "none")], most_files=4)

    assert [(len(root.files), root.complete) for root in found] == [
        (3, True),
        (1, False),
        (0, True),
    ]


def test_files_that_vanish_while_we_look_are_left_out(tmp_path: Path) -> None:
    """Caches are written and cleaned meanwhile."""
    for n in range(3):
        (tmp_path / str(n)).touch()
    (tmp_path / "folder").mkdir()
    walk = cache_listing._Walk(str(tmp_path)).files()

    first = next(walk)
    for path in tmp_path.iterdir():
        path.rmdir() if path.is_dir() else path.unlink()
    rest = list(walk)

    assert (first.bytes, rest) == (0, [])


def test_a_cache_that_was_pulled_is_known(tmp_path: Path) -> None:
    """The note lies in the folder, or in the one around all caches; a damaged one is none."""
    root = tmp_path / "engine" / "vllm"
    root.mkdir(parents=True)
    note = tmp_path / "engine" / ".firstlight-cache.json"

    for data, key in ((b'{"key": "0a1b"}', "0a1b"), (b"{", None), (b"[]", None), (b"\xff", None)):
        note.write_bytes(data)
        (found,) = list_caches([f"{root}/"])
        assert (key, str(note.parent) if key else None) == (found.published, found.published_in)
