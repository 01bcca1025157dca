"""Which cluster is meant: the options that kubectl has, for every command that speaks to one."""

from collections.abc import Callable
from typing import Any

import click


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --namespace, --context and --kubeconfig."""
    for option in (
        click.option("--kubeconfig", help="as kubectl has it"),
        click.option("--context", help="as kubectl has it"),
        click.option("--namespace", "-n", help="of the workload; as kubectl has it"),
    ):
        command = option(command)
    return command
