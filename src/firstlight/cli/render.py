"""`firstlight render`: a technique on somebody's own objects, or the steps of an intent."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.intent_output import print_steps
from firstlight.cli.output import console, print_json
from firstlight.cli.render_asked import Asked
from firstlight.cli.rendering_output import print_publishing, print_rendering, print_written
from firstlight.core.errors import BadInput

if TYPE_CHECKING:
    from firstlight.wiring.given_objects import Documents
    from firstlight.wiring.rendering_steps import IntentSteps

FORMS = ("patch", "objects", "json")


@click.command(
    "render",
    epilog="""\b
Examples:
  firstlight render --list
  firstlight render vllm.yaml --technique stream-weights --set model_uri=s3://bucket/model
  firstlight render vllm.yaml --technique worker-fork | \\
      kubectl patch deployment vllm --type json --patch-file /dev/stdin
  firstlight render deployment/vllm -n serving --technique compile-cache-local
  helm template vllm ./chart | firstlight render - --technique worker-fork --output objects
  firstlight render overlays/prod --technique stream-weights --kustomize firstlight-kustomize
  firstlight render intent.yaml --step 2 | kubectl apply -f -
  firstlight render intent.yaml --step 3 --publishing-job | kubectl apply -f -
""",
)
@click.argument("given", metavar="FILE|FOLDER|-|deployment/NAME", required=False)
@click.option(
    "--technique",
    "techniques",
    multiple=True,
    metavar="ID",
    help="what to change; several are put on one after the other (--list shows them)",
)
@click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="a parameter of the technique; may stand several times",
)
@click.option(
    "--target",
    metavar="KIND/NAME",
    help="the workload, where several run vLLM; with -n where several have its name",
)
@click.option(
    "--output",
    type=click.Choice(FORMS),
    help="the change as a patch, the changed objects whole, or JSON  "
    "[default: patch; objects for an intent's step]",
)
@click.option(
    "--kustomize",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="write a base, a component for each technique, and an overlay of them",
)
@click.option("--step", type=click.IntRange(min=0), help="of an intent: which step")
@click.option("--diff", is_flag=True, help="of an intent: what a step changes in the one before")
@click.option(
    "--against",
    metavar="FILE|FOLDER",
    help="of an intent: what differs in somebody's files of a step",
)
@click.option(
    "--records",
    multiple=True,
    metavar="PATH",
    help="of an intent: starts of yours, whose p95 the probes are to allow for; whatever "
    "`explain` reads",
)
@click.option(
    "--publishing-job",
    is_flag=True,
    help="show, instead, the Job that fills and publishes the compile cache that the pods pull",
)
@click.option("--list", "lists", is_flag=True, help="show every technique there is")
@cluster_options
def command(
    *,
    given: str | None,
    techniques: tuple[str, ...],
    parameters: tuple[str, ...],
    target: str | None,
    output: str | None,
    kustomize: Path | None,
    step: int | None,
    diff: bool,
    against: str | None,
    records: tuple[str, ...],
    publishing_job: bool,
    lists: bool,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
) -> None:
    """Show a technique as a change to your own manifests, or write the steps of an intent.

    Give manifests (a file, a folder, a kustomization, standard input, a live workload) and the
    techniques; out comes the change, in a few lines. Nothing is applied. Or give an intent, a
    few lines about what is to be served, and get every object of each step.

    What goes to standard output is YAML: what was assumed stands in its comments, and on
    standard error too when the output goes to a file or a pipe.
    """
    asked = Asked(
        given=given,
        techniques=techniques,
        parameters=parameters,
        target=target,
        output=output,
        kustomize=kustomize,
        step=step,
        diff=diff,
        against=against,
        records=records,
        publishing_job=publishing_job,
        namespace=namespace,
        context=context,
        kubeconfig=kubeconfig,
    )
    if lists:
        asked.check_list()
        _print_list(output)
        return
    if given is None:
        raise click.UsageError("say which manifests are meant, or --list")
    from firstlight.wiring.given_objects import is_live, read_one  # noqa: PLC0415
    from firstlight.wiring.rendering_steps import holds_intent, intent_steps  # noqa: PLC0415

    read = read_one(given)
    asked.check(is_intent=holds_intent(read), is_live=is_live(given))
    intent = intent_steps(read, records=records)
    if intent is not None and not techniques:
        print_steps(intent, asked)
    else:
        _print_techniques(asked, read, intent)


def _print_techniques(asked: Asked, read: "Documents | None", intent: "IntentSteps | None") -> None:
    """Techniques on objects, or on a step of an intent."""
    from firstlight.manifests.rendered_text import said_lines  # noqa: PLC0415
    from firstlight.wiring.cards import deck  # noqa: PLC0415
    from firstlight.wiring.cluster_access import ClusterAccess  # noqa: PLC0415
    from firstlight.wiring.given_objects import given_objects, is_live  # noqa: PLC0415
    from firstlight.wiring.rendering import (  # noqa: PLC0415
        kustomization_of,
        rendered,
        target_of,
    )

    given = str(asked.given)
    if not asked.techniques and not asked.publishing_job:
        if not is_live(given):
            # What holds no objects needs no technique, but another file.
            given_objects(given, read=read)
        raise BadInput("no technique was named", remedy=f"say --technique ID: {deck().ids}")
    target = target_of(asked.target, namespace=asked.namespace) if asked.target else None
    parameters = _pairs(asked.parameters)
    if intent is not None:
        base = intent.given(asked.step or 0)
    else:
        access = ClusterAccess(
            kubeconfig=asked.kubeconfig, context=asked.context, namespace=asked.namespace
        )
        base = given_objects(given, access=access, read=read)
    once = list(dict.fromkeys(asked.techniques))
    rendering = rendered(base, once, parameters=parameters, target=target)
    if asked.publishing_job:
        print_publishing(rendering, target)
    elif asked.kustomize is not None:
        files, said = kustomization_of(rendering), said_lines(rendering)
        read_from = given if intent is None else None
        print_written(files, asked.kustomize, said, read=read_from)
    else:
        print_rendering(rendering, asked.output or "patch")


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    """Parameters by name; the last of several wins, as options do."""
    pairs: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{one!r} is no NAME=VALUE", param_hint="--set")
        pairs[name] = value
    return pairs


def _print_list(output: str | None) -> None:
    from rich.table import Table  # noqa: PLC0415

    from firstlight.wiring.cards import deck  # noqa: PLC0415

    cards = list(deck())
    if output == "json":
        listed = [
            {"technique": c.id, "decision": str(c.decision.status), "title": c.title} for c in cards
        ]
        print_json({"schema": "firstlight.techniques/1", "techniques": listed})
        return
    table = Table(box=None, pad_edge=False)
    for column in ("technique", "decision", "what it is"):
        table.add_column(column, overflow="fold")
    for card in cards:
        table.add_row(card.id, str(card.decision.status), card.title)
    console().print(table)
