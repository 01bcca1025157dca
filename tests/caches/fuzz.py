"""
What a stranger could put on a store, without end: manifests and archives that nobody made.

Two of three are signed by the publisher, because most of what a reader does comes after the
signature, and a publisher can be wrong too. Each input is a valid one that was spoiled: in its
bytes, or in its values by what has hurt readers of such things before. Whatever comes, it is an
error of ours, or what was published; nothing is written outside the one folder.
"""

import io
import json
import random
import tarfile
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from firstlight.caches.manifest import Manifest, canonical
from firstlight.caches.signatures import opened, public_of, sealed
from firstlight.core.errors import FirstlightError
from firstlight.edges.cache_unpacking import unpack

PRIVATE = bytes(range(32))
PUBLIC = public_of(PRIVATE)
NASTY: tuple[Any, ...] = (
    *(
        "../x",
        "/etc/passwd",
        "a/../../x",
        "a//b",
        "",
        ".",
        "..",
        "a\0b",
        "a\\b",
        "\ud800",
        "\x1b[31m",
    ),
    *(
        "é" * 600,
        "a/" * 80 + "b",
        0,
        -1,
        2**63,
        2**70,
        1.5,
        float("inf"),
        None,
        True,
        [],
        {},
        "0" * 64,
    ),
    *("x" * 70_000, {"a": {"b": {"c": []}}}, [[[[[[]]]]]]),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One valid pair."""

    manifest: Manifest
    archive: bytes
    files: dict[str, bytes]


def one(chance: random.Random, seed: Seed, folder: Path) -> None:
    """
    One input of this fuzzer.

    Args:
        chance: decides all.
        seed: what is spoiled.
        folder: an empty one, inside another that holds nothing else.
    """
    manifest, archive = canonical(seed.manifest), seed.archive
    what = chance.randrange(4)
    if what == 0:
        stored = _bytes(chance, sealed(manifest, [PRIVATE]))
    elif what == 1:
        stored = sealed(_values(chance, manifest), [PRIVATE])
    else:
        stored = sealed(manifest, [PRIVATE])
        archive = _archive(chance, archive)
    try:
        found, _ = opened("manifest", stored, [PUBLIC])
        unpack(found, io.BytesIO(archive), folder)
    except FirstlightError:
        found = None
    beside = [place for place in folder.parent.iterdir() if place != folder]
    assert [] == beside, beside
    if found is not None:
        written = {
            place.relative_to(folder).as_posix(): place.read_bytes()
            for place in folder.rglob("*")
            if place.is_file()
        }
        assert seed.files == written


def _bytes(chance: random.Random, data: bytes) -> bytes:
    spoiled = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(spoiled) + 1)
        match chance.randrange(4):
            case 0:
                spoiled[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del spoiled[at : at + chance.randrange(1, 40)]
            case 2:
                spoiled[at:at] = chance.randbytes(chance.randrange(1, 40))
            case _:
                spoiled[at:at] = spoiled[at : at + chance.randrange(1, 200)]
    return bytes(spoiled)


def _values(chance: random.Random, manifest: bytes) -> bytes:
    """Another value somewhere, one more, or one less; not always written as one is."""
    value = json.loads(manifest)
    for _ in range(chance.randint(1, 3)):
        _spoil(chance, value)
    text = json.dumps(value, sort_keys=chance.random() < 0.9, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _spoil(chance: random.Random, value: Any) -> None:
    while isinstance(value, dict | list) and value:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = chance.choice(keys)
        inner = value[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.7:
            value = inner
            continue
        match chance.randrange(4):
            case 0:
                del value[key]
            case 1 if isinstance(value, list):
                value.append(deepcopy(inner))
            case 2 if isinstance(value, dict):
                value[chance.choice(["x", "path", "key", ""])] = deepcopy(inner)
            case _:
                value[key] = deepcopy(chance.choice(NASTY))
        return


def _archive(chance: random.Random, archive: bytes) -> bytes:
    if chance.random() < 0.3:
        return _bytes(chance, archive)
    plain = zstandard.ZstdDecompressor().decompressobj().decompress(archive)
    spoil = chance.choice([_bytes, _members])
    return zstandard.ZstdCompressor(write_checksum=True).compress(spoil(chance, plain))


def _members(chance: random.Random, _: bytes) -> bytes:
    """Another archive altogether, of members that no cache has."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for _number in range(chance.randint(1, 4)):
            info = tarfile.TarInfo(chance.choice(["vllm/a", "../x", "/tmp/x", "vllm/b", "x" * 300]))
            info.type = chance.choice(
                [
                    tarfile.REGTYPE,
                    tarfile.SYMTYPE,
                    tarfile.LNKTYPE,
                    tarfile.CHRTYPE,
                    tarfile.DIRTYPE,
                ]
            )
            info.mode = chance.choice([0o644, 0o4755, 0o777])
            info.linkname = chance.choice(["/etc/passwd", "../../x", "vllm/a"])
            info.size = 5 if info.type == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(b"graph"))
    return out.getvalue()
