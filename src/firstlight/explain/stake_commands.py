"""
The commands beside an estimate: what shows the change, and what proves it.

In a cluster both are firstlight's own. A parameter that neither the card nor the workload's
objects can tell stands in the command as a placeholder in capitals, so that whoever runs it
sees what is left to say. Outside of a cluster the change is a few words around the engine's
command, and showing them is saying them.

A measurement in a cluster deletes a pod: the command carries its `--yes`, and says so behind it.
"""

import re
from collections.abc import Sequence

from firstlight.core.starts import Start
from firstlight.techniques.card import Card
from firstlight.techniques.parameter_kinds import Kind
from firstlight.techniques.process_words import process_command

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}")
"""As Kubernetes allows it; anything else is no name to paste into a shell."""
FROM_OBJECTS = frozenset(
    {"bucket", "bucket_prefix", "region", "model_mount", "nodepool", "gpus", "cpu", "memory"}
)
"""Parameters that `render` finds in the workload's own objects."""
_PLACE, _PLACES = "s3://BUCKET/PREFIX", (Kind.URI, Kind.S3_URI)


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
    asked = "".join(f" --set {name}={shown}" for name, shown in _unknown(chain).items())
    workload = _workload(start)
    if workload is None:
        return f"firstlight render deployment.yaml {techniques}{asked}"
    return f"firstlight render {workload}{_namespace(start)} {techniques}{asked}"


def _unknown(chain: Sequence[Card]) -> dict[str, str]:
    """The parameters that only the user can tell, each with what stands for it."""
    return {
        name: _PLACE if parameter.kind in _PLACES else name.upper()
        for card in chain
        for name, parameter in card.parameters.items()
        if parameter.default is None and name not in FROM_OBJECTS
    }


def prove(start: Start, *, cold: bool) -> str:
    """The measurement to make before and after the change."""
    if start.placement is None:
        return "firstlight measure -- vllm serve ..."
    workload = _workload(start) or "deployment/NAME"
    return (
        f"firstlight measure {workload}{_namespace(start)} --scenario {_kind(cold)} --yes"
        "  # deletes the pod: a new one starts"
    )


def prove_kept_nodes() -> str:
    """What to do instead: a start that is made on a node which is there proves no retention."""
    return (
        "# no single start proves it: count how many of your starts found a node "
        "(node-was-there), for some days before and after"
    )


def _kind(cold: bool) -> str:  # noqa: FBT001
    return "cold" if cold else "warm"


def _workload(start: Start) -> str | None:
    workload = start.placement.workload if start.placement else ""
    kind, _, name = workload.partition("/")
    return workload if kind and _NAME.fullmatch(name) else None


def _namespace(start: Start) -> str:
    name = start.placement.namespace if start.placement else ""
    return f" -n {name}" if _NAME.fullmatch(name) else ""
