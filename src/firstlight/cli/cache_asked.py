"""What the commands of `firstlight cache` are told, and how they answer."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from firstlight.cli.cache_progress import print_line
from firstlight.cli.output import console, print_json
from firstlight.core.errors import BadInput

_GIB = 1024**3
ENGINE = click.option("--engine", metavar="COMMAND", help="how it is started: 'vllm serve ...'")
TRUST = click.option(
    "--trust",
    multiple=True,
    metavar="KEY|FILE",
    help="a publisher's public key; none for those that this user trusts",
)
ANYBODY = click.option(
    "--trust-unsigned",
    is_flag=True,
    help="take a cache from anybody: only where nobody else can write to the store",
)
FACTORS = click.option(
    "--factors",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="what the cache is for, as `cache key` prints it, instead of the command",
)
EXPECTED = "FIRSTLIGHT_CACHE_EXPECT"
"""A variable that holds what a file of factors would: what a container is given without a file."""
TRANSFER_OUTPUT = click.option(
    "--output",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="text for people, json for machines, jsonl for machines that want to see it go on",
)
MOST_BYTES = click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=16 * _GIB,
    show_default=True,
    help="of all files together",
)


def known(engine: str | None, file: Path | None, *, text: str | None = None) -> Any:
    """
    What is known of an engine that is started here.

    Args:
        engine: its command.
        file: of factors.
        text: what would stand in such a file; a file counts before it.
    """
    from firstlight.caches.factors import Factors  # noqa: PLC0415
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415

    if not engine and file is None and not text:
        raise BadInput(
            "it is not known for which engine",
            remedy="say how it is started (--engine 'vllm serve ...'), or name a file of factors",
        )
    said = factors_here.engine_factors(words(engine), os.environ) if engine else Factors()
    written = _written(file, text)
    return factors_here.together(factors_here.machine_factors(), said, written)


def of_workload(objects: str, file: Path | None) -> Any:
    """What is known of an engine that is started elsewhere: its objects, a file."""
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415
    from firstlight.wiring.caching.workload_factors import workload_factors  # noqa: PLC0415

    return factors_here.together(workload_factors(objects), _written(file, None))


def _written(file: Path | None, text: str | None) -> Any:
    """What a file says, or what would stand in one; nothing where there is neither."""
    from firstlight.caches.factors import Factors  # noqa: PLC0415
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415

    if file is not None:
        return factors_here.read_factors(file)
    if not text:
        return Factors()
    from firstlight.readers.own_yaml import read_own_yaml  # noqa: PLC0415

    remedy = "it holds what `firstlight cache key --of` prints, as JSON"
    return read_own_yaml(EXPECTED, text.encode(), what="value", remedy=remedy).typed(Factors)


def words(engine: str) -> list[str]:
    """A command as its words."""
    try:
        return shlex.split(engine)
    except ValueError as broken:
        raise BadInput(f"--engine cannot be read: {broken}", remedy="close its quotes") from broken


def print_answer(
    output: str, document: Callable[[], dict[str, Any]], text: Callable[[], Any]
) -> None:
    """The answer in the form that was asked for; of many lines it is the last."""
    if output == "jsonl":
        print_line(document())
    elif output == "json":
        print_json(document())
    else:
        console().print(text())
