"""
Progress of long work: one changing line on a terminal, plain lines elsewhere.

It goes to standard error, so that standard output stays the answer alone.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from firstlight.measure.ports import Progress
from firstlight.report.escape import visible


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Something that takes the words for what is being waited for."""
    if sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415

        with Console(stderr=True, emoji=False, markup=False).status("") as status:
            yield lambda words: status.update(visible(words))
        return
    began = time.monotonic()
    last = ""

    def say(words: str) -> None:
        nonlocal last
        if words != last:
            click.echo(f"[{time.monotonic() - began:6.1f} s] {visible(words)}", err=True)
            last = words

    yield say


def prefixed(progress: Progress, prefix: str) -> Progress:
    """The same progress with words before each of its words."""
    return lambda words: progress(prefix + words)
