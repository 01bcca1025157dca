"""
A cache that was filled by one start, published, deleted, pulled and hit by another.

The folder is the same, as in two pods of one image. What is compared is engine init of starts that
hit: one with the cache as its own start left it, one with the cache that came from the bucket.
"""

import os
import shutil
from pathlib import Path

import pytest

from firstlight.core.phases import Phase
from firstlight.core.starts import CacheVerdict, Start
from firstlight.core.units import NS_PER_S
from firstlight.wiring.caching.factors_here import engine_factors, machine_factors, together
from firstlight.wiring.caching.pulling import Order, pull
from firstlight.wiring.caching.pushing import Parcel, push
from tests.caching.conftest import bucket, endpoint  # noqa: F401 - fixtures
from tests.caching.small import PRIVATE, PUBLIC
from tests.real_engine.conftest import StartEngine

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]
_WITHIN = 1.15


def init_s(start: Start) -> float:
    """Engine init of a start."""
    return sum(s.length_ns for s in start.phases if s.name == Phase.ENGINE_INIT) / NS_PER_S


def files_of(root: Path) -> dict[str, bytes]:
    """Every file below a folder, but for the note of a pulled cache."""
    return {
        place.relative_to(root).as_posix(): place.read_bytes()
        for place in root.rglob("*")
        if place.is_file() and place.name != ".firstlight-cache.json"
    }


def test_a_published_cache_is_hit(
    start_engine: StartEngine,
    engine_folder: Path,
    tmp_path: Path,
    bucket: str,  # noqa: F811 - the fixture
) -> None:
    """By counters, by the folder that gains nothing, and by the seconds."""
    root = tmp_path / "cache" / "engine"

    def started(label: str) -> Start:
        return start_engine(label, root, VLLM_USE_AOT_COMPILE="0").start

    filled, kept = started("filled"), started("kept")
    command = [str(engine_folder / "venv/bin/vllm"), "serve", str(engine_folder / "model")]
    factors = together(machine_factors(), engine_factors(command, os.environ))
    parcel = Parcel(
        sources=lambda: {"vllm": root / "vllm", "torchinductor": root / "torchinductor"},
        factors=factors,
        command=command,
        private_keys=(PRIVATE,),
        most_bytes=10**9,
    )
    pushed = push(bucket, parcel)
    shutil.rmtree(root)
    order = Order(into=root, here=factors, trusted=(PUBLIC,), timeout_s=60, most_bytes=10**9)
    pulled = pull(bucket, order)
    before = files_of(root)
    restored = started("restored")
    again = started("again")

    assert pushed.manifest == pulled.manifest
    assert CacheVerdict.FILL is filled.compile_cache.verdict
    for start in (kept, restored, again):
        assert (CacheVerdict.HIT, "probe") == (
            start.compile_cache.verdict,
            start.compile_cache.proof,
        )
    assert before == files_of(root)
    assert min(init_s(restored), init_s(again)) <= init_s(kept) * _WITHIN
    assert init_s(filled) > 1.5 * init_s(restored)
