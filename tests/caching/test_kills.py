"""Whoever is killed, at whatever step, leaves nothing that anybody would take for whole."""

from functools import partial
from pathlib import Path

import pytest

from tests.caching.killed import is_done, killed_at
from tests.caching.small import FILES, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)
EVERY = pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
"""All steps, or a share of them that leaves none of the kinds out."""


@EVERY
def test_a_push_that_is_killed_leaves_nothing_that_a_pull_takes(
    tmp_path: Path, stride: int
) -> None:
    """Before the last step there is no cache, after it there is; the next push makes one."""
    root = write(tmp_path / "root")
    step = 0
    while True:
        url, into = f"file://{tmp_path}/store-{step}", tmp_path / f"into-{step}" / "engine"
        if not killed_at(step, partial(pushed, url, root)):
            break
        if is_done(partial(pulled, url, into)):
            assert FILES == read(into)
        else:
            assert not into.exists()
        assert is_done(partial(pushed, url, root))
        assert is_done(partial(pulled, url, into))
        assert FILES == read(into)
        assert 1 == len(list((tmp_path / f"store-{step}" / "manifests").iterdir()))
        step += stride

    assert step > 40


@EVERY
@pytest.mark.parametrize("old", [{}, {"vllm/old": b"old"}], ids=["empty", "replaced"])
def test_a_pull_that_is_killed_leaves_all_or_nothing(
    tmp_path: Path, old: dict[str, bytes], stride: int
) -> None:
    """What was there, the whole new one, or nothing; the next pull brings it, and cleans up."""
    url = f"file://{tmp_path}/store"
    root = write(tmp_path / "root")
    assert is_done(partial(pushed, url, root))
    step = 0
    while True:
        into = tmp_path / f"into-{step}" / "engine"
        write(into, old)
        if not killed_at(step, partial(pulled, url, into, replaces=True)):
            break
        assert read(into) in (FILES, old, {})
        assert is_done(partial(pulled, url, into, replaces=True))
        assert FILES == read(into)
        assert ["engine"] == [place.name for place in into.parent.iterdir()]
        step += stride

    assert step > 60
