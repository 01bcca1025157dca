"""Folders into an archive and out of it: the same, or nothing that anybody would use."""

import io
import os
import shutil
import subprocess
import tarfile
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.caches.manifest import Archive, File, Manifest
from firstlight.caches.member_names import refusal
from firstlight.core.errors import BadInput, FirstlightError, OutsideFailed
from firstlight.edges.cache_packing import pack
from firstlight.edges.cache_unpacking import Damaged, unpack
from tests.caches.made import digest, manifest

LONG = "a" * 120
FILES = {
    "torch_compile_cache/0a1b/rank_0_0/model": b"graph" * 300,
    "torch_compile_cache/0a1b/transformed code.py": b"x = 1\n",
    f"modelinfos/{LONG}/{LONG}.json": b"{}",
    "empty": b"",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small cache."""
    for name, data in FILES.items():
        place = tmp_path / "root" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        os.utime(place, (1_700_000_000, 1_700_000_000))
    (tmp_path / "root" / "empty").chmod(0o700)
    return tmp_path / "root"


def packed(root: Path) -> tuple[bytes, Manifest]:
    """An archive, and the manifest of it."""
    out = io.BytesIO()
    found = pack({"vllm": root}, out)
    return out.getvalue(), replace(manifest(), archive=found.archive, files=found.files)


def unpacked(data: bytes, said: Manifest, into: Path) -> dict[str, bytes]:
    """What is in a folder after it."""
    into.mkdir(parents=True)
    unpack(said, io.BytesIO(data), into)
    return {
        file.relative_to(into / "vllm").as_posix(): file.read_bytes()
        for file in into.rglob("*")
        if file.is_file()
    }


def test_what_was_packed_is_unpacked(root: Path, tmp_path: Path) -> None:
    """Names, bytes, times and whether it may be executed; twice the same archive."""
    data, said = packed(root)

    assert FILES == unpacked(data, said, tmp_path / "out")
    assert (data, said) == packed(root)
    empty = (tmp_path / "out" / "vllm" / "empty").stat()
    assert (0o755, 1_700_000_000) == (empty.st_mode & 0o7777, int(empty.st_mtime))
    model = tmp_path / "out" / "vllm" / "torch_compile_cache" / "0a1b" / "rank_0_0" / "model"
    assert 0o644 == model.stat().st_mode & 0o7777


_NO_ZSTD = shutil.which("zstd") is None and not os.environ.get("CI")


@pytest.mark.skipif(_NO_ZSTD, reason="tar unpacks it by zstd")
def test_anybody_can_look_into_it(root: Path, tmp_path: Path) -> None:
    """It is a tar stream like others."""
    data, _ = packed(root)
    (tmp_path / "a.tar.zst").write_bytes(data)
    subprocess.run(
        ["/usr/bin/tar", "--zstd", "-xf", tmp_path / "a.tar.zst", "-C", tmp_path], check=True
    )

    assert FILES == {
        file.relative_to(tmp_path / "vllm").as_posix(): file.read_bytes()
        for file in (tmp_path / "vllm").rglob("*")
        if file.is_file()
    }


NAMES = st.lists(st.text("ab.é ", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.dictionaries(NAMES, st.binary(max_size=2000), max_size=5))
def test_any_folder_comes_back(tmp_path: Path, files: Mapping[str, bytes]) -> None:
    """Or a name in it is refused before there is an archive."""
    shutil.rmtree(tmp_path)
    (tmp_path / "root").mkdir(parents=True)
    there = {}
    for name, data in files.items():
        place = tmp_path / "root" / name
        if refusal(f"vllm/{name}"):
            continue
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError:
            continue
        there[name] = data

    data, said = packed(tmp_path / "root")
    assert there == unpacked(data, said, tmp_path / "out")


def test_no_byte_can_be_another(tmp_path: Path) -> None:
    """Each bit of a small archive, one at a time: never accepted."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a").write_bytes(b"abc")
    data, said = packed(tmp_path / "root")
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Damaged):
            unpacked(bytes(changed), said, tmp_path / f"out-{bit}")


