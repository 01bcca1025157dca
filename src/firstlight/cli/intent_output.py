"""How the steps of an intent are shown: all of them, one, or what they change."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.exit_codes import ANSWER_IS_NO
from firstlight.cli.output import console, print_json
from firstlight.cli.rendering_output import print_rendering, print_written

if TYPE_CHECKING:
    from firstlight.manifests.differences import Difference
    from firstlight.wiring.rendering_steps import IntentSteps


def print_steps(
    intent: "IntentSteps",
    *,
    step: int | None,
    diff: bool,
    against: str | None,
    output: str | None,
    kustomize: Path | None,
) -> None:
    """
    Show what was asked of an intent.

    Args:
        intent: its steps.
        step: the one that is meant; None for all of them.
        diff: what a step changes, instead of its objects.
        against: somebody's files of the step; None where nothing is compared.
        output: the form; None for the one that suits.
        kustomize: the folder to write all steps into; None for no writing.
    """
    if kustomize is not None:
        print_written(intent.kustomization(), kustomize, intent.rendered(0))
    elif against is not None:
        _print_check(intent, step, against, output)
    elif diff:
        _print_differences(intent, step, output)
    elif step is None and output is None:
        _print_overview(intent)
    else:
        print_rendering(intent.rendered(step or 0), output or "objects")


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


def _print_differences(intent: "IntentSteps", step: int | None, output: str | None) -> None:
    from firstlight.manifests.difference_lines import difference_document  # noqa: PLC0415

    numbers = [step] if step is not None else [*range(1, len(intent.steps))]
    found = {number: intent.differences(number) for number in numbers}
    if output == "json":
        steps = [
            {
                "step": number,
                "technique": intent.steps[number].technique,
                "differences": [difference_document(one) for one in found[number]],
            }
            for number in numbers
        ]
        print_json({"schema": "firstlight.steps/1", "steps": steps})
        return
    for number in numbers:
        title = f"step {number}, {intent.steps[number].technique}, beside step {number - 1}:"
        click.echo(f"{title} {'' if found[number] else 'no difference'}".rstrip())
        _print_lines(found[number])


def _print_check(intent: "IntentSteps", step: int | None, against: str, output: str | None) -> None:
    """What somebody's files have else than the step; exit 1 where they have."""
    from firstlight.manifests.difference_lines import difference_document  # noqa: PLC0415

    if step is None:
        raise click.UsageError("--against compares one step: say --step N")
    found = intent.against(step, against)
    if output == "json":
        differences = [difference_document(one) for one in found]
        print_json({"schema": "firstlight.steps/1", "step": step, "differences": differences})
    else:
        said = "differs from" if found else "is"
        click.echo(f"{against} {said} step {step}, {intent.steps[step].technique}")
        _print_lines(found)
    if found:
        click.get_current_context().exit(ANSWER_IS_NO)


def _print_lines(found: "tuple[Difference, ...]") -> None:
    from firstlight.manifests.difference_lines import difference_line  # noqa: PLC0415
    from firstlight.report.escape import visible  # noqa: PLC0415

    for difference in found:
        click.echo(f"  {visible(difference_line(difference))}")
