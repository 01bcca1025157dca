"""
A text that takes long to make and comes out the same each time: made once, then read.

It lies in the user's cache folder, where losing it costs nothing but the time. Its digest stands
before it, so that what was cut off or written over is made anew instead of used.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from firstlight.edges.whole_file import write_whole


def kept_text(
    name: str, make: Callable[[], str], *, environment: Mapping[str, str], home: Path
) -> str:
    """
    The text, from where it was kept or made now.

    Args:
        name: of its file; it must say all that the text depends on.
        make: makes it.
        environment: may say where caches lie.
        home: of the user.
    """
    root = environment.get("XDG_CACHE_HOME") or str(home / ".cache")
    place = Path(root) / "firstlight" / "made" / name
    with suppress(OSError, UnicodeDecodeError):
        digest, _, kept = place.read_text("utf-8").partition("\n")
        if digest == _digest(kept):
            return kept
    text = make()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, f"{_digest(text)}\n{text}".encode(), private=True)
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
