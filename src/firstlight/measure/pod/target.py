"""
What can be measured: what makes its pod again, and with patience any pod.
"""

from firstlight.core.errors import BadInput
from firstlight.core.workloads import Target
from firstlight.core.workloads import parsed_target as parsed_workload

_KINDS = ("deployment", "statefulset", "pod")


def parsed_target(word: str, *, follow: bool) -> Target:
    """
    What a word names.

    Args:
        word: such as `deployment/vllm`.
        follow: whether a start is only waited for, so that any pod will do.

    Raises:
        BadInput: nothing that could be measured.
    """
    target = parsed_workload(word)
    if target.kind not in _KINDS:
        raise BadInput(
            f"{word}: the start of a {target.kind} is not measured, because nothing starts its "
            "pod again where and when it is wanted",
            remedy="name a deployment or a statefulset, or wait for one pod with "
            "`firstlight measure pod/NAME --follow`",
        )
    if target.kind == "pod" and not follow:
        raise BadInput(
            f"{word}: a pod that is deleted does not come back under its name",
            remedy="name the deployment or statefulset it belongs to, or wait for its start "
            f"with `firstlight measure {word} --follow`",
        )
    return target
