"""
How far `firstlight cache push` and `pull` have come: words for people, JSON lines for programs.

A cache of hundreds of megabytes is read in a thousand pieces, and the log of a container is
no place for a thousand lines: of one kind of step a second passes between two.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from firstlight.cli.progress import shown_progress
from firstlight.wiring.caching.steps import Event, Progress, Step

SCHEMA = "firstlight.cache.progress/1"
_EVERY_S = 1.0
MB = 1_000_000
_DOING = {
    Event.PACKING: "packing",
    Event.WRITING: "writing to the store",
    Event.LOOKING: "looking for a cache that fits",
    Event.CHOSEN: "found a cache that fits",
    Event.UNPACKING: "fetching and unpacking",
}


@contextmanager
def shown_steps(output: str) -> Iterator[Progress]:
    """Something that takes the steps of a push or a pull, and shows them as is asked for."""
    if output == "jsonl":
        began_s = time.monotonic()
        yield _seldom(lambda step: print_line(step_document(step, time.monotonic() - began_s)))
        return
    with shown_progress() as say:

        def show(step: Step) -> None:
            say(step_words(step))

        yield show if sys.stderr.isatty() else _seldom(show)


def print_line(document: dict[str, Any]) -> None:
    """One JSON object on one line of standard output, at once."""
    click.echo(json.dumps(document))


def step_document(step: Step, seconds: float) -> dict[str, Any]:
    """For programs, with the seconds since the command began; what is not known is null."""
    return {
        "schema": SCHEMA,
        "event": step.event.value,
        "seconds": round(seconds, 3),
        "bytes_done": step.bytes_done,
        "bytes_of": step.bytes_of,
        "key": step.key,
        "why": step.why,
    }


def step_words(step: Step) -> str:
    """For people."""
    if step.event is Event.WAITING:
        return f"waiting for {step.why}"
    doing = _DOING[step.event]
    if step.bytes_of is None:
        return doing
    of = f"{step.bytes_of / MB:.1f} MB"
    if step.bytes_done is None:
        return f"{doing}: {of}"
    share = 100 * step.bytes_done // max(1, step.bytes_of)
    return f"{doing}: {share} % of {of}"


def _seldom(show: Callable[[Step], None]) -> Progress:
    """The first step of each kind, and of the same kind one a second."""
    last: Step | None = None
    shown_s = 0.0

    def told(step: Step) -> None:
        nonlocal last, shown_s
        now_s = time.monotonic()
        if last is None or step.event is not last.event or now_s - shown_s >= _EVERY_S:
            last, shown_s = step, now_s
            show(step)

    return told
