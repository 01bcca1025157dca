import os
import time
from pathlib import Path

from firstlight.edges.last_change import Change, last_change

OLD_S = 1_000_000_000


def aged(root: Path) -> None:
    """Everything in it was written long ago."""
    for place in (*root.rglob("*"), root):
        os.utime(place, (OLD_S, OLD_S))


def test_the_latest_of_all_is_found(tmp_path: Path) -> None:
    """In whichever folder, however deep; a folder that lost a name counts."""
    for name in ("a/b/c/deep", "d/flat", "d/gone"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    aged(tmp_path)
    roots = [tmp_path / "a", tmp_path / "d"]
    assert OLD_S == last_change(roots).at_unix_s

    os.utime(tmp_path / "a" / "b" / "c" / "deep", (OLD_S + 5, OLD_S + 5))
    deep = last_change(roots)
    (tmp_path / "d" / "gone").unlink()
    gone = last_change(roots)

    assert Change(at_unix_s=OLD_S + 5, place=str(tmp_path / "a" / "b" / "c" / "deep")) == deep
    assert str(tmp_path / "d") == gone.place
    assert abs(gone.at_unix_s - time.time()) < 1


def test_the_future_does_not_count(tmp_path: Path) -> None:
    """Another machine's clock wrote it, and nobody would wait until then."""
    (tmp_path / "file").touch()
    aged(tmp_path)
    ahead = time.time() + 3600
    os.utime(tmp_path / "file", (ahead, ahead))

    assert Change(at_unix_s=OLD_S, place=str(tmp_path)) == last_change([tmp_path])


def test_where_nothing_is_nothing_changed(tmp_path: Path) -> None:
    """Nor is that an error."""
    assert Change(at_unix_s=0.0, place="") == last_change([tmp_path / "nowhere"])


def test_links_are_not_followed(tmp_path: Path) -> None:
    """One that leads upwards would never end."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "up").symlink_to(tmp_path)
    os.utime(tmp_path / "root" / "up", (OLD_S, OLD_S), follow_symlinks=False)
    os.utime(tmp_path / "root", (OLD_S, OLD_S))
    (tmp_path / "new").touch()

    assert OLD_S == last_change([tmp_path / "root"]).at_unix_s
