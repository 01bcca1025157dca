"""Small caches that come to their target, without a store."""

from pathlib import Path

from msgspec.structs import replace

from firstlight.caches.manifest import Archive, File, Manifest
from firstlight.edges.cache_target import CacheTarget
from tests.caches.made import digest, manifest
from tests.caching.small import write

FILES = {"vllm/a": b"graph", "vllm/b/c": b"", "triton/k.so": bytes(999)}
OTHER = {"vllm/a": b"other"}


def said(files: dict[str, bytes] = FILES) -> Manifest:
    """A manifest of these files."""
    return replace(
        manifest(),
        archive=Archive(sha256=digest(repr(files).encode()), size_bytes=1),
        files=tuple(
            File(path=path, size_bytes=len(data), sha256=digest(data))
            for path, data in sorted(files.items())
        ),
    )


def came(into: Path, files: dict[str, bytes] = FILES, *, replaces: bool = False) -> bool:
    """Bring them, as a pull does."""
    target = CacheTarget(into, replaces=replaces)
    return came_over(target, target.check_free(), files)


def came_over(target: CacheTarget, over: bytes | None, files: dict[str, bytes] = FILES) -> bool:
    with target.growing() as growing:
        write(growing.new, files)
        return target.arrive(growing, said(files), over=over)


def beside(into: Path) -> list[str]:
    return sorted(place.name for place in into.parent.iterdir() if place != into)
