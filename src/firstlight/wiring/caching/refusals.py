"""
Whatever breaks, in our words.

A cache is a convenience: no fault in what brings it, ours included, may keep an engine from
starting. So whoever asks for one has to catch `FirstlightError` and nothing else.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from firstlight.core.errors import FirstlightError, OutsideFailed


@contextmanager
def in_our_words(done: str) -> Iterator[None]:
    """
    Within, nothing is raised but ours, and what ends a program.

    Args:
        done: what was being done, for a sentence: "pulling a cache".

    Raises:
        OutsideFailed: the file system refused in a way nobody foresaw, or we have a fault.
    """
    try:
        yield
    except (FirstlightError, KeyboardInterrupt, SystemExit):
        raise
    except OSError as broken:
        place = f" at {broken.filename}" if broken.filename else ""
        raise OutsideFailed(
            f"{done} broke off{place}: {broken.strerror or broken}",
            remedy="see that this user may read and write there",
        ) from broken
    # Also what comes from below Python: a panic in Rust is no `Exception`.
    except BaseException as fault:
        raise OutsideFailed(
            f"{done} broke off by a fault of firstlight: {type(fault).__name__}: {fault}",
            remedy="please report this line",
        ) from fault
