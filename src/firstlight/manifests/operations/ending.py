"""
`set-pre-stop` and `set-grace-period`: how the engine's container comes to its end.

All containers of a pod are told to end at the same moment. One that must outlast another waits in
its preStop, and the grace period has to hold all that happens one after the other: when it is over,
whatever is left is killed.
"""

from firstlight.manifests.draft import Draft, argument_text
from firstlight.manifests.operations.probe import asking, is_asking
from firstlight.readers.kube.fields import mapping, natural
from firstlight.techniques.operations import SetGracePeriod, SetPreStop

GRACE_S = 30
"""Kubernetes' own grace period, where a pod says none."""


def set_pre_stop(draft: Draft, operation: SetPreStop) -> None:
    """
    Have the hook, unless it is there.

    Raises:
        BadInput: the container has another one, and what that is for nobody here knows.
    """
    lifecycle = mapping(draft.container.get("lifecycle"))
    hook = mapping(lifecycle.get("preStop"))
    asks = asking(operation.path, operation.port)
    if is_asking(hook, asks):
        return
    if hook:
        raise draft.refusal(
            "the engine's container has a preStop of its own "
            f"({draft.before.place('/lifecycle/preStop')}), and there can be one only",
            remedy="take it out; where it only waits, the gateway's --drain-delay-s does that",
        )
    draft.container["lifecycle"] = {**lifecycle, "preStop": {"httpGet": asks}}


def set_grace_period(draft: Draft, operation: SetGracePeriod) -> None:
    """Have the pod's grace period at the sum, unless it is longer."""
    needed_s = sum(int(one) for one in operation.seconds)
    if operation.argument is not None:
        needed_s += _seconds_of(draft, operation.argument)
    written = draft.pod.get("terminationGracePeriodSeconds")
    given_s = GRACE_S if written is None else natural(written)
    if given_s is None or needed_s > given_s:
        draft.pod["terminationGracePeriodSeconds"] = needed_s


def _seconds_of(draft: Draft, argument: str) -> int:
    line = draft.line()
    option = line.last(argument)
    if option is None or option.value is None:
        return 0
    text = argument_text(option.value, draft.now, line, draft.objects) or ""
    if not text.isdecimal():
        raise draft.refusal(
            f"{argument} is {option.value}, and how many seconds that is is not known",
            remedy="write the number out",
        )
    return int(text)