@pytest.mark.parametrize("wrong", [0, 3, 11])
def test_large_files_are_held_against_their_digests_too(wrong: int, tmp_path: Path) -> None:
    """Those are worked out beside the writing; the last one as well as the first is waited for."""
    for number in range(12):
        place = tmp_path / "root" / f"{number:02}"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(bytes([number]) * 2_500_000)
    data, said = packed(tmp_path / "root")
    assert len(unpacked(data, said, tmp_path / "out")) == 12

    files = list(said.files)
    files[wrong] = replace(files[wrong], sha256=digest(b"another"))
    with pytest.raises(Damaged, match=f"{files[wrong].path} in the archive is not what"):
        unpacked(data, replace(said, files=files), tmp_path / "refused")


def test_no_part_of_it_is_enough(tmp_path: Path) -> None:
    """Cut off anywhere, or with more behind it: never accepted."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a").write_bytes(b"abc")
    data, said = packed(tmp_path / "root")
    for length in range(len(data)):
        with pytest.raises(Damaged):
            unpacked(data[:length], said, tmp_path / f"out-{length}")
    for more in (b"\0", b"more", data):
        with pytest.raises(Damaged):
            unpacked(data + more, said, tmp_path / f"out-{len(data)}-{len(more)}")


def zstd(data: bytes) -> bytes:
    """Packed as an archive is."""
    return zstandard.ZstdCompressor().compress(data)


def tar(*members: tarfile.TarInfo, data: bytes = b"x") -> bytes:
    """A tar stream of these, the plain ones with one byte."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(data) if member.isreg() else None)
    return out.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    """A member of a tar stream."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = 1 if kind == tarfile.REGTYPE else 0
    for field, value in more.items():
        setattr(info, field, value)
    return info


ONE = File(path="vllm/a", size_bytes=1, sha256=digest(b"x"))
ATTACKS: Mapping[str, Callable[[], bytes]] = {
    "an absolute path": lambda: tar(member("/etc/passwd")),
    "a path that leads out": lambda: tar(member("../vllm/a")),
    "a link": lambda: tar(member("vllm/a", tarfile.SYMTYPE, linkname="/etc/passwd")),
    "a hard link": lambda: tar(member("vllm/a", tarfile.LNKTYPE, linkname="../x")),
    "a device": lambda: tar(member("vllm/a", tarfile.CHRTYPE, devmajor=1, devminor=3)),
    "a pipe": lambda: tar(member("vllm/a", tarfile.FIFOTYPE)),
    "a folder": lambda: tar(member("vllm/a", tarfile.DIRTYPE)),
    "a set-user bit": lambda: tar(member("vllm/a", mode=0o4755)),
    "an executable that is none": lambda: tar(member("vllm/a", mode=0o755)),
    "another owner": lambda: tar(member("vllm/a", uid=1000)),
    "a name twice": lambda: tar(member("vllm/a"), member("vllm/a")),
    "one file more": lambda: tar(member("vllm/a"), member("vllm/b")),
    "a link before it": lambda: tar(
        member("vllm", tarfile.SYMTYPE, linkname="/tmp"), member("vllm/a")
    ),
    "no file": tar,
    "other bytes": lambda: tar(member("vllm/a"), data=b"y"),
    "more bytes": lambda: tar(member("vllm/a", size=2), data=b"xx"),
    "a header of another kind": lambda: tar(member("vllm/a", pax_headers={"path": "/etc/x"})),
    "no end": lambda: tar(member("vllm/a"))[:1024],
    "something behind the end": lambda: tar(member("vllm/a"))[:2048] + b"x",
    "no tar at all": lambda: b"x" * 4096,
    "a bomb": lambda: tar(member("vllm/a"))[:2048] + bytes(1 << 28),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_the_file_that_was_said_is_refused(attack: str, tmp_path: Path) -> None:
    """Also where the archive's own digest is right; and nothing is written but below the folder."""
    data = zstd(ATTACKS[attack]())
    archive = Archive(sha256=digest(data), size_bytes=len(data))
    said = replace(manifest(), archive=archive, files=(ONE,))

    with pytest.raises(Damaged):
        unpacked(data, said, tmp_path / "out")
    assert {"out"} == {place.name for place in tmp_path.iterdir()}
    assert all(place.name in {"vllm", "a"} for place in (tmp_path / "out").rglob("*"))


