"""Options that commands of `firstlight cache` have in common."""

from pathlib import Path

import click

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
