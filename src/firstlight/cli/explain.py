"""`firstlight explain`: attribute a start from what was saved of it, or from a live cluster."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.output import Finite, console, output_option, print_json
from firstlight.core.moments import read_moment
from firstlight.core.starts import Start
from firstlight.core.workloads import names_a_workload

if TYPE_CHECKING:
    from firstlight.wiring.cluster_access import ClusterAccess


@click.command(
    "explain",
    epilog="""\b
Examples:
  kubectl logs POD --timestamps | firstlight explain -
  kubectl firstlight explain deployment/vllm         # a live cluster, read only
  firstlight explain bundle.tar.gz                   # what `capture` saved
  firstlight explain pod.json events.json vllm.log   # the same, saved by hand
  firstlight explain pod.log --link-gbps 50 --output json
  firstlight explain runs/plain                      # a folder that `measure` wrote
  firstlight explain runs/step4 --baseline runs/step0 # was its image pulled beforehand?
""",
)
@click.argument("inputs", nargs=-1, required=True, metavar="FILE|FOLDER|deployment/NAME|- ...")
@output_option
@click.option(
    "--link-gbps",
    type=Finite(0, 1e6, min_open=True),
    help="speed of the link the weights came over, to say what share was used",
)
@click.option("--node-type", help="the node's EC2 instance type, instead of --link-gbps")
@click.option(
    "--captured-at",
    metavar="TIME",
    help="when `kubectl describe` was run, such as 2026-11-29T17:46:31Z: its ages count from there",
)
@click.option(
    "--baseline",
    multiple=True,
    metavar="FILE|FOLDER",
    help="a start whose image was pulled whole: a shorter pull than its rate implies was raced",
)
@click.option("--prepulled", metavar="IMAGE", help="what the node's user data pulls beforehand")
@cluster_options
@click.option("--all", "everything", is_flag=True, help="show every part, however short")
def command(
    *,
    inputs: tuple[str, ...],
    output: str,
    link_gbps: float | None,
    node_type: str | None,
    captured_at: str | None,
    baseline: tuple[str, ...],
    prepulled: str | None,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    everything: bool,
) -> None:
    """Attribute every second of a vLLM start, from its node to Ready.

    Reads logs (plain, CRI, docker, compose, JSON), Kubernetes objects and events (JSON, YAML,
    `kubectl get events`, `kubectl describe`, Karpenter's log), folders and archives of them,
    and what `capture` and `measure` wrote. Files are known by their content; what belongs
    together is explained together. Offline, but for a workload named as `deployment/NAME`,
    which is read from the cluster and not changed.
    """
    live = [i for i in inputs if names_a_workload(i) and not Path(i).exists()]
    if live and len(inputs) > 1:
        raise click.UsageError("explain one live workload at a time, without files beside it")
    if live:
        from firstlight.wiring.cluster_access import ClusterAccess  # noqa: PLC0415

        access = ClusterAccess(kubeconfig=kubeconfig, context=context, namespace=namespace)
        starts = _explain_live(live[0], link_gbps, node_type, access)
    else:
        from firstlight.wiring.explaining import explain_inputs  # noqa: PLC0415

        starts = explain_inputs(
            inputs,
            link_gbps=link_gbps,
            node_type=node_type,
            captured_ns=_moment_ns(captured_at) if captured_at else None,
        )
    if baseline or prepulled:
        from firstlight.wiring.explaining import with_pulls_judged  # noqa: PLC0415

        starts = with_pulls_judged(starts, baseline=baseline, prepulled=prepulled)
    if output == "json":
        from firstlight.report.json_contract import explanation  # noqa: PLC0415

        print_json(explanation(starts))
        return
    from firstlight.report.text import print_starts  # noqa: PLC0415

    print_starts(console(), starts, everything=everything)


def _explain_live(
    target: str, link_gbps: float | None, node_type: str | None, access: "ClusterAccess"
) -> list[Start]:
    from firstlight.cli.progress import shown_progress  # noqa: PLC0415
    from firstlight.wiring.explaining_live import explain_live  # noqa: PLC0415

    with shown_progress() as progress:
        return explain_live(
            target, progress=progress, access=access, link_gbps=link_gbps, node_type=node_type
        )


def _moment_ns(text: str) -> int:
    """A moment as Unix nanoseconds; one without a zone would be somebody's guess."""
    moment = read_moment(text)
    if moment is None:
        raise click.BadParameter(f"{text!r} is no time", param_hint="--captured-at")
    if not moment.has_zone:
        raise click.BadParameter(
            f"{text!r} has no zone; add Z or +02:00", param_hint="--captured-at"
        )
    return moment.at_ns
