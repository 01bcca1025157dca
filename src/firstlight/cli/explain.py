"""`firstlight explain`: attribute a start from what was saved of it."""

import click

from firstlight.cli.output import Finite, console, output_option, print_json
from firstlight.wiring.explaining import explain_inputs


@click.command(
    "explain",
    epilog="""\b
Examples:
  kubectl logs POD --timestamps | firstlight explain -
  firstlight explain pod.log --link-gbps 50
  firstlight explain before.log after.log --output json
  firstlight explain runs/plain            # a folder that `measure` wrote
""",
)
@click.argument("inputs", nargs=-1, required=True, metavar="FILE|FOLDER|- ...")
@output_option
@click.option(
    "--link-gbps",
    type=Finite(min=0, min_open=True),
    help="speed of the link the weights came over, to say what share was used",
)
@click.option("--node-type", help="the node's EC2 instance type, instead of --link-gbps")
@click.option("--all", "everything", is_flag=True, help="show every part, however short")
def command(
    *,
    inputs: tuple[str, ...],
    output: str,
    link_gbps: float | None,
    node_type: str | None,
    everything: bool,
) -> None:
    """Attribute every second of a vLLM start from its logs.

    Reads plain, CRI, docker, compose and JSON logs, compressed or not, and folders that
    `firstlight measure` wrote. Offline and read-only. A file may hold several starts.
    """
    starts = explain_inputs(inputs, link_gbps=link_gbps, node_type=node_type)
    if output == "json":
        from firstlight.report.json_contract import explanation  # noqa: PLC0415

        print_json(explanation(starts))
        return
    from firstlight.report.text import print_starts  # noqa: PLC0415

    print_starts(console(), starts, everything=everything)
