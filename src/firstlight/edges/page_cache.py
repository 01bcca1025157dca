"""
Dropping what the kernel keeps of files in memory, where that is permitted.

A start is cold only if its files come from where they lie. Root may tell the kernel to
forget them; in most containers nobody may, and then that is said, because a cold start from a
warm page cache looks like a fast disk.
"""

import os
from pathlib import Path

from firstlight.core.page_cache import DROPPED

DROP_CACHES = Path("/proc/sys/vm/drop_caches")
_PAGES_ONLY = "1"


def drop_page_cache(control: Path = DROP_CACHES) -> str:
    """Drop it; `dropped`, or why that was not possible."""
    try:
        # Only clean pages are dropped.
        os.sync()
        control.write_text(_PAGES_ONLY)
    except OSError as refused:
        return f"not permitted ({refused.strerror})"
    return DROPPED
