"""Bundles on disk: nothing half, nothing overwritten."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.bundle_folder import new_bundle


@pytest.mark.parametrize("name", ["b", "b.tar.gz", "b.tgz"])
def test_a_bundle_is_in_its_place_when_it_is_whole(tmp_path: Path, name: str) -> None:
    """As a folder or as one file; before, there is nothing to be taken for it."""
    with new_bundle(tmp_path / name) as bundle:
        bundle.write("bundle.json", {"a": "\udc80é"})
        bundle.write_lines("logs/p/c.log", iter([b"one\n", b"two\n"]))
        assert not (tmp_path / name).exists()

    assert [name] == [path.name for path in tmp_path.iterdir()]
    folder = tmp_path / "b"
    if name != "b":
        with tarfile.open(tmp_path / name) as tar:
            tar.extractall(tmp_path, filter="data")
    assert {"a": "\udc80é"} == json.loads((folder / "bundle.json").read_text())
    assert b"one\ntwo\n" == (folder / "logs" / "p" / "c.log").read_bytes()


@pytest.mark.parametrize("name", ["b", "b.tar.gz"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ConnectionError])
def test_what_ends_it_early_leaves_nothing(
    tmp_path: Path, name: str, error: type[BaseException]
) -> None:
    """Ctrl-C too; and a cluster that is gone is not a disk that is full."""

    def lines() -> Iterator[bytes]:
        yield b"one\n"
        raise error

    with pytest.raises(error), new_bundle(tmp_path / name) as bundle:
        bundle.write_lines("logs/p/c.log", lines())

    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["b", "b.tar.gz"])
def test_what_is_there_stays(tmp_path: Path, name: str) -> None:
    """Found before anything is asked, or only at the end."""
    (tmp_path / name).write_text("precious")
    with pytest.raises(BadInput, match="nothing is overwritten"), new_bundle(tmp_path / name):
        pytest.fail("it began")
    (tmp_path / name).unlink()

    with pytest.raises(BadInput, match="nothing is overwritten"), new_bundle(tmp_path / name):
        (tmp_path / name).write_text("precious")

    assert "precious" == (tmp_path / name).read_text()
    assert [name] == [path.name for path in tmp_path.iterdir()]


def test_what_to_do_is_said_for_each_command_that_makes_one(tmp_path: Path) -> None:
    """`explain deployment/NAME` makes one too, and has no option for its place."""
    with pytest.raises(BadInput) as absent, new_bundle(tmp_path / "no-such" / "b"):
        pytest.fail("it began")
    with pytest.raises(OutsideFailed) as unwritable, new_bundle(tmp_path / "b") as bundle:
        bundle.write("n" * 300, {})

    assert "make it, or name another place (`capture` and `measure` take it as --into)" == (
        absent.value.remedy
    )
    assert "TMPDIR for `explain`" in unwritable.value.remedy
    assert [] == list(tmp_path.iterdir())


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """Secrets were removed, and it still says much about a company."""
    with new_bundle(tmp_path / "b"), new_bundle(tmp_path / "b.tar.gz"):
        pass

    assert (0o700, 0o600) == (
        (tmp_path / "b").stat().st_mode & 0o777,
        (tmp_path / "b.tar.gz").stat().st_mode & 0o777,
    )


@pytest.mark.parametrize("name", ["../x", "/x", "logs/../../x", "", "a\x00b"])
def test_no_name_of_the_clusters_leads_out_of_it(tmp_path: Path, name: str) -> None:
    """Kubernetes allows no such name; what answers may not be Kubernetes."""
    with pytest.raises(OutsideFailed, match="cannot be a file"), new_bundle(tmp_path / "b") as b:
        b.write(name, {})

    assert [] == list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """No such folder; a file where a folder should be."""
    with pytest.raises(BadInput, match="there is no folder"), new_bundle(tmp_path / "no" / "b"):
        pytest.fail("it began")
