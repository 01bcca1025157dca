"""`firstlight capture deployment/NAME`: save what a start left in the cluster, secrets removed."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.output import Finite, console, output_option, print_json
from firstlight.cli.progress import shown_progress
from firstlight.wiring.capturing import Captured, capture_bundle
from firstlight.wiring.cluster_access import ClusterAccess

_BYTES_PER_MB = 1_000_000


@click.command(
    "capture",
    epilog="""\b
Examples:
  firstlight capture deployment/vllm
  firstlight capture pod/vllm-7b9d6c4f8-abcde -n serving --context prod
  firstlight capture deploy/vllm --into slow-start.tar.gz
  firstlight explain bundle-vllm-20261129-214730   # read it, anywhere, without the cluster
""",
)
@click.argument("target", metavar="deployment/NAME|pod/NAME")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="folder or .tar.gz to write  [default: bundle-NAME-DATE-TIME]",
)
@cluster_options
@click.option(
    "--max-log-mb",
    type=Finite(0, 1e6, min_open=True),
    help="keep no more of each log than its first so many MB; all of it otherwise",
)
@output_option
def command(
    *,
    target: str,
    into: Path | None,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    max_log_mb: float | None,
    output: str,
) -> None:
    """Save everything a start left in the cluster, without secrets.

    Pods, their events, nodes, ReplicaSets, Karpenter's NodeClaims and all containers' logs,
    as far as your rights go: `view` is enough for most, and what it may not read is said.
    Values of the environment, keys in arguments and whatever looks like a secret in logs
    and messages are removed. Nothing in the cluster is changed.
    """
    with shown_progress() as progress:
        captured = capture_bundle(
            target,
            into=into,
            progress=progress,
            access=ClusterAccess(kubeconfig=kubeconfig, context=context, namespace=namespace),
            most_log_bytes=None if max_log_mb is None else round(max_log_mb * _BYTES_PER_MB),
        )
    if output == "json":
        print_json({**captured.document, "path": str(captured.path)})
        return
    _print(captured)


def _print(captured: Captured) -> None:
    from firstlight.report.escape import visible  # noqa: PLC0415

    document = captured.document
    out = console()

    def say(text: str) -> None:
        out.print(visible(text), soft_wrap=True)

    logs = document["logs"]
    lines = sum(log["lines"] for log in logs)
    say(f"saved in {captured.path}: {_pods(document)}, {len(logs)} logs of {lines} lines")
    say(f"removed: {_removed(document) or 'nothing looked like a secret'}")
    for one in document["not_allowed"]:
        say(f"not allowed: {one['verb']} {one['resource']} ({one['what']})")
        say(f"  so {one['consequence']}; to allow it: {one['allow']}")
    for note in document["notes"]:
        say(f"note: {note}")
    say(f"next: firstlight explain {captured.path}")


def _pods(document: dict[str, Any]) -> str:
    pods = document["pods"]
    return f"pod {pods[0]}" if len(pods) == 1 else f"{len(pods)} pods"


def _removed(document: dict[str, Any]) -> str:
    kinds: Counter[str] = Counter()
    for one in document["removed"]:
        kinds[one["kind"]] += one["times"]
    return ", ".join(f"{times} x {kind}" for kind, times in kinds.most_common())
