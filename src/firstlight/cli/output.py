"""
What every command prints through: a console for people, JSON for machines.
"""

import json
import math
import re
import shutil
import sys
from typing import IO, TYPE_CHECKING, Any, cast

import click

from firstlight.core.errors import FirstlightError
from firstlight.core.shortened import shortened

if TYPE_CHECKING:
    from rich.console import Console

_BLANKS = re.compile(r" +$", re.MULTILINE)

PIPED_WIDTH = 140
"""Piped output is laid out for this width: nobody reads it in a narrow window."""


MONTH_S = 30 * 24 * 3600
"""The longest that anybody may say something takes."""
MOST_MONEY = 1e9
"""The highest price, in any currency."""


class Finite(click.FloatRange):
    """A number that one can calculate with: Python reads `nan` and `inf` as numbers too."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; a usage error for what is none."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


output_option = click.option(
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text for people, json for machines",
)


def print_json(document: dict[str, Any]) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(document, indent=2 if sys.stdout.isatty() else None))


def tell(error: FirstlightError) -> None:
    """What is wrong and what to do, on standard error; words of others are made visible."""
    from firstlight.report.escape import visible  # noqa: PLC0415

    message, remedy = (visible(shortened(text)) for text in (error.message, error.remedy))
    click.echo(f"firstlight: {message}\n  {remedy}", err=True)


class Trimmed:
    """A stream that takes the blanks off the ends of lines: they only pad a table."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_BLANKS.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return False


def console() -> "Console":
    """A rich console on standard output; rich is imported here, when it is needed."""
    from rich.console import Console  # noqa: PLC0415

    return Console(
        file=sys.stdout if sys.stdout.isatty() else cast("IO[str]", Trimmed(sys.stdout)),
        # COLUMNS counts, also where the output is piped.
        width=shutil.get_terminal_size(fallback=(PIPED_WIDTH, 0)).columns,
        highlight=False,
        soft_wrap=False,
        emoji=False,
        markup=False,
    )
