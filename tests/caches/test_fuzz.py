"""A minute of inputs that nobody made; each run draws others, and says which."""

import io
import random
import secrets
import shutil
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from firstlight.edges.cache_packing import pack
from tests.caches.fuzz import Seed, one
from tests.caches.made import manifest

FILES = {"a": b"graph", "b/c": b"x" * 700, "b/empty": b""}
LENGTH_S = 60


@pytest.mark.timeout(LENGTH_S + 30)
def test_nothing_that_nobody_made_is_taken(tmp_path: Path) -> None:
    """An error of ours, or what was published."""
    root = tmp_path / "root"
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    out = io.BytesIO()
    packed = pack({"vllm": root}, out)
    seed = Seed(
        manifest=replace(manifest(), archive=packed.archive, files=packed.files),
        archive=out.getvalue(),
        files={f"vllm/{name}": data for name, data in FILES.items()},
    )
    begins = secrets.randbits(32)
    inside = tmp_path / "inside"
    until_s, number = time.monotonic() + LENGTH_S, 0
    while time.monotonic() < until_s:
        folder = inside / "folder"
        folder.mkdir(parents=True)
        try:
            one(random.Random(begins + number), seed, folder)  # noqa: S311 - drawn, not hidden
        except BaseException as error:
            error.add_note(f"random.Random({begins + number})")
            raise
        shutil.rmtree(inside)
        number += 1

    assert number > 1000
