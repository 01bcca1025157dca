"""`firstlight breakeven`: what waiting costs, what keeping costs, and which is less."""

from pathlib import Path

import click

from firstlight.cli.exit_codes import DONE
from firstlight.cli.output import (
    MONTH_S,
    MOST_MONEY,
    Finite,
    console,
    output_option,
    print_json,
)


@click.command(
    "breakeven",
    epilog="""\b
Examples:
  firstlight breakeven --node-per-hour 4.2 --penalty-per-s 0.01 --records runs --requests log.csv
  firstlight breakeven --node-per-hour 4.2 --penalty-per-s 0.01 --per-hour 6 --shape office \\
      --cold-s 428 --warm-s 335 --wake-s 1       # stated, not measured: no interval
  firstlight breakeven --node-per-hour 4.2 --penalty-per-s 0.01 --per-hour 2 \\
      --cold-s 420,431,428,440 --warm-s 330,338,335,341 --retention-s 900
  firstlight breakeven ... --freed-memory-worth 0.5  # another engine pays half while one sleeps
  firstlight breakeven ... --facts facts.yaml && firstlight decide --facts facts.yaml
""",
)
@click.option(
    "--node-per-hour",
    type=Finite(0, MOST_MONEY),
    required=True,
    help="price of the node, in any currency",
)
@click.option(
    "--penalty-per-s",
    type=Finite(0, MOST_MONEY),
    required=True,
    help="what a second of one user's waiting costs, in the same currency",
)
@click.option("--requests", metavar="FILE", help="a CSV of the times of requests, or -")
@click.option("--column", metavar="NAME", help="which column of it holds the times, or its number")
@click.option("--per-hour", type=Finite(1e-6, 1e7), help="requests, instead of a file")
@click.option(
    "--shape",
    metavar="SHAPE",
    help="of the day: flat, office, or 24 weights with commas  [default: flat]",
)
@click.option(
    "--days", type=click.IntRange(1, 3650), help="to draw where the day has a shape  [default: 30]"
)
@click.option("--seed", type=int, default=1, show_default=True, help="of all chance in the answer")
@click.option(
    "--records",
    multiple=True,
    metavar="PATH",
    help="starts of yours: run folders, bundles, logs; whatever `explain` reads",
)
@click.option(
    "--cold-s", metavar="SECONDS", help="cold starts, as you state them: 428, or 420,431,428,440"
)
@click.option("--warm-s", metavar="SECONDS", help="warm starts, as you state them")
@click.option("--wake-s", metavar="SECONDS", help="wakes from sleep, as you state them")
@click.option(
    "--idle-s",
    type=Finite(0, MONTH_S, min_open=True),
    default=300,
    show_default=True,
    help="the engine goes down so long after the last request's end",
)
@click.option(
    "--request-s",
    type=Finite(0, MONTH_S),
    default=0,
    show_default=True,
    help="how long a request takes",
)
@click.option(
    "--retention-s",
    type=Finite(0, MONTH_S, min_open=True),
    help="how long an empty node is kept  [default: the best there is]",
)
@click.option(
    "--freed-memory-worth",
    type=Finite(0, 1),
    default=0,
    show_default=True,
    help="the share of the node's price that another engine pays while this one sleeps",
)
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="write the facts for `decide`; never over a file",
)
@output_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    node_per_hour: float,
    penalty_per_s: float,
    requests: str | None,
    column: str | None,
    per_hour: float | None,
    shape: str | None,
    days: int | None,
    seed: int,
    records: tuple[str, ...],
    cold_s: str | None,
    warm_s: str | None,
    wake_s: str | None,
    idle_s: float,
    request_s: float,
    retention_s: float | None,
    freed_memory_worth: float,
    facts: Path | None,
    output: str,
) -> None:
    """Price four choices for an engine that nobody asks for a while.

    It can stay awake, sleep on its GPU, go and leave its node for a window, or go with its node.
    Whoever comes back waits: not at all, for a wake, for a warm start, for a cold one. With the
    price of the node and of a second of waiting, each choice has a cost a day.

    Start times come from --records, or are stated. From records, and where several are stated, a
    scenario needs four; fewer are not priced. One stated number is taken as it is.
    """
    if (requests is None) == (per_hour is None):
        raise click.UsageError("give either --requests FILE or --per-hour NUMBER")
    if requests is not None and (shape is not None or days is not None):
        raise click.UsageError("--shape and --days belong to --per-hour")
    if column is not None and requests is None:
        raise click.UsageError("--column belongs to --requests")
    if requests == "":
        raise click.UsageError("--requests wants the name of a file, or -")
    if facts is not None and str(facts) in {"-", "."}:
        raise click.UsageError("--facts wants the name of a new file")
    stated = {"cold": cold_s, "warm": warm_s, "wake": wake_s}
    given = {name: text for name, text in stated.items() if text is not None}
    if not records and not given:
        raise click.UsageError("give start times: --records PATH, or --cold-s, --warm-s, --wake-s")
    from firstlight.breakeven.prices import Prices  # noqa: PLC0415
    from firstlight.wiring.pricing import (  # noqa: PLC0415
        GivenArrivals,
        GivenRule,
        GivenStarts,
        price_choices,
    )

    answer = price_choices(
        GivenArrivals(
            requests=requests,
            column=column,
            per_hour=per_hour,
            shape=shape or "flat",
            days=days or 30,
            seed=seed,
        ),
        starts=GivenStarts(records=records, stated=given),
        rule=GivenRule(idle_s=idle_s, request_s=request_s, retention_s=retention_s),
        prices=Prices(
            node_per_hour=node_per_hour,
            penalty_per_s=penalty_per_s,
            freed_memory_worth=freed_memory_worth,
        ),
        facts=facts,
    )
    if output == "json":
        print_json(answer)
    else:
        from firstlight.report.breakeven_text import print_breakeven  # noqa: PLC0415

        print_breakeven(console(), answer)
    ctx.exit(DONE)
