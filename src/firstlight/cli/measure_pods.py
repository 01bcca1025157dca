"""`firstlight measure deployment/NAME`: a start in a cluster, made or waited for."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE, OUTSIDE_FAILED
from firstlight.cli.interruption import told_when_interrupted
from firstlight.cli.output import console, print_json, tell
from firstlight.cli.progress import prefixed, shown_progress
from firstlight.core.units import NS_PER_S, seconds
from firstlight.measure.pod.order import PodOrder, Scenario
from firstlight.measure.pod.target import parsed_target
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.measuring_pods import MeasuredPod, PodMeasurements


def carried_out(targets: Sequence[str], options: Mapping[str, Any]) -> int:
    """What the command line says about a start in a cluster, done; the exit code."""
    access = ClusterAccess(
        kubeconfig=options["kubeconfig"],
        context=options["context"],
        namespace=options["namespace"],
    )
    if options["restore"]:
        return _restored(access, output=options["output"])
    order = _order(targets, options)
    done = _measured(order, access, into=options["into"], rounds=options["rounds"])
    _print(done, output=options["output"], everything=options["everything"])
    records = [one.result.record for one in done]
    problems = [record.problem for record in records if record.problem]
    for problem in problems[:1]:
        tell(problem)
    if problems:
        return OUTSIDE_FAILED
    return DONE if all(record.as_asked for record in records) else ANSWER_IS_NO


def _order(targets: Sequence[str], options: Mapping[str, Any]) -> PodOrder:
    """What is wrong whatever the cluster says is refused without asking it."""
    follow, scenario, timeout_s = (options[n] for n in ("follow", "scenario", "timeout_s"))
    if follow and scenario:
        raise click.UsageError(
            "--follow waits for a start of somebody else's; --scenario makes one"
        )
    if len(targets) != 1:
        raise click.UsageError("name one workload; a command to start goes behind --")
    limits = {} if timeout_s is None else {"timeout_ns": round(timeout_s * NS_PER_S)}
    target = parsed_target(targets[0], follow=follow)
    return PodOrder(
        target=target,
        scenario=None if follow else Scenario(scenario or Scenario.WARM),
        label=target.name if options["label"] is None else options["label"],
        confirmed=options["yes"],
        first_token=not options["no_first_token"],
        port=options["port"],
        probe_from=options["probe_from"],
        **limits,
    )


def _measured(
    order: PodOrder, access: ClusterAccess, *, into: Path, rounds: int
) -> list[MeasuredPod]:
    done: list[MeasuredPod] = []
    with (
        shown_progress() as progress,
        told_when_interrupted(
            lambda: len(done),
            last="what was changed is put back, unless it is said above that it is not",
            folder=into / order.label,
        ),
        PodMeasurements.open(access, say=_say) as cluster,
    ):
        for number in range(1, rounds + 1):
            prefix = f"round {number} of {rounds}: " if rounds > 1 else ""
            one = cluster.measure(order, into=into, progress=prefixed(progress, prefix))
            done.append(one)
            if one.result.record.pod is None:
                break
    return done


def _restored(access: ClusterAccess, *, output: str) -> int:
    with PodMeasurements.open(access, say=_say) as cluster:
        restored = cluster.restore()
    if output == "json":
        print_json(
            {
                "schema": "firstlight.restored/1",
                "mended": [
                    {
                        "node": one.node,
                        "run": one.signature.run,
                        "at": one.signature.at,
                        "for": one.signature.target,
                    }
                    for one in restored.mended
                ],
                "problems": [
                    {"message": one.message, "remedy": one.remedy} for one in restored.problems
                ],
            }
        )
    else:
        for line in map(str, restored.mended):
            click.echo(line)
        if not restored.mended and not restored.problems:
            click.echo("no node is cordoned by a measurement; nothing was changed")
    for problem in restored.problems:
        tell(problem)
    return OUTSIDE_FAILED if restored.problems else DONE


def _say(words: str) -> None:
    from firstlight.report.escape import visible  # noqa: PLC0415

    click.echo(f"firstlight: {visible(words)}", err=True)


def _print(done: Sequence[MeasuredPod], *, output: str, everything: bool) -> None:
    from firstlight.report.rounds import summary, summary_table  # noqa: PLC0415

    starts = [start for one in done for start in one.starts]
    sets = {"measured": starts}
    if output == "json":
        from firstlight.report.json_contract import explanation  # noqa: PLC0415

        print_json(
            explanation(starts)
            | {
                "folders": [one.result.folder for one in done],
                "sets": summary(sets),
                "measured": [one.result.record.as_json() for one in done],
            }
        )
        return
    from firstlight.report.escape import visible  # noqa: PLC0415
    from firstlight.report.text import print_starts  # noqa: PLC0415

    out = console()
    print_starts(out, starts, everything=everything)
    if len(done) > 1:
        out.print()
        out.print(summary_table(sets))
    out.print()
    for one in done:
        for line in _lines(one):
            out.print(visible(line), soft_wrap=True)


def _lines(one: MeasuredPod) -> Iterator[str]:
    record = one.result.record
    yield f"saved in {one.result.folder}"
    if record.created_seen_ns is not None and record.ready_seen_ns is not None:
        took = seconds(record.ready_seen_ns - record.created_seen_ns)
        yield f"  {record.pod} on {record.node}: Ready {took:.1f} s after it was first seen"
    if record.first_token_ns is not None:
        yield f"  first token {seconds(record.first_token_ns):.2f} s after Ready was seen"
    if record.first_token_problem:
        yield f"  first token: {record.first_token_problem}"
    for note in record.notes:
        yield f"  {note}"
