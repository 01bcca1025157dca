"""Whoever is killed, at whatever step, leaves nothing that anybody would take for whole."""

import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from firstlight.edges import cache_incoming, cache_unpacking
from firstlight.wiring.caching import pulling
from tests.caching.killed import is_done, killed_at
from tests.caching.small import FILES, pulled, pushed, read, write

pytestmark = [pytest.mark.timeout(180), pytest.mark.forks]
EVERY = pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
"""All steps, or a share of them that leaves none of the kinds out."""
_OLD = {"vllm/old": b"old"}
_NEVER = 10**9


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
@pytest.mark.parametrize(
    ("old", "ways"),
    [({}, "one rename"), (_OLD, "exchange"), (_OLD, "two renames")],
    ids=["empty", "replaced", "replaced by two renames"],
)
def test_a_pull_that_is_killed_leaves_all_or_nothing(
    tmp_path: Path, old: dict[str, bytes], stride: int, ways: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there or the whole new one; the next pull brings it, and cleans up."""
    url = f"file://{tmp_path}/store"
    root = write(tmp_path / "root")
    assert is_done(partial(pushed, url, root))
    if ways == "two renames":
        monkeypatch.setattr(cache_incoming, "exchange", lambda *_: False)
    step = 0
    while True:
        into = tmp_path / f"into-{step}" / "engine"
        write(into, old)
        if not killed_at(step, partial(pulled, url, into, replaces=True)):
            break
        if ways == "two renames":
            # Nothing, between them; whoever comes next puts it back, also without a store.
            assert read(into) in (FILES, old, {})
            assert not is_done(partial(pulled, f"file://{tmp_path}/away", into, replaces=True))
        assert read(into) in (FILES, old)
        assert is_done(partial(pulled, url, into, replaces=True))
        assert FILES == read(into)
        # One that was killed before it could say on which kernel it runs is left for an hour.
        for left in into.parent.iterdir():
            os.utime(left, (0, 0))
        assert is_done(partial(pulled, url, into, replaces=True))
        assert ["engine"] == [place.name for place in into.parent.iterdir()]
        step += stride

    assert step > 60


def test_one_who_is_killed_again_and_again_does_not_fill_the_volume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an initContainer for which there is too little memory."""
    url, into = f"file://{tmp_path}/store", tmp_path / "into" / "engine"
    assert is_done(partial(pushed, url, write(tmp_path / "root")))
    unpack = cache_unpacking.unpack

    def unpack_and_end(*given: Any) -> None:
        unpack(*given)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(pulling, "unpack", unpack_and_end)
    for _ in range(3):
        assert killed_at(_NEVER, partial(pulled, url, into))
        (left,) = into.parent.iterdir()
        assert FILES == read(left / "new")