def test_a_bomb_is_left_at_the_first_byte_too_many(tmp_path: Path) -> None:
    """A gigabyte of nothing in some kilobytes: it takes no gigabyte to see that."""
    bomb = zstandard.ZstdCompressor().compress(bytes(1 << 30))
    read = io.BytesIO(bomb)
    said = replace(
        manifest(), archive=Archive(sha256=digest(bomb), size_bytes=len(bomb)), files=(ONE,)
    )
    (tmp_path / "out").mkdir()

    tracemalloc.start()
    with pytest.raises(Damaged):
        unpack(said, read, tmp_path / "out")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 32_000_000


def test_what_is_wrong_with_the_source_is_said_as_it_is(root: Path, tmp_path: Path) -> None:
    """Also where another thread reads it, which does not ask a second time."""
    (root / "large").write_bytes(os.urandom(24_000_000))
    data, said = packed(root)
    raised = []

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > 8_000_000:
                raised.append(self.tell())
                raise OutsideFailed("the store is gone", remedy="wait")
            return super().read(size)

    (tmp_path / "out").mkdir()
    with pytest.raises(OutsideFailed, match="the store is gone"):
        unpack(said, Broken(data), tmp_path / "out")
    assert 1 == len(raised)


def test_a_file_that_is_there_already_is_not_written(root: Path, tmp_path: Path) -> None:
    """Whoever put it there, and wherever a link of that name leads."""
    data, said = packed(root)
    (tmp_path / "out" / "vllm").mkdir(parents=True)
    (tmp_path / "out" / "vllm" / "empty").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OutsideFailed, match="cannot be written"):
        unpack(said, io.BytesIO(data), tmp_path / "out")
    assert not (tmp_path / "elsewhere").exists()


def test_links_and_pipes_are_left_out_and_named(root: Path, tmp_path: Path) -> None:
    """A cache is made of plain files."""
    (root / "link").symlink_to("/etc/passwd")
    (root / "folder").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    found = pack({"vllm": root}, io.BytesIO())

    assert sorted(f"vllm/{name}" for name in FILES) == [file.path for file in found.files]
    assert [
        f"{root}/folder is left out: it is a link",
        f"{root}/link is left out: it is a link",
        f"{root}/pipe is left out: it is no plain file",
    ] == list(found.left_out)


def test_a_file_that_grows_while_it_is_packed_is_refused(root: Path) -> None:
    """Half of what an engine writes is worth nothing."""

    class Growing(io.BytesIO):
        def write(self, data: bytes, /) -> int:  # type: ignore[override]
            with (root / "torch_compile_cache/0a1b/rank_0_0/model").open("ab") as file:
                file.write(b"more")
            return super().write(data)

    with (root / "torch_compile_cache/0a1b/rank_0_0/model").open("ab") as file:
        file.write(os.urandom(24_000_000))  # more than its threads hold back
    with pytest.raises(BadInput, match="model changes while it is packed"):
        pack({"vllm": root}, Growing())


def test_a_name_that_may_not_be_is_refused(root: Path) -> None:
    """Before there is an archive that nobody can unpack."""
    (root / "a\nb").touch()

    with pytest.raises(FirstlightError, match="cannot be in an archive"):
        pack({"vllm": root}, io.BytesIO())
