"""How a rendering is shown: what is applied on standard output, what was assumed beside it."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.output import print_json

if TYPE_CHECKING:
    from firstlight.manifests.objects import Identity
    from firstlight.manifests.rendered import Rendered


def print_rendering(rendering: "Rendered", output: str) -> None:
    """A rendering in one of its forms."""
    from firstlight.manifests.render_document import render_document  # noqa: PLC0415
    from firstlight.manifests.rendered_text import (  # noqa: PLC0415
        apart_lines,
        gone_lines,
        objects_text,
        patch_text,
        said_lines,
    )

    beside = said_lines(rendering)
    match output:
        case "json":
            print_json(render_document(rendering))
            beside = []
        case "objects":
            click.echo(objects_text(rendering), nl=False)
            beside += gone_lines(rendering)
        case _:
            click.echo(patch_text(rendering), nl=False)
            beside += [*gone_lines(rendering), *apart_lines(rendering)]
    if not sys.stdout.isatty():
        for said in beside:
            _say(said)


def print_publishing(rendering: "Rendered", target: "Identity | None" = None) -> None:
    """The Job that publishes what the pods pull."""
    from firstlight.wiring.rendering import publishing_text  # noqa: PLC0415

    click.echo(publishing_text(rendering, target), nl=False)


def print_written(
    files: Mapping[str, str], place: Path, assumed: Sequence[str], *, read: str | None = None
) -> None:
    """
    Write a kustomization, name its files, and say what was taken for granted.

    Args:
        files: text by path.
        place: the folder.
        assumed: what to say beside.
        read: what the objects were read from; None where they come from an intent.
    """
    from firstlight.report.escape import visible  # noqa: PLC0415
    from firstlight.wiring.rendering import written  # noqa: PLC0415

    done = written(files, place, read=read)
    for path in done.files:
        click.echo(visible(str(path)))
    for path in done.left:
        _say(f"left from an earlier rendering, and used by nothing: {path}")
    for said in assumed:
        _say(said)


def _say(text: str) -> None:
    """A line on standard error."""
    from firstlight.report.escape import visible  # noqa: PLC0415

    click.echo(visible(text), err=True)
