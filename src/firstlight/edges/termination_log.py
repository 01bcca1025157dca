"""
The file whose words Kubernetes shows beside how a container ended.

The kubelet mounts it at its place, so it is written to where it is: nothing can be renamed onto a
mount point. It shows 4096 bytes of it.
"""

import os
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 4096
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC


def leave_words(file: Path, words: str) -> None:
    """
    Write them; where that cannot be, nothing: they were printed as well.

    Args:
        file: `/dev/termination-log`, or where `terminationMessagePath` says.
        words: one line.
    """
    with suppress(OSError, ValueError), os.fdopen(os.open(file, _WRITE, 0o644), "wb") as out:
        out.write(words.encode("utf-8", "backslashreplace")[:MOST_BYTES])
