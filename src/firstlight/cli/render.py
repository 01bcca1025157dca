"""`firstlight render`: a technique on somebody's own objects, or the steps of an intent."""

from pathlib import Path

import click

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.intent_output import print_steps
from firstlight.cli.output import console, print_json
from firstlight.cli.rendering_output import print_rendering, print_written
from firstlight.core.errors import BadInput

FORMS = ("patch", "objects", "component", "json")


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
@click.option("--target", metavar="KIND/NAME", help="the workload, where several run vLLM")
@click.option(
    "--output",
    type=click.Choice(FORMS),
    help="the change as a patch, the changed objects whole, a kustomize component, or JSON  "
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
    if lists:
        _print_list(output)
        return
    if given is None:
        raise click.UsageError("say which manifests are meant, or --list")
    if kustomize is not None and output is not None:
        raise click.UsageError("--kustomize writes files, so --output has no meaning beside it")
    from firstlight.wiring.cluster_access import ClusterAccess  # noqa: PLC0415
    from firstlight.wiring.given_objects import given_objects, is_live, read_one  # noqa: PLC0415
    from firstlight.wiring.rendering import kustomization_of, rendered  # noqa: PLC0415
    from firstlight.wiring.rendering_steps import intent_steps  # noqa: PLC0415

    read = read_one(given)
    intent = intent_steps(read)
    if intent is not None and not techniques:
        print_steps(
            intent, step=step, diff=diff, against=against, output=output, kustomize=kustomize
        )
        return
    if intent is None and (step is not None or diff or against):
        raise BadInput(
            f"{given} is no intent, so it has no steps",
            remedy="say --technique, or give an intent (docs/render.md)",
        )
    if not techniques:
        if not is_live(given):
            # What holds no objects needs no technique, but another file.
            given_objects(given, read=read)
        raise BadInput("no technique was named", remedy=f"say --technique ID: {_ids()}")
    if diff or against:
        raise click.UsageError("--diff and --against are for steps, without --technique")
    if intent is not None:
        base = intent.given(step or 0)
    else:
        access = ClusterAccess(kubeconfig=kubeconfig, context=context, namespace=namespace)
        base = given_objects(given, access=access, read=read)
    once = list(dict.fromkeys(techniques))
    rendering = rendered(base, once, parameters=_pairs(parameters), target=target)
    if kustomize is not None:
        print_written(kustomization_of(rendering), kustomize, rendering)
        return
    print_rendering(rendering, output or "patch")


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

    from firstlight.wiring.rendering import deck  # noqa: PLC0415

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


def _ids() -> str:
    from firstlight.wiring.rendering import deck  # noqa: PLC0415

    return ", ".join(card.id for card in deck())
