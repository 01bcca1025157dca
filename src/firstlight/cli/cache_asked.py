"""What the commands of `firstlight cache` are told, and how they answer."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

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
MOST_BYTES = click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=16 * _GIB,
    show_default=True,
    help="of all files together",
)


def known(engine: str | None, file: Path | None) -> Any:
    """What is known of an engine that is started here: a command, a file, the machine."""
    from firstlight.caches.factors import Factors  # noqa: PLC0415
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415

    if not engine and file is None:
        raise BadInput(
            "it is not known for which engine",
            remedy="say how it is started (--engine 'vllm serve ...'), or name a file of factors",
        )
    said = factors_here.engine_factors(words(engine), os.environ) if engine else Factors()
    written = factors_here.read_factors(file) if file is not None else Factors()
    return factors_here.together(factors_here.machine_factors(), said, written)


def of_workload(objects: str, file: Path | None) -> Any:
    """What is known of an engine that is started elsewhere: its objects, a file."""
    from firstlight.caches.factors import Factors  # noqa: PLC0415
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415
    from firstlight.wiring.caching.workload_factors import workload_factors  # noqa: PLC0415

    written = factors_here.read_factors(file) if file is not None else Factors()
    return factors_here.together(workload_factors(objects), written)


def words(engine: str) -> list[str]:
    """A command as its words."""
    try:
        return shlex.split(engine)
    except ValueError as broken:
        raise BadInput(f"--engine cannot be read: {broken}", remedy="close its quotes") from broken


def print_answer(
    output: str, document: Callable[[], dict[str, Any]], text: Callable[[], Any]
) -> None:
    """The answer in the form that was asked for."""
    if output == "json":
        print_json(document())
    else:
        console().print(text())
