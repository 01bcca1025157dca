"""A small cache, and what one does with it."""

import os
from collections.abc import Sequence
from pathlib import Path

from firstlight.caches.factors import Factors
from firstlight.caches.signatures import public_of
from firstlight.wiring.caching.pulling import Order, Pulled, pull
from firstlight.wiring.caching.pushing import Parcel, Pushed, push
from tests.caches.made import FACTORS

PRIVATE = bytes(range(32))
PUBLIC = public_of(PRIVATE)
FILES = {
    "vllm/torch_compile_cache/0a/rank_0_0/model": b"graph" * 5000,
    "vllm/modelinfos/x.json": b"{}",
    "torchinductor/aa/kernel.so": bytes(range(256)) * 200,
}


def write(root: Path, files: dict[str, bytes] = FILES) -> Path:
    """A folder as `cache env` lays it out."""
    for name, data in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        os.utime(place, (1_700_000_000, 1_700_000_000))
    return root


def read(root: Path) -> dict[str, bytes]:
    """What an engine would find there."""
    return {
        place.relative_to(root).as_posix(): place.read_bytes()
        for place in root.rglob("*")
        if place.is_file() and place.name != ".firstlight-cache.json"
    }


def pushed(
    url: str,
    root: Path,
    *,
    factors: Factors = FACTORS,
    private_keys: Sequence[bytes] = (PRIVATE,),
    replaces: bool = False,
) -> Pushed:
    """Publish it."""
    parcel = Parcel(
        sources=lambda: {place.name: place for place in sorted(root.iterdir())},
        factors=factors,
        command=("vllm", "serve", "/models/m"),
        private_keys=private_keys,
        most_bytes=10**9,
        replaces=replaces,
    )
    return push(url, parcel)


def pulled(
    url: str, into: Path, *, here: Factors = FACTORS, replaces: bool = False, timeout_s: float = 60
) -> Pulled:
    """Take it."""
    order = Order(
        into=into,
        here=here,
        trusted=(PUBLIC,),
        timeout_s=timeout_s,
        most_bytes=10**9,
        replaces=replaces,
    )
    return pull(url, order)
