"""
The commands beside an estimate: what shows the change, and what proves it.

In a cluster both are firstlight's own. Outside of one the change is a few words around the
engine's command, and showing them is saying them.
"""

import re
from collections.abc import Sequence

from firstlight.core.starts import Start
from firstlight.techniques.card import Card
from firstlight.techniques.process_words import process_command

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}")
"""As Kubernetes allows it; anything else is no name to paste into a shell."""


def show(start: Start, chain: Sequence[Card]) -> str:
    """
    What shows the change.

    Args:
        start: where it would be made.
        chain: the technique, behind those that it builds on and that must be there first.
    """
    if start.placement is None:
        return process_command(chain)
    techniques = " ".join(f"--technique {card.id}" for card in chain)
    workload = _workload(start)
    if workload is None:
        return f"firstlight render deployment.yaml {techniques}"
    return f"firstlight render {workload}{_namespace(start)} {techniques}"


def prove(start: Start, *, cold: bool) -> str:
    """The measurement to make before and after the change."""
    if start.placement is None:
        return "firstlight measure -- vllm serve ..."
    workload = _workload(start) or "deployment/NAME"
    return f"firstlight measure {workload}{_namespace(start)} --scenario {_kind(cold)}"


def _kind(cold: bool) -> str:  # noqa: FBT001
    return "cold" if cold else "warm"


def _workload(start: Start) -> str | None:
    workload = start.placement.workload if start.placement else ""
    kind, _, name = workload.partition("/")
    return workload if kind and _NAME.fullmatch(name) else None


def _namespace(start: Start) -> str:
    name = start.placement.namespace if start.placement else ""
    return f" -n {name}" if _NAME.fullmatch(name) else ""
