"""`firstlight report`: one page that shows it, and the same for wikis, spreadsheets, slides."""

from pathlib import Path

import click

from firstlight.cli.exit_codes import DONE

_PAGE = Path("report.html")


@click.command(
    "report",
    epilog="""\b
Examples:
  firstlight report runs/local                          # an experiment's run: report.html
  firstlight report runs/hit/round-01 --to start.html   # one start as a waterfall
  firstlight report bundle/ --to start.perfetto.json    # for ui.perfetto.dev
  firstlight report runs/local --to a.html --to a.md --to rounds.csv --to chart.png
  firstlight explain pod.log --output json > pod.json && firstlight report pod.json
""",
)
@click.argument("given", nargs=-1, required=True, metavar="RUN|DOCUMENT|FILE...")
@click.option(
    "--to",
    "targets",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    default=(_PAGE,),
    show_default=True,
    help="what to write; .html, .md, .csv, .json, .perfetto.json, .svg or .png tells the kind",
)
@click.pass_context
def command(ctx: click.Context, *, given: tuple[str, ...], targets: tuple[Path, ...]) -> None:
    """Make a page of an experiment's run, or of starts: one file that needs no network.

    Everything is worked out anew from what was saved, so the numbers are those that `experiment`
    and `explain` print. A file that is there is replaced.
    """
    from firstlight.report.escape import visible  # noqa: PLC0415
    from firstlight.wiring.reporting import material, written  # noqa: PLC0415

    found = material(given, targets)
    for target in targets:
        written(found, target)
        click.echo(visible(f"written: {target}"))
    ctx.exit(DONE)
