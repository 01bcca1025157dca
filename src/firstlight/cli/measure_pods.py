"""`firstlight measure deployment/NAME`: a start in a cluster, made or waited for."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE, OUTSIDE_FAILED
from firstlight.cli.output import console, print_json, tell
from firstlight.cli.progress import prefixed, shown_progress
from firstlight.core.errors import FirstlightError
from firstlight.core.units import NS_PER_S, seconds
from firstlight.measure.pod.target import parsed_target
from firstlight.wiring.measuring_pods import MeasuredPod, PodMeasurements, Wanted

_TIMEOUT_S = 1800.0
_WARM = "warm"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodForm:
    """What the command line says about a start in a cluster."""

    targets: tuple[str, ...]
    scenario: str | None
    follow: bool
    restore: bool
    yes: bool
    rounds: int
    label: str
    into: Path
    timeout_s: float | None
    port: int | None
    first_token: bool
    probe_from: str | None
    namespace: str | None
    context: str | None
    kubeconfig: str | None

    @property
    def cluster(self) -> dict[str, str | None]:
        return {
            "kubeconfig": self.kubeconfig,
            "context": self.context,
            "namespace": self.namespace,
        }


def measure_pods(form: PodForm, *, output: str, everything: bool) -> int:
    """Carry it out; the exit code."""
    if form.restore:
        return _restore(form, output=output)
    if form.follow and form.scenario:
        raise click.UsageError(
            "--follow waits for a start of somebody else's; --scenario makes one"
        )
    if len(form.targets) != 1:
        raise click.UsageError("name one workload; a command to start goes behind --")
    # What is refused whatever the cluster says is refused without asking it.
    parsed_target(form.targets[0], namespace="", follow=form.follow)
    done: list[MeasuredPod] = []
    with (
        shown_progress() as progress,
        _told_when_interrupted(done, form.into / form.label),
        PodMeasurements.open(progress=progress, say=_say, **form.cluster) as cluster,
    ):
        for number in range(1, form.rounds + 1):
            if form.rounds > 1:
                cluster.progress = prefixed(progress, f"round {number} of {form.rounds}: ")
            one = cluster.measure(_wanted(form))
            done.append(one)
            if one.result.measured.pod is None:
                break
    _print(done, output=output, everything=everything)
    problems = [m.problem for m in (one.result.measured for one in done) if m.problem]
    for problem in problems[:1]:
        tell(problem)
    if problems:
        return OUTSIDE_FAILED
    return DONE if all(one.result.measured.as_asked for one in done) else ANSWER_IS_NO


def _wanted(form: PodForm) -> Wanted:
    return Wanted(
        target=form.targets[0],
        scenario=None if form.follow else form.scenario or _WARM,
        confirmed=form.yes,
        into=form.into,
        label=form.label,
        timeout_ns=round((form.timeout_s or _TIMEOUT_S) * NS_PER_S),
        first_token=form.first_token,
        port=form.port,
        probe_from=form.probe_from,
    )


def _restore(form: PodForm, *, output: str) -> int:
    with (
        shown_progress() as progress,
        PodMeasurements.open(progress=progress, say=_say, **form.cluster) as cluster,
    ):
        restored = cluster.restore()
    if output == "json":
        print_json(
            {
                "schema": "firstlight.restored/1",
                "mended": [
                    {
                        "node": one.node,
                        "run": one.mark.run,
                        "at": one.mark.at,
                        "for": one.mark.target,
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


@contextmanager
def _told_when_interrupted(done: Sequence[MeasuredPod], folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        told = (
            f"interrupted; {len(done)} finished before, and what was changed is put back, unless "
            "it is said above that it is not"
        )
        tell(FirstlightError(told, remedy=f"read them with `firstlight explain {folder}`"))
        raise


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
                "measured": [one.result.measured.as_json() for one in done],
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
    measured = one.result.measured
    yield f"saved in {one.result.folder}"
    if measured.created_seen_ns is not None and measured.ready_seen_ns is not None:
        took = seconds(measured.ready_seen_ns - measured.created_seen_ns)
        yield f"  {measured.pod} on {measured.node}: Ready {took:.1f} s after it was first seen"
    if measured.first_token_ns is not None:
        yield f"  first token {seconds(measured.first_token_ns):.2f} s after Ready was seen"
    if measured.first_token_problem:
        yield f"  no first token: {measured.first_token_problem}"
    for note in measured.notes:
        yield f"  {note}"
