"""`firstlight decide`: which decisions still stand, given what is known today."""

from pathlib import Path

import click

from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE
from firstlight.cli.output import console, output_option, print_json

_GIVEN = click.Path(path_type=Path)


@click.command(
    "decide",
    epilog="""\b
Examples:
  firstlight decide                                # ./decisions.yaml, or the built-in register
  firstlight decide --set ebs_gbps=20              # a fact of yours
  firstlight decide --records runs/streamed        # what your own starts show
  firstlight decide --technique ebs-weights        # one decision in full
  firstlight decide --new decisions.yaml           # a register of your own, to keep in git
  firstlight decide decisions.yaml --facts facts.yaml --check   # in CI: 1 when one flips
""",
)
@click.argument("register", required=False, type=_GIVEN)
@click.option(
    "--facts", "facts", multiple=True, type=_GIVEN, help="a YAML map from facts to numbers"
)
@click.option(
    "--set", "assigned", multiple=True, metavar="NAME=VALUE", help="one fact; nearer than a file"
)
@click.option(
    "--records",
    multiple=True,
    metavar="PATH",
    help="starts of yours: run folders, bundles, logs; whatever `explain` reads",
)
@click.option("--technique", metavar="ID", help="the decision about this one, in full")
@click.option("--check", is_flag=True, help="exit with 1 when a decision flips")
@click.option("--new", type=_GIVEN, metavar="FILE", help="write a new register; never over another")
@output_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    register: Path | None,
    facts: tuple[Path, ...],
    assigned: tuple[str, ...],
    records: tuple[str, ...],
    technique: str | None,
    check: bool,
    new: Path | None,
    output: str,
) -> None:
    """Hold what was decided against the facts: what stands, what flips, and why.

    REGISTER is a file of decisions, each with a condition to look again. Without one,
    ./decisions.yaml is read, or, where that is not there, the register that comes with
    firstlight. Facts come from --set, --facts, --records, the register itself and, last, the
    reference case; the answer says which.
    """
    from firstlight.wiring.deciding import GivenFacts, decide, new_register  # noqa: PLC0415

    given = GivenFacts(files=facts, assignments=assigned, records=records)
    if new is not None:
        if register is not None or records or technique or check or output == "json":
            raise click.UsageError("--new takes only --facts and --set beside it")
        made = new_register(new, given=given)
        from firstlight.report.escape import visible  # noqa: PLC0415

        click.echo(visible(f"written: {new}, {len(made.decisions)} decisions"))
        return
    answer = decide(register, given=given, technique=technique)
    if output == "json":
        print_json(answer)
    else:
        from firstlight.report.decisions_text import print_decisions  # noqa: PLC0415

        print_decisions(console(), answer, in_full=technique is not None)
    ctx.exit(ANSWER_IS_NO if check and answer["counts"]["flips"] else DONE)
