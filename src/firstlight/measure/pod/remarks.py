"""
What a reader must know to judge a measured start.

None of these is an error: the start was measured, and something about it was not as it is
usually, or not as was asked.
"""

from firstlight.core.objects import name, uid
from firstlight.core.units import NS_PER_S
from firstlight.measure.pod.fields import labels, node_of
from firstlight.measure.pod.following import Followed, Following, why_replaced
from firstlight.measure.pod.intervention import Intervention
from firstlight.measure.pod.order import Scenario

_TEMPLATES = ("pod-template-hash", "controller-revision-hash")
_LONG_NS = 2 * NS_PER_S


def not_as_asked(intervention: Intervention, one: Followed) -> str | None:
    """Why a start is not of the scenario that was asked for; None where it is."""
    before = node_of(intervention.pod)
    if intervention.scenario is Scenario.WARM and before is not None and one.node != before:
        return f"not warm: it went to {one.node}, the pod before was on {before}"
    if intervention.scenario is Scenario.COLD and one.node in intervention.nodes:
        return f"not cold: it went to {one.node}, which was there before"
    return None


def remarks(
    following: Following, intervention: Intervention | None, *, reconnected: int, relisted: int
) -> list[str]:
    """Sentences, in the order of the start."""
    one = following.current
    found = [
        f"{before.name} came before this pod and was replaced: {why_replaced(before)}"
        for before in following.replaced
    ]
    if one is None:
        return found
    if one.made.listed:
        found.append(
            f"{one.name} was there before it was watched, so when it was made is not known from "
            "outside"
        )
    if one.ready is not None and one.ready.listed:
        found.append(
            f"that {one.name} is Ready was read from a list after the watch had broken: it was so "
            "some time before, so when is not known from outside"
        )
    if intervention is not None and intervention.deletes:
        found += _about_the_old(following, intervention, one)
    if relisted:
        found.append(f"the watch had to list again {relisted} times; states in between are lost")
    elif reconnected:
        found.append(f"the watch was cut {reconnected} times and taken up again; nothing is lost")
    return found


def _about_the_old(following: Following, intervention: Intervention, one: Followed) -> list[str]:
    found = []
    gone = following.gone.get(uid(intervention.pod))
    gone_ns = gone.moment_ns if gone is not None else None
    made_ns = one.made.moment_ns
    if gone_ns is not None and made_ns is not None and gone_ns - made_ns > _LONG_NS:
        found.append(
            f"{name(intervention.pod)} ended {(gone_ns - made_ns) / NS_PER_S:.1f} s after "
            f"{one.name} was made; what it held (a GPU, a volume) was not free before"
        )
    before, after = labels(intervention.pod), labels(one.pod)
    if any(before.get(key) != after.get(key) for key in _TEMPLATES):
        found.append(
            f"{one.name} is of another template than {name(intervention.pod)}: the workload was "
            "changed meanwhile"
        )
    return found
