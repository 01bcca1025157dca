"""`firstlight measure -- COMMAND ...`: make a start happen, and explain it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import click

from firstlight.cli.exit_codes import DONE, OUTSIDE_FAILED
from firstlight.cli.output import Finite, console, output_option, print_json, tell
from firstlight.cli.progress import prefixed, shown_progress
from firstlight.core.errors import FirstlightError
from firstlight.core.units import NS_PER_S
from firstlight.wiring.measuring import MeasuredRound, measure_once

MEASURED, CONTROL = "measured", "without the probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way the command is started, round after round."""

    name: str
    label: str
    probe: bool


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
    "--control",
    is_flag=True,
    help="after each round one without the probe: what does it cost? (an interval needs 4)",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=Finite(min=1),
    default=900,
    show_default=True,
    help="seconds to wait for /health 200, and again, 120 at most, for the first token",
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
    if control and not probe:
        raise click.UsageError("--control measures what the probe costs; --no-probe leaves it out")
    variants = [Variant(name=MEASURED, label=label, probe=probe)]
    if control:
        variants.append(Variant(name=CONTROL, label=f"{label}-without-probe", probe=False))
    measured: dict[str, list[MeasuredRound]] = {variant.name: [] for variant in variants}
    with shown_progress() as progress, _told_when_interrupted(measured, into / label):
        for number, variant in product(range(1, rounds + 1), variants):
            prefix = f"round {number} of {rounds}, {variant.name}: "
            one = measure_once(
                engine,
                into=into,
                label=variant.label,
                progress=prefixed(progress, prefix if control or rounds > 1 else ""),
                url=url,
                probe=variant.probe,
                timeout_ns=round(timeout_s * NS_PER_S),
                grace_ns=round(grace_s * NS_PER_S),
            )
            measured[variant.name].append(one)
            if not one.result.started:
                break
    _print(measured, output=output, everything=everything)
    failures = [one.result.failure for rounds_ in measured.values() for one in rounds_]
    for failure in [f for f in failures if f][:1]:
        tell(failure)
    ctx.exit(OUTSIDE_FAILED if any(failures) else DONE)


@contextmanager
def _told_when_interrupted(
    measured: dict[str, list[MeasuredRound]], folder: Path
) -> Iterator[None]:
    """Say what an interrupted series leaves behind, and where."""
    try:
        yield
    except KeyboardInterrupt:
        finished = sum(len(rounds) for rounds in measured.values())
        told = f"interrupted; {finished} finished before, and what there is of the last is kept"
        tell(FirstlightError(told, remedy=f"read them with `firstlight explain {folder}`"))
        raise


def _print(measured: dict[str, list[MeasuredRound]], *, output: str, everything: bool) -> None:
    from firstlight.report.rounds import (  # noqa: PLC0415
        difference,
        probe_cost,
        summary,
        summary_table,
    )

    sets = {name: [one.start for one in rounds] for name, rounds in measured.items()}
    starts = [start for starts in sets.values() for start in starts]
    if output == "json":
        from firstlight.report.json_contract import explanation  # noqa: PLC0415

        document = explanation(starts) | {
            "folders": [one.result.folder for rounds in measured.values() for one in rounds],
            "sets": summary(sets),
        }
        if CONTROL in sets:
            document["probe_cost"] = difference(sets[MEASURED], sets[CONTROL])
        print_json(document)
        return
    from firstlight.report.escape import visible  # noqa: PLC0415
    from firstlight.report.text import print_starts  # noqa: PLC0415

    out = console()
    print_starts(out, starts, everything=everything)
    if len(starts) > 1:
        out.print()
        out.print(summary_table(sets))
    if CONTROL in sets:
        out.print(probe_cost(sets[MEASURED], sets[CONTROL]))
    out.print()
    for one in (one for rounds in measured.values() for one in rounds):
        out.print(visible(f"saved in {one.result.folder}"), soft_wrap=True)
        for note in one.result.notes:
            out.print(visible(f"  {note}"), soft_wrap=True)
