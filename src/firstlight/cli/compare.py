"""`firstlight compare`: is the second start faster, and may that be said."""

import click

from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE
from firstlight.cli.output import console, output_option, print_json
from firstlight.compare.verdict import Verdict


@click.command(
    "compare",
    epilog="""\b
Examples:
  firstlight compare runs/before runs/after --changed 'argument:--load-format'
  firstlight compare runs/mounted runs/streamed --technique stream-weights
  firstlight compare before.log after.log --phase weight_load
  firstlight compare day1/before day1/after --a day2/before --b day2/after --changed image
  firstlight compare cold/before cold/after --technique stream-weights --may-vary zone
  firstlight compare bundles/cold bundles/warm --scenarios
""",
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--a", "more_first", multiple=True, metavar="PATH", help="more rounds of A")
@click.option("--b", "more_second", multiple=True, metavar="PATH", help="more rounds of B")
@click.option(
    "--changed",
    multiple=True,
    metavar="NAME",
    help="what you changed, by its name in the fingerprint (`argument:--load-format`, "
    "`environment:VLLM_*`, `compile cache`); may be given more than once",
)
@click.option(
    "--may-vary",
    multiple=True,
    metavar="NAME",
    help="what may be different from round to round within A and B, such as the `zone` where an "
    "autoscaler chooses it: its rounds are pooled, and that is said; may be given more than once",
)
@click.option("--technique", metavar="ID", help="the change, and the phases it claims, by its card")
@click.option(
    "--phase",
    "phases",
    multiple=True,
    metavar="NAME",
    help="a phase that the change is to move, named beforehand: it gets a verdict of its own",
)
@click.option(
    "--scenarios",
    is_flag=True,
    help="A are cold starts and B warm ones: what went away, what came back, what remains",
)
@output_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    first: str,
    second: str,
    more_first: tuple[str, ...],
    more_second: tuple[str, ...],
    changed: tuple[str, ...],
    may_vary: tuple[str, ...],
    technique: str | None,
    phases: tuple[str, ...],
    scenarios: bool,
    output: str,
) -> None:
    """Hold the starts of B against those of A: which phase moved, by how much, how sure that is.

    A and B are whatever `explain` reads: a run folder with its rounds, a bundle, a log. Rounds
    that fill a cache for the others are left out, and said to be. Starts that differ in more than
    what you say you changed are not compared, and nor are fewer than four a side; a technique
    that took no effect in B is not applied. Then the exit code is 1, unless --scenarios asked for
    arithmetic only. No engine is asked what it serves: `firstlight experiment` does that.
    """
    from firstlight.wiring.comparing import compare_inputs  # noqa: PLC0415

    document = compare_inputs(
        [first, *more_first],
        [second, *more_second],
        changed=changed,
        may_vary=may_vary,
        technique=technique,
        phases=phases,
        scenarios=scenarios,
    )
    if output == "json":
        print_json(document)
    else:
        from firstlight.report.compare_text import print_comparison  # noqa: PLC0415

        print_comparison(console(), document)
    is_answered = Verdict(document["verdict"]).is_result or document.get("scenarios")
    ctx.exit(DONE if is_answered else ANSWER_IS_NO)
