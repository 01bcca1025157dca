"""
KServe's storage initializer: weights that an init container fetches.

It logs when it begins to copy, when it is done, and in newer versions how long that
took. This happens before vLLM exists, and is the weights' download all the same. The
stamp in front has milliseconds and no zone; older versions stamp otherwise, and their
lines have words but no moment here.
"""

import re
from dataclasses import dataclass

from firstlight.readers.stamps import STAMP, unix_ns

_STAMPED = re.compile(rf"\s{{0,16}}({STAMP})\s")
_WORDS = ("Copying contents of", "Successfully copied", "Model downloaded in")
_SOURCE = r"([a-z][a-z0-9+.-]{0,20}://\S{1,1000})"
_BEGINS = re.compile(rf"\bCopying contents of {_SOURCE} to local\b")
_ENDS = re.compile(rf"\bSuccessfully copied {_SOURCE} to \S")
_TOOK = re.compile(r"\bModel downloaded in ([0-9]{1,9}(?:\.[0-9]{1,30})?) seconds\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageLine:
    """What one line says about the download."""

    begins: bool = False
    ends: bool = False
    source: str = ""
    """`s3://bucket/path`; empty where the line does not name it."""
    seconds: str | None = None
    """How long it took, as printed."""
    at_ns: int | None = None
    """Unix nanoseconds of its stamp; None where the line has none."""
    resolution_ns: int = 0


def storage_download(line: str) -> StorageLine | None:
    """What a line of the storage initializer says; None if it is another line."""
    if not any(words in line for words in _WORDS):
        return None
    begins, ends, took = _BEGINS.search(line), _ENDS.search(line), _TOOK.search(line)
    if not (begins or ends or took):
        return None
    stamped = _STAMPED.match(line)
    moment = unix_ns(stamped[1]) if stamped else None
    source = begins or ends
    return StorageLine(
        begins=begins is not None,
        ends=ends is not None or took is not None,
        source=source[1] if source else "",
        seconds=took[1] if took else None,
        at_ns=moment[0] if moment else None,
        resolution_ns=moment[1] if moment else 0,
    )
