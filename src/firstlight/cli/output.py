"""
What every command prints through: a console for people, JSON for machines.
"""

import json
import shutil
import sys
from typing import Any

import click

NARROWEST = 100
"""Piped output is laid out for this width: nobody reads it in a narrow window."""

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


def console() -> Any:
    """A rich console on standard output; rich is imported here, when it is needed."""
    from rich.console import Console  # noqa: PLC0415

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else max(NARROWEST, 140)
    return Console(width=width, highlight=False, soft_wrap=False, emoji=False, markup=False)
