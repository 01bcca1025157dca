"""Publishing to a bucket and taking from it, alone and many at once."""

import multiprocessing
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from firstlight.core.errors import BadInput
from tests.caches.made import FACTORS
from tests.caching.small import FILES, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)


def test_what_is_pushed_is_pulled(bucket: str, tmp_path: Path) -> None:
    """Byte for byte, and a second push changes nothing."""
    root = write(tmp_path / "root")

    first, second = pushed(bucket, root), pushed(bucket, root)
    found = pulled(bucket, tmp_path / "into" / "engine")

    assert FILES == read(tmp_path / "into" / "engine")
    assert first.manifest == found.manifest
    assert second.manifest is None
    assert not found.there_already
    assert pulled(bucket, tmp_path / "into" / "engine").there_already


def test_another_engine_gets_nothing_and_the_reason(bucket: str, tmp_path: Path) -> None:
    """With both values."""
    pushed(bucket, write(tmp_path / "root"))
    other = replace(FACTORS, arguments={"--max-num-seqs": "16", "--enforce-eager": None})

    with pytest.raises(BadInput, match="--max-num-seqs is 16 here and 8 in the cache"):
        pulled(bucket, tmp_path / "into" / "engine", here=other)

    assert not (tmp_path / "into").exists()


def test_of_two_the_one_that_fits_is_taken(bucket: str, tmp_path: Path) -> None:
    """Whatever was published last."""
    write(tmp_path / "one", {"vllm/a": b"one"})
    write(tmp_path / "two", {"vllm/a": b"two"})
    other = replace(FACTORS, model="/models/other")
    pushed(bucket, tmp_path / "one")
    pushed(bucket, tmp_path / "two", factors=other)

    pulled(bucket, tmp_path / "here" / "engine")
    pulled(bucket, tmp_path / "there" / "engine", here=other)

    assert {"vllm/a": b"one"} == read(tmp_path / "here" / "engine")
    assert {"vllm/a": b"two"} == read(tmp_path / "there" / "engine")


def test_what_an_engine_filled_here_stays(bucket: str, tmp_path: Path) -> None:
    """It may be better; whoever wants the published one says so."""
    pushed(bucket, write(tmp_path / "root"))
    into = write(tmp_path / "into" / "engine", {"vllm/mine": b"mine"})

    with pytest.raises(BadInput, match="they stay"):
        pulled(bucket, into)
    assert {"vllm/mine": b"mine"} == read(into)
    pulled(bucket, into, replaces=True)

    assert FILES == read(into)


def _pushes(url: str, root: str) -> bool:
    return pushed(url, Path(root)).manifest is not None


def _pulls(url: str, into: str) -> bool:
    try:
        pulled(url, Path(into))
    except BadInput:
        return False
    return FILES == read(Path(into))


def _works(url: str, home: str, number: int) -> tuple[bool, bool]:
    own = f"{home}/{number}/engine"
    return _pushes(url, f"{home}/root"), _pulls(url, own)


@pytest.mark.parametrize("many", [8, pytest.param(64, marks=pytest.mark.slow)])
def test_many_at_once_publish_once(bucket: str, tmp_path: Path, many: int) -> None:
    """And what each of them pulls afterwards is the same."""
    write(tmp_path / "root")

    with multiprocessing.get_context("spawn").Pool(min(many, 16)) as pool:
        done = pool.map(partial(_works, bucket, str(tmp_path)), range(many), chunksize=1)

    assert 1 == sum(first for first, _ in done)
    assert [True] * many == [taken for _, taken in done]
