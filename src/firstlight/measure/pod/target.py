"""
`deployment/NAME` and its like, as kubectl writes them.
"""

from firstlight.core.errors import BadInput
from firstlight.measure.pod.order import Target

_KINDS = {
    "deployment": ("deployments", "deploy", "deployment.apps", "deployments.apps"),
    "statefulset": ("statefulsets", "sts", "statefulset.apps", "statefulsets.apps"),
    "pod": ("pods", "po"),
}
_OTHERS = {
    "replicaset": ("replicasets", "rs"),
    "daemonset": ("daemonsets", "ds"),
    "job": ("jobs",),
    "cronjob": ("cronjobs", "cj"),
}
_SPELLED = {word: kind for kind, words in {**_KINDS, **_OTHERS}.items() for word in (kind, *words)}


def names_a_workload(word: str) -> bool:
    """Whether a word of the command line means something in a cluster, not a program."""
    kind, slash, name = word.partition("/")
    return bool(slash and name and "/" not in name) and kind.lower() in _SPELLED


def parsed_target(word: str, *, namespace: str, follow: bool) -> Target:
    """
    What a word names.

    Args:
        word: such as `deployment/vllm`.
        namespace: where it is.
        follow: whether a start is only waited for, so that any pod will do.

    Raises:
        BadInput: nothing that could be measured.
    """
    spelled, _, name = word.partition("/")
    kind = _SPELLED.get(spelled.lower(), spelled)
    if kind not in _KINDS:
        raise BadInput(
            f"{word}: the start of a {kind} is not measured, because nothing starts its pod again "
            "where and when it is wanted",
            remedy="name a deployment or a statefulset, or wait for one pod with "
            "`firstlight measure pod/NAME --follow`",
        )
    if kind == "pod" and not follow:
        raise BadInput(
            f"{word}: a pod that is deleted does not come back under its name",
            remedy="name the deployment or statefulset it belongs to, or wait for its start "
            f"with `firstlight measure {word} --follow`",
        )
    return Target(kind=kind, name=name, namespace=namespace)
