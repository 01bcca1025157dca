"""
Whether a cache may lie elsewhere than where it was filled.

Before 0.32 vLLM wrote absolute paths of its cache into what it kept there, and on another path
looked for files that are not there (vLLM issue 52154). Since then the paths are made anew from
where the cache lies.
"""

import re

from firstlight.caches.manifest import Manifest
from firstlight.core.cache_places import VLLM
from firstlight.core.errors import BadInput

_SINCE = (0, 32)
_VERSION = re.compile(r"v?(\d+)\.(\d+)")


def check_place(manifest: Manifest, into: str) -> None:
    """
    See that a cache may come to a folder.

    Args:
        manifest: of the cache.
        into: absolute; each kind of cache comes to a folder in it.

    Raises:
        BadInput: its engine would not find it there.
    """
    was = manifest.roots.get(VLLM)
    place = f"{into.rstrip('/')}/{VLLM}"
    if was is None or was == place or _moves(manifest.factors.vllm):
        return
    raise BadInput(
        f"this cache was filled at {was}, and vLLM {manifest.factors.vllm or 'of unknown version'} "
        f"finds it only there, not at {place}",
        remedy=f"pull it with --into {was.rpartition('/')[0]}, or use vLLM 0.32 or newer",
    )


def _moves(version: str | None) -> bool:
    found = _VERSION.match(version or "")
    return found is not None and (int(found[1]), int(found[2])) >= _SINCE
