"""`firstlight lint`: settings that are right by themselves and wrong together."""

from typing import TYPE_CHECKING

import click

from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE, WRONG_USAGE
from firstlight.cli.lint_asked import Asked
from firstlight.cli.output import (
    MONTH_S,
    MOST_MONEY,
    Finite,
    console,
    output_option,
    print_json,
)

if TYPE_CHECKING:
    from firstlight.lint.answer import LintAnswer


@click.command(
    "lint",
    epilog="""\b
Examples:
  firstlight lint vllm.yaml nodepool.yaml
  firstlight lint overlays/prod                    # a folder, or what kustomize builds of it
  helm template vllm ./chart | firstlight lint -
  firstlight lint intent.yaml                      # the objects of every step
  firstlight lint deployment/vllm -n serving       # what runs, with what stands around it
  firstlight lint --live -A                        # every vLLM of the cluster
  firstlight lint vllm.yaml --records runs/nightly # probes against the starts you measured
  firstlight lint . --ignore image-tag-moves="one node, pulled by hand" --severity error
  firstlight lint --explain image-tag-moves
""",
)
@click.argument("given", metavar="[FILE|FOLDER|-|deployment/NAME]...", nargs=-1)
@click.option("--live", is_flag=True, help="every workload of the namespace, from the cluster")
@click.option("--all-namespaces", "-A", is_flag=True, help="with --live: of all namespaces")
@click.option(
    "--start-p95-s",
    type=Finite(0, MONTH_S, min_open=True),
    help="how long a start takes, from the container's start to its server; 95 of 100 are faster",
)
@click.option(
    "--records",
    multiple=True,
    metavar="PATH",
    help="starts of yours to take that from instead; whatever `explain` reads",
)
@click.option("--model-size", metavar="SIZE", help="of the weights, such as 33.5GB or 31GiB")
@click.option(
    "--nat-price-per-gb",
    type=Finite(0, MOST_MONEY),
    help="what a GB through your NAT gateway costs",
)
@click.option("--rule", "codes", multiple=True, metavar="CODE", help="judge only this rule")
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="CODE=REASON",
    help="set a rule aside everywhere, with the reason",
)
@click.option(
    "--severity",
    type=click.Choice(["error", "warning", "note"]),
    default="warning",
    show_default=True,
    help="from which severity on the exit code is 1",
)
@click.option("--show-suppressed", is_flag=True, help="show what was set aside, and why")
@click.option("--explain", metavar="CODE", help="say why a rule is one, and who found it")
@click.option("--list", "lists", is_flag=True, help="show every rule there is")
@output_option
@cluster_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    given: tuple[str, ...],
    live: bool,
    all_namespaces: bool,
    start_p95_s: float | None,
    records: tuple[str, ...],
    model_size: str | None,
    nat_price_per_gb: float | None,
    codes: tuple[str, ...],
    ignored: tuple[str, ...],
    severity: str,
    show_suppressed: bool,
    explain: str | None,
    lists: bool,
    output: str,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
) -> None:
    """Find what is right by itself and wrong together, before a start fails or crawls.

    Rules look over all objects at once: sleep mode and memory, caches and their volumes,
    probes and how long a start takes, what is pulled beforehand and what then runs. Where
    something is not known, they stay silent.

    Exit code 1 says that something was found, 2 that something could not be read.
    """
    asked = Asked(
        given=given,
        live=live,
        all_namespaces=all_namespaces,
        start_p95_s=start_p95_s,
        records=records,
        model_size=model_size,
        nat_price_per_gb=nat_price_per_gb,
        codes=codes,
        ignored=ignored,
        namespace=namespace,
        context=context,
        kubeconfig=kubeconfig,
    )
    if lists or explain:
        asked.check_alone(explain=explain, lists=lists)
        _print_rules(explain, output)
        return
    from firstlight.lint.document import document  # noqa: PLC0415
    from firstlight.lint.rule import Severity  # noqa: PLC0415

    answer = _answer(asked)
    said = document(answer)
    if output == "json":
        print_json(said)
    else:
        from firstlight.report.lint_text import print_lint  # noqa: PLC0415

        print_lint(console(), said, suppressed=show_suppressed)
    if answer.linted.not_judged:
        ctx.exit(WRONG_USAGE)
    ctx.exit(ANSWER_IS_NO if answer.fails(Severity(severity)) else DONE)


def _answer(asked: Asked) -> "LintAnswer":
    from firstlight.wiring.cluster_access import ClusterAccess  # noqa: PLC0415
    from firstlight.wiring.linting import are_live, lint_given, lint_live  # noqa: PLC0415

    is_live = asked.live or are_live(asked.given)
    asked.check(is_live=is_live)
    question = asked.question()
    if not is_live:
        return lint_given(asked.given, question)
    access = ClusterAccess(
        kubeconfig=asked.kubeconfig, context=asked.context, namespace=asked.namespace
    )
    return lint_live(asked.given, question, access=access, all_namespaces=asked.all_namespaces)


def _print_rules(code: str | None, output: str) -> None:
    """One rule in full, or a table of all."""
    from firstlight.lint.choice import rule_of  # noqa: PLC0415
    from firstlight.lint.document import rules_document  # noqa: PLC0415
    from firstlight.lint.rules.table import RULES  # noqa: PLC0415

    rules = (rule_of(code, RULES),) if code else RULES
    said = rules_document(rules)
    if output == "json":
        print_json(said)
        return
    if code:
        from firstlight.report.lint_text import print_rule  # noqa: PLC0415

        print_rule(console(), said["rules"][0])
        return
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for column in ("rule", "severity", "what it asks for"):
        table.add_column(column, overflow="fold")
    for rule in rules:
        table.add_row(rule.code, str(rule.severity), rule.title)
    console().print(table)
