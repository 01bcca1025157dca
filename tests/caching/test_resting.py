"""What an engine is still writing is packed when it is done, and as it is then."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import FirstlightError
from firstlight.edges.cache_packing import Packed, pack
from firstlight.edges.last_change import STAMP_S
from firstlight.wiring.caching import resting
from firstlight.wiring.caching.resting import packed_at_rest
from firstlight.wiring.caching.steps import Event, Step, Told
from tests.caching.small import FILES, write

pytestmark = pytest.mark.timeout(20)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment is shorter here."""
    monkeypatch.setattr(resting, "_QUIET_S", 0.3)


@contextmanager
def writing_to(file: Path, *, for_s: float = 60) -> Iterator[None]:
    """Somebody appends to it, from before the block, until its end or for so long."""
    begun, over, until_s = threading.Event(), threading.Event(), time.monotonic() + for_s

    def append() -> None:
        with file.open("ab", buffering=0) as out:
            while time.monotonic() < until_s and not over.is_set():
                out.write(b"x" * 1000)
                begun.set()
                time.sleep(0.001)

    writer = threading.Thread(target=append)
    writer.start()
    begun.wait()
    yield
    over.set()
    writer.join()


def packed(root: Path, *, beside_engine: bool) -> tuple[dict[str, int], list[Step]]:
    """The sizes of what was packed, and what was told meanwhile."""
    told: list[Step] = []
    sources = {place.name: place for place in sorted(root.iterdir())}
    done = packed_at_rest(
        sources, root.parent / "archive", Told(told.append), beside_engine=beside_engine
    )
    return {file.path: file.size_bytes for file in done.files}, told


@pytest.mark.parametrize("beside_engine", [True, False])
def test_what_is_being_written_is_packed_when_it_is_whole(
    tmp_path: Path, *, beside_engine: bool
) -> None:
    """Beside an engine nothing is tried before; else it is tried, and packed again."""
    root = write(tmp_path / "root")
    file = root / "vllm" / "growing"
    with writing_to(file, for_s=0.8):
        sizes, told = packed(root, beside_engine=beside_engine)

    assert file.stat().st_size == sizes["vllm/growing"]
    assert (Event.WAITING if beside_engine else Event.PACKING) == told[0].event
    assert any(step.event is Event.WAITING for step in told)


def test_what_is_at_rest_is_packed_at_once(tmp_path: Path) -> None:
    """Nothing is waited for."""
    root = write(tmp_path / "root")
    time.sleep(0.35)

    sizes, told = packed(root, beside_engine=True)

    assert {name: len(data) for name, data in FILES.items()} == sizes
    assert [Event.PACKING] == [step.event for step in told]


def test_what_cannot_be_packed_is_not_tried_again(tmp_path: Path) -> None:
    """Nothing changed, so nothing will be better."""
    root = write(tmp_path / "root", {"vllm/a\\b": b"x"})
    told: list[Step] = []
    time.sleep(0.2)

    with pytest.raises(FirstlightError, match="cannot be in an archive"):
        packed_at_rest(
            {"vllm": root / "vllm"}, tmp_path / "archive", Told(told.append), beside_engine=False
        )

    assert [Event.PACKING] == [step.event for step in told]


def test_patience_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With why nothing was packed."""
    root = write(tmp_path / "root")
    tries = 0

    def pack_and_write(*given: Any) -> Packed:
        nonlocal tries
        tries += 1
        done = pack(*given)
        # Behind the packing, because a thread beside it may not get its turn.
        time.sleep(STAMP_S)
        (root / "vllm" / "growing").write_bytes(b"x" * tries)
        return done

    monkeypatch.setattr(resting, "_PATIENCE_S", 0.1)
    monkeypatch.setattr(resting, "pack", pack_and_write)

    with pytest.raises(FirstlightError, match="growing changes while the caches are packed"):
        packed(root, beside_engine=False)
    assert tries > 1
