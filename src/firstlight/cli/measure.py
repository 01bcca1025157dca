"""`firstlight measure -- COMMAND ...`: make a start happen, and explain it."""

from pathlib import Path

import click

from firstlight.cli.exit_codes import DONE, OUTSIDE_FAILED
from firstlight.cli.output import Finite, console, output_option, print_json, tell
from firstlight.cli.progress import prefixed, shown_progress
from firstlight.core.intervals import shift
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.wiring import MeasuredRound, measure_once

PLAIN, CONTROL = "", "-without-probe"


@click.command(
    "measure",
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  firstlight measure -- vllm serve Qwen/Qwen3-0.6B
  firstlight measure --rounds 5 --label kept-cache -- vllm serve /models/m --port 8001
  firstlight measure --rounds 4 --control -- python -m vllm.entrypoints.openai.api_server --model m
  firstlight explain runs/kept-cache        # read it again later
""",
)
@click.argument("engine", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--label", default="run", show_default=True, help="name of the run folder")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="folder that run folders go to",
)
@click.option("--url", help="where the server will be, if the command does not tell")
@click.option("--probe/--no-probe", default=True, help="name what happens inside each process")
@click.option(
    "--control", is_flag=True, help="after each round one without the probe: what does it cost?"
)
@click.option(
    "--timeout",
    "timeout_s",
    type=Finite(min=1),
    default=900,
    show_default=True,
    help="seconds to wait for an answer",
)
@click.option(
    "--grace",
    "grace_s",
    type=Finite(min=0),
    default=10,
    show_default=True,
    help="seconds from SIGTERM to SIGKILL when the engine is stopped",
)
@output_option
@click.option("--all", "everything", is_flag=True, help="show every part, however short")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    engine: tuple[str, ...],
    rounds: int,
    label: str,
    into: Path,
    url: str | None,
    probe: bool,
    control: bool,
    timeout_s: float,
    grace_s: float,
    output: str,
    everything: bool,
) -> None:
    """Start an engine, watch it come up, stop it, and explain where the time went.

    The engine runs as a child process; its output is kept with a stamp on every line, its
    readiness is asked for every 50 ms, and one real request is made. Everything raw is saved
    before it is interpreted, in RUNS/LABEL/round-NN, which `firstlight explain` reads again.
    """
    measured: dict[str, list[MeasuredRound]] = {}
    variants = [(PLAIN, probe), *([(CONTROL, False)] if control else [])]
    with shown_progress() as progress:
        for number in range(1, rounds + 1):
            for suffix, with_probe in variants:
                of = f"round {number} of {rounds}{suffix.replace('-', ' ')}: "
                measured.setdefault(suffix, []).append(
                    measure_once(
                        engine,
                        into=into,
                        label=label + suffix,
                        progress=prefixed(progress, of),
                        url=url,
                        probe=with_probe,
                        timeout_ns=round(timeout_s * NS_PER_S),
                        grace_ns=round(grace_s * NS_PER_S),
                    )
                )
            if not measured[PLAIN][-1].result.started:
                break
    _print(measured, output=output, everything=everything)
    ctx.exit(_code([m for rounds_ in measured.values() for m in rounds_]))


def _print(measured: dict[str, list[MeasuredRound]], *, output: str, everything: bool) -> None:
    sets = {suffix: [m.start for m in rounds] for suffix, rounds in measured.items()}
    starts = [start for starts in sets.values() for start in starts]
    from firstlight.report.rounds import difference, summary  # noqa: PLC0415

    named = {f"with{suffix}" if suffix else "measured": s for suffix, s in sets.items()}
    if output == "json":
        from firstlight.report.json_contract import explanation  # noqa: PLC0415

        document = explanation(starts) | {
            "folders": [m.result.folder for rounds in measured.values() for m in rounds],
            "sets": summary(named),
        }
        if CONTROL in sets:
            document["probe_cost"] = difference(sets[PLAIN], sets[CONTROL])
        print_json(document)
        return
    from firstlight.report.rounds import summary_table  # noqa: PLC0415
    from firstlight.report.text import print_starts  # noqa: PLC0415

    out = console()
    print_starts(out, starts, everything=everything)
    if len(starts) > 1:
        out.print()
        out.print(summary_table(named))
    if CONTROL in sets:
        out.print(probe_cost(sets[PLAIN], sets[CONTROL]))
    out.print()
    for rounds in measured.values():
        for one in rounds:
            out.print(f"saved in {one.result.folder}", soft_wrap=True)
            for note in one.result.notes:
                out.print(f"  {note}", soft_wrap=True)


def probe_cost(with_probe: list[Start], without: list[Start]) -> str:
    """What the probe itself cost, in a sentence with its interval."""
    from firstlight.report.rounds import in_seconds, totals_ns  # noqa: PLC0415

    found = shift(totals_ns(with_probe), totals_ns(without))
    if found is None:
        return "the probe's cost: too few rounds for an interval (4 with and 4 without are needed)"
    return (
        f"the probe's cost: {in_seconds(found.estimate_ns)} "
        f"({in_seconds(found.low_ns)} to {in_seconds(found.high_ns)})"
        f"{'' if found.excludes_zero else ', no difference seen'}"
    )


def _code(measured: list[MeasuredRound]) -> int:
    """3 where a round did not come up; what failed is in the table, and said once more."""
    failed = [m.result.failure for m in measured if m.result.failure]
    for failure in failed[:1]:
        tell(failure)
    return OUTSIDE_FAILED if failed else DONE
