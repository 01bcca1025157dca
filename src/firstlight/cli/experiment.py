"""
`firstlight experiment plan|run|resume|report`: one change at a time, over rounds.

What is to be run, how long it takes and what it costs is said before anything is started. A
run is stopped with Ctrl-C, a kill or a full disk, and goes on with `resume`.
"""

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.exit_codes import DONE, OUTSIDE_FAILED
from firstlight.cli.output import console, output_option, print_json, tell
from firstlight.cli.progress import shown_progress
from firstlight.core.errors import BadInput, Interrupted
from firstlight.experiment.beforehand import said_beforehand
from firstlight.experiment.estimate import Estimate, estimate
from firstlight.experiment.ledger import Ledger
from firstlight.experiment.plan import KUBERNETES
from firstlight.experiment.plan_document import plan_document
from firstlight.experiment.turns import too_late
from firstlight.report.escape import visible
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.comparing import require_statistics
from firstlight.wiring.experimenting.opening import (
    OpenRun,
    Prepared,
    Where,
    foreseen,
    opened,
    prepared_file,
)
from firstlight.wiring.experimenting.undertaking import Undertaking, undertaking

_PLAN = click.argument("file", type=click.Path(path_type=Path))
_RUN = click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")


def _settings(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{one!r} is not NAME=VALUE")
        found[name] = value
    return found


_set = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="what ${NAME} in the plan stands for on this machine",
)
_yes = click.option("--yes", is_flag=True, help="begin without asking")


@click.group(
    "experiment",
    epilog="""\b
Examples:
  firstlight experiment plan examples/local.yaml        # steps, proofs, hours, cost; runs nothing
  firstlight experiment run plan.yaml --into runs/first --set mount=/mnt/models
  firstlight experiment run plan.yaml --into runs/pods -n serving   # a plan on a cluster's objects
  firstlight experiment resume runs/first               # after Ctrl-C, a kill, a full disk
  firstlight experiment report runs/first               # the numbers again, from the artefacts
  firstlight experiment report runs/first --output json
""",
)
def command() -> None:
    """Prove what each change buys: one change at a time, neighbours taking turns.

    A plan names a base, steps of one change each, scenarios and rounds. Every step is proven to
    differ from the one before by its own change alone; rounds that fill a cache are set apart;
    whether a technique took effect is told from evidence; every round is written down before
    the next begins.
    """


@command.command("plan")
@_PLAN
@_set
@output_option
def plan(file: Path, settings: dict[str, str], output: str) -> None:
    """Say what a plan comes to, and run nothing.

    Each step with what differs from the one before, the rounds, the hours and the cost.
    """
    one = prepared_file(file, settings)
    left = estimate(one.plan, one.slots)
    document = plan_document(one.plan, one.steps, one.slots, left, digest=one.digest)
    if output == "json":
        print_json(document)
        return
    _print_plan(document, left)


@command.command("run")
@_PLAN
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="folder of this run: artefacts, ledger, layers; new, or one of the same plan",
)
@_set
@_yes
@cluster_options
@output_option
@click.pass_context
def run_(
    ctx: click.Context,
    /,
    *,
    file: Path,
    into: Path,
    settings: dict[str, str],
    yes: bool,
    output: str,
    **cluster: str | None,
) -> None:
    """Run a plan; one that was begun in this folder goes on.

    Where its base is objects of a cluster, --context, --namespace and --kubeconfig say which.
    """
    one = prepared_file(file, settings)
    ctx.exit(_carried_out(into, one, ClusterAccess(**cluster), yes=yes, output=output))


@command.command("resume")
@_RUN
@_yes
@cluster_options
@output_option
@click.pass_context
def resume(
    ctx: click.Context, /, *, folder: Path, yes: bool, output: str, **cluster: str | None
) -> None:
    """Go on with a run, after Ctrl-C, a kill, a full disk, or a step that kept failing."""
    ctx.exit(_carried_out(folder, None, ClusterAccess(**cluster), yes=yes, output=output))


@command.command("report")
@_RUN
@output_option
def report(folder: Path, output: str) -> None:
    """Tell a run again, every number worked out from the saved artefacts."""
    from firstlight.wiring.experimenting.run_document import run_document  # noqa: PLC0415

    _print_report(run_document(folder), output=output)


