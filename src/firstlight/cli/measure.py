"""
`firstlight measure -- COMMAND ...` and `firstlight measure deployment/NAME`: make a start
happen, and explain it.

Two forms of one command. What stands behind `--` is a command and nobody's options but its
own; without it, a word like `deployment/NAME` makes it the form of a cluster. The options
of a cluster do not exist in the other form, where they may be the engine's.
"""

import shutil
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.exit_codes import DONE, OUTSIDE_FAILED
from firstlight.cli.interruption import told_when_interrupted
from firstlight.cli.output import MONTH_S, Finite, console, output_option, print_json, tell
from firstlight.cli.progress import prefixed, shown_progress
from firstlight.core.units import NS_PER_S
from firstlight.core.workloads import names_a_workload
from firstlight.wiring.measuring import MeasuredRound, measure_once

MEASURED, CONTROL = "measured", "without the probe"
_FORM = "firstlight.measure.form"
IN_CLUSTER_ONLY = {
    "--scenario",
    "--follow",
    "--restore",
    "--yes",
    "--namespace",
    "-n",
    "--context",
    "--kubeconfig",
    "--port",
    "--no-first-token",
    "--probe-from",
}
PROCESS_ONLY = ("url", "probe", "control", "grace_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way the command is started, round after round."""

    name: str
    label: str
    probe: bool


class Forms(click.Command):
    """Knows which of the two forms a command line has, before its options are read."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ours = args[: args.index("--")] if "--" in args else args
        asked_for = [word for word in ours if word.partition("=")[0] in IN_CLUSTER_ONLY]
        named = any(map(names_a_workload, ours)) or "--restore" in ours
        in_cluster = "--" not in args and named
        if asked_for and "--" in args:
            raise _in_a_cluster(asked_for[0], ctx)
        ctx.meta[_FORM] = "both" if {"--help", "-h"} & set(ours) else in_cluster
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        if ctx.meta.get(_FORM, "both"):
            return params
        return [one for one in params if not IN_CLUSTER_ONLY & {*one.opts, *one.secondary_opts}]


@click.command(
    "measure",
    cls=Forms,
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  firstlight measure -- vllm serve Qwen/Qwen3-0.6B
  firstlight measure --rounds 5 --label kept-cache -- vllm serve /models/m --port 8001
  firstlight measure --rounds 4 --control -- python -m vllm.entrypoints.openai.api_server --model m
  firstlight measure deployment/vllm --scenario cold --yes      # a new node, if one can be had
  firstlight measure deployment/vllm -n serving --yes --rounds 3 # same node, new pod
  firstlight measure deployment/vllm --follow   # wait for the next start, change nothing
  firstlight measure --restore                  # uncordon what a killed measurement left
  firstlight explain runs/kept-cache            # read it again later
""",
)
@click.argument(
    "engine", nargs=-1, type=click.UNPROCESSED, metavar="(-- COMMAND... | deployment/NAME)"
)
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--label", help="name of the run folder  [default: run, or the workload's name]")
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
    type=Finite(1, MONTH_S),
    help="seconds to wait for /health 200 (900), or for the pod to be Ready (1800), and again, "
    "120 at most, for the first token",
)
@click.option(
    "--grace",
    "grace_s",
    type=Finite(0, MONTH_S),
    default=10,
    show_default=True,
    help="seconds from SIGTERM to SIGKILL when the engine is stopped",
)
@click.option(
    "--scenario",
    type=click.Choice(["cold", "warm"]),
    help="in a cluster: cold cordons the nodes that could take the pod and deletes it; warm, the "
    "default, deletes it",
)
@click.option("--follow", is_flag=True, help="in a cluster: wait for the next start, cause none")
@click.option("--restore", is_flag=True, help="uncordon what a killed measurement left cordoned")
@click.option("--yes", is_flag=True, help="do it; without it, what would be done is said")
@cluster_options
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="of the server in the pod  [default: its probe's, or its container's]",
)
@click.option("--no-first-token", is_flag=True, help="do not ask the pod's server for a token")
@click.option("--probe-from", help="folder in the engine's container that the probe writes to")
@output_option
@click.option("--all", "everything", is_flag=True, help="show every part, however short")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    engine: tuple[str, ...],
    rounds: int,
    label: str | None,
    into: Path,
    url: str | None,
    probe: bool,
    control: bool,
    timeout_s: float | None,
    grace_s: float,
    output: str,
    everything: bool,
    **in_cluster: Any,
) -> None:
    """Start an engine, watch it come up, and explain where the time went.

    With a command, the engine runs as a child process; its output is kept with a stamp on every
    line, its readiness is asked for every 50 ms, and one real request is made. Everything raw
    is saved before it is interpreted, in RUNS/LABEL/round-NN, which `firstlight explain` reads
    again. Then the engine is stopped.

    With deployment/NAME (or statefulset/NAME), its pod is deleted and the next one watched
    until it is Ready, or with --follow only watched; it is asked for one token, and all that
    its start left in the cluster is saved. What is changed for that is said before, and put
    back after, whatever happens.
    """
    if in_cluster:
        ctx.exit(_in_cluster(ctx, engine, in_cluster))
    if not engine:
        raise click.UsageError("name a command behind --, or deployment/NAME", ctx)
    if engine[0].partition("=")[0] in IN_CLUSTER_ONLY:
        raise _in_a_cluster(engine[0], ctx)
    if len(engine) == 1 and "/" not in engine[0] and shutil.which(engine[0]) is None:
        raise click.UsageError(
            f"{engine[0]} is no program here; a workload of a cluster is deployment/{engine[0]}",
            ctx,
        )
    label = "run" if label is None else label
    if control and not probe:
        raise click.UsageError("--control measures what the probe costs; --no-probe leaves it out")
    variants = [Variant(name=MEASURED, label=label, probe=probe)]
    if control:
        variants.append(Variant(name=CONTROL, label=f"{label}-without-probe", probe=False))
    measured: dict[str, list[MeasuredRound]] = {variant.name: [] for variant in variants}
    with (
        shown_progress() as progress,
        told_when_interrupted(
            lambda: sum(map(len, measured.values())),
            last="what there is of the last is kept",
            folder=into / label,
        ),
    ):
        for number, variant in product(range(1, rounds + 1), variants):
            prefix = f"round {number} of {rounds}, {variant.name}: "
            one = measure_once(
                engine,
                into=into,
                label=variant.label,
                progress=prefixed(progress, prefix if control or rounds > 1 else ""),
                url=url,
                probe=variant.probe,
                timeout_ns=None if timeout_s is None else round(timeout_s * NS_PER_S),
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


def _in_a_cluster(option: str, ctx: click.Context) -> click.UsageError:
    what = f"{option} is for a start in a cluster: name deployment/NAME, and no command"
    return click.UsageError(what, ctx)


def _in_cluster(ctx: click.Context, targets: tuple[str, ...], options: dict[str, Any]) -> int:
    from firstlight.cli.measure_pods import carried_out  # noqa: PLC0415

    given = [
        name
        for name in PROCESS_ONLY
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    ]
    if given:
        flag = given[0].removesuffix("_s")
        raise click.UsageError(f"--{flag} is for a command that is started here", ctx)
    return carried_out(targets, ctx.params | options)


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
