"""
What can be captured: what has pods of its own, and a pod itself.
"""

from firstlight.core.errors import BadInput
from firstlight.core.workloads import Target
from firstlight.core.workloads import parsed_target as parsed_workload

_KINDS = ("deployment", "pod", "statefulset", "replicaset")


def parsed_target(text: str) -> Target:
    """
    A target from `KIND/NAME`.

    Raises:
        BadInput: it is not of that form, or of a kind whose pods are not looked for.
    """
    target = parsed_workload(text)
    if target.kind not in _KINDS:
        raise BadInput(
            f"a {target.kind} is nothing that can be captured",
            remedy=f"say {', '.join(f'{kind}/NAME' for kind in _KINDS)}",
        )
    return target
