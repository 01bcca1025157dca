"""
What a reader must know to judge a measured start.

None of these is an error: the start was measured, and something about it was not as it is
usually, or not as was asked.
"""

from firstlight.core.units import NS_PER_S
from firstlight.measure.pod.fields import labels, name, node_of, uid
from firstlight.measure.pod.following import Followed, Following, why_replaced
from firstlight.measure.pod.order import Scenario
from firstlight.measure.pod.plan import Plan

_TEMPLATES = ("pod-template-hash", "controller-revision-hash")
_LONG_NS = 2 * NS_PER_S


def not_as_asked(plan: Plan, one: Followed) -> str | None:
    """Why a start is not of the scenario that was asked for; None where it is."""
    before = node_of(plan.pod)
    if plan.scenario is Scenario.WARM and one.node != before:
        return f"not warm: it went to {one.node}, the pod before was on {before}"
    if plan.scenario is Scenario.COLD and one.node in plan.nodes:
        return f"not cold: it went to {one.node}, which was there before"
    return None


def remarks(
    following: Following, plan: Plan | None, *, reconnected: int, relisted: int
) -> list[str]:
    """Sentences, in the order of the start."""
    one = following.current
    found = [
        f"{before.name} came before this pod and was replaced: {why_replaced(before)}"
        for before in following.replaced
    ]
    if one is None:
        return found
    if one.listed:
        found.append(
            f"{one.name} was there before it was watched, so when it was made is not known from "
            "outside"
        )
    if one.ready_listed:
        found.append(
            f"that {one.name} is Ready was read from a list after the watch had broken: it was so "
            "some time before"
        )
    if plan is not None:
        found += _about_the_old(following, plan, one)
    if relisted:
        found.append(f"the watch had to list again {relisted} times; states in between are lost")
    elif reconnected:
        found.append(f"the watch was cut {reconnected} times and taken up again; nothing is lost")
    return found


def _about_the_old(following: Following, plan: Plan, one: Followed) -> list[str]:
    found = []
    gone_ns = following.gone_ns.get(uid(plan.pod))
    if gone_ns is not None and gone_ns - one.seen_ns > _LONG_NS:
        found.append(
            f"{name(plan.pod)} ended {(gone_ns - one.seen_ns) / NS_PER_S:.1f} s after "
            f"{one.name} was made; what it held (a GPU, a volume) was not free before"
        )
    before, after = labels(plan.pod), labels(one.pod)
    if any(before.get(key) != after.get(key) for key in _TEMPLATES):
        found.append(
            f"{one.name} is of another template than {name(plan.pod)}: the workload was changed "
            "meanwhile"
        )
    return found