def _carried_out(
    into: Path, plan_: Prepared | None, access: ClusterAccess, *, yes: bool, output: str
) -> int:
    require_statistics()
    one = foreseen(into, plan_, where=_where(access, plan_))
    with undertaking(one, access, say=_say) as left:
        _announce(one, left)
        _ask(left, yes=yes)
        with opened(one, plan_) as run:
            ledger = _with_progress(left, run, into)
    from firstlight.report.experiment.run_state import otherwise  # noqa: PLC0415
    from firstlight.wiring.experimenting.run_document import run_document  # noqa: PLC0415

    document = run_document(into)
    _print_report(document, output=output)
    for sentence in otherwise(document):
        _say(sentence)
    click.echo(
        f"\nsaved in {visible(str(into))}; `firstlight experiment report {into}` tells it again",
        err=True,
    )
    if ledger.stopped is not None:
        tell(
            Interrupted(
                f"the plan stopped: {ledger.stopped.why}",
                remedy=f"put that right, then `firstlight experiment resume {into}`",
            )
        )
        return OUTSIDE_FAILED
    return DONE


def _where(access: ClusterAccess, plan_: Prepared | None) -> Where | None:
    """Who says for a new ledger which cluster it is; None where the plan is of this host."""
    if plan_ is None or plan_.plan.substrate != KUBERNETES:
        return None
    from firstlight.wiring.experimenting.in_cluster import where  # noqa: PLC0415

    return partial(where, access)


def _ask(left: Undertaking, *, yes: bool) -> None:
    if yes:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        if not _is_agreed():
            raise Interrupted(
                "nothing was begun, and nothing written",
                remedy="give the same command again; `firstlight experiment plan` only tells it",
            )
    elif left.says:
        raise BadInput(
            "nobody said yes to that", remedy="say it with --yes, or run it in a terminal"
        )


def _is_agreed() -> bool:
    try:
        return click.confirm("begin?", default=True, err=True)
    except click.Abort:
        return False


def _with_progress(left: Undertaking, run: OpenRun, into: Path) -> Ledger:
    done = 0

    def finished(words: str) -> None:
        nonlocal done
        done += 1
        click.echo(visible(words), err=True)

    try:
        with shown_progress() as progress:
            return left.carried_out(run, progress, finished)
    except KeyboardInterrupt:
        rounds = "1 round was" if done == 1 else f"{done} rounds were"
        tell(
            Interrupted(
                f"interrupted; {rounds} finished, and the one that was on is run again",
                remedy=f"go on with `firstlight experiment resume {into}`",
            )
        )
        raise


def _announce(one: OpenRun, left: Undertaking) -> None:
    plan_, steps, slots = one.prepared.plan, one.prepared.steps, one.prepared.slots
    length = estimate(plan_, slots, one.ledger.rounds)
    click.echo(visible(f"{plan_.name}: {length.words}"), err=True)
    done = {entry.slot for entry in one.ledger.rounds if entry.is_ready}
    late = too_late(steps, slots, done)
    for sentence in (*said_beforehand(plan_, steps, slots), *late, *left.says):
        _say(sentence)


def _say(sentence: str) -> None:
    click.echo(visible(sentence), err=True)


def _print_plan(document: Mapping[str, Any], left: Estimate) -> None:
    from firstlight.report.experiment.text import plan_lines  # noqa: PLC0415
    from firstlight.report.experiment.words import counted  # noqa: PLC0415

    out = console()
    out.print(visible(document["name"]))
    for step in document["steps"]:
        for line in plan_lines(step):
            out.print(visible(line), soft_wrap=True)
    out.print()
    rounds = counted(document["rounds"], "round")
    out.print(visible(f"scenarios {', '.join(document['scenarios'])}, {rounds} each"))
    for sentence in document["notes"]:
        out.print(visible(sentence), soft_wrap=True)
    out.print(visible(left.words), soft_wrap=True)
    out.print("each step differs from the one before by what is shown under it, and nothing else")


def _print_report(document: Mapping[str, Any], *, output: str) -> None:
    if output == "json":
        print_json(dict(document))
        return
    from firstlight.report.experiment.text import print_experiment  # noqa: PLC0415

    print_experiment(console(), document)
