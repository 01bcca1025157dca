"""How the steps of an intent are shown: all of them, one, or what they change."""

from typing import TYPE_CHECKING

import click

from firstlight.cli.exit_codes import ANSWER_IS_NO
from firstlight.cli.output import console, print_json
from firstlight.cli.render_asked import Asked
from firstlight.cli.rendering_output import print_publishing, print_rendering, print_written

if TYPE_CHECKING:
    from firstlight.manifests.compared_steps import ComparedStep
    from firstlight.wiring.rendering_steps import IntentSteps


def print_steps(intent: "IntentSteps", asked: Asked) -> None:
    """Show what was asked of an intent."""
    for said in intent.warnings(asked.step):
        # Comments are not read by whoever pipes the objects on.
        click.echo(f"WARNING: {said}", err=True)
    if asked.publishing_job:
        print_publishing(intent.rendered(asked.step or 0))
    elif asked.kustomize is not None:
        print_written(intent.kustomization(), asked.kustomize, intent.said_lines())
    elif asked.against is not None:
        _print_check(intent, asked)
    elif asked.diff:
        _print_changes(intent, asked)
    elif asked.step is None:
        _print_overview(intent)
    else:
        print_rendering(intent.rendered(asked.step), asked.output or "objects")


def _print_overview(intent: "IntentSteps") -> None:
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for column in ("step", "technique", "what it is"):
        table.add_column(column, overflow="fold")
    for one in intent.steps:
        table.add_row(str(one.number), one.technique, one.left_out or intent.title(one))
    out = console()
    out.print(table)
    out.print("--step N shows all objects of a step, --diff what the steps change")


def _print_changes(intent: "IntentSteps", asked: Asked) -> None:
    """What each step changes in the one before."""
    numbers = [*range(1, len(intent.steps))] if asked.step is None else [asked.step]
    compared = [intent.beside_the_last(number) for number in numbers]
    if asked.output == "json":
        _print_document(compared)
        return
    for one in compared:
        why = f", {one.step.left_out}" if one.step.left_out else ""
        said = "" if one.differences else f" no difference{why}"
        click.echo(f"{one.after}, {one.step.technique}, beside {one.before}:{said}")
        _print_lines(one)


def _print_check(intent: "IntentSteps", asked: Asked) -> None:
    """What somebody's files have else than the step; exit 1 where they have."""
    compared = intent.beside_files(asked.step or 0, str(asked.against))
    if asked.output == "json":
        _print_document([compared])
    else:
        said = "differs from" if compared.differences else "is"
        why = f" ({compared.step.left_out})" if compared.step.left_out else ""
        click.echo(f"{compared.after} {said} {compared.before}, {compared.step.technique}{why}")
        _print_lines(compared)
    if compared.differences:
        click.get_current_context().exit(ANSWER_IS_NO)


def _print_document(compared: "list[ComparedStep]") -> None:
    from firstlight.manifests.compared_steps import steps_document  # noqa: PLC0415

    print_json(steps_document(compared))


def _print_lines(compared: "ComparedStep") -> None:
    from firstlight.manifests.difference_lines import difference_line  # noqa: PLC0415
    from firstlight.report.escape import visible  # noqa: PLC0415

    for difference in compared.differences:
        click.echo(f"  {visible(difference_line(difference))}")
