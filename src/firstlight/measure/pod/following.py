"""
Which pod is the new one, and how far it has come, decided from changes alone.

A pod is deleted and its workload makes another: that one is new, because its uid was not
there before. It may not be the last: it can be evicted, or replaced by somebody's rollout.
As long as it lives it is followed, whatever else appears; when it ends, or is told to, the
newest that lives is followed instead. Containers that crash and are started again are part
of a start.

Each pod's first sight is kept from the beginning, also of one that is followed later only.
What a list tells (after a watch that could not be taken up again) happened at some time
before, so it is no moment.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firstlight.measure.pod.fields import (
    is_leaving,
    is_over,
    is_ready,
    name,
    node_of,
    restarts,
    troubles,
    uid,
    unscheduled_words,
    why_over,
)
from firstlight.measure.pod.ports import Change, Object


@dataclass(slots=True, kw_only=True)
class Followed:
    """One new pod, as far as it was seen."""

    pod: Object
    seen_ns: int
    listed: bool
    """Whether a list told of it first: then it was made at some time before `seen_ns`."""
    ready_ns: int | None = None
    ready_listed: bool = False
    over_ns: int | None = None
    """When it was seen to have ended, or to have been told to; None while it lives."""

    @property
    def name(self) -> str:
        return name(self.pod)

    @property
    def node(self) -> str | None:
        return node_of(self.pod)

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself, for good."""
        return is_over(self.pod)


class Following:
    """Fed with changes; knows the new pod and what it waits for."""

    def __init__(self, *, known: Iterable[str], owns: Callable[[Object], bool]) -> None:
        self.current: Followed | None = None
        """The pod whose start this is; None before there is one."""
        self.replaced: list[Followed] = []
        """Those that were followed before it, in order."""
        self.gone_ns: dict[str, int] = {}
        """When pods of before were seen to be gone, by uid."""
        self._known = set(known)
        self._owns = owns
        self._new: dict[str, Followed] = {}

    def learn(self, change: Change) -> None:
        """Take in what happened to a pod, whosever it is."""
        key = uid(change.object)
        if key in self._known:
            if change.type == "DELETED":
                self.gone_ns.setdefault(key, change.arrived_ns)
            return
        if key not in self._new and (change.type == "DELETED" or not self._owns(change.object)):
            return
        one = self._new.setdefault(
            key, Followed(pod=change.object, seen_ns=change.arrived_ns, listed=change.listed)
        )
        one.pod = change.object
        ended = change.type == "DELETED" or is_leaving(one.pod) or is_over(one.pod)
        if ended and one.over_ns is None:
            one.over_ns = change.arrived_ns
        if one.ready_ns is None and is_ready(one.pod) and not ended:
            one.ready_ns, one.ready_listed = change.arrived_ns, change.listed
        self._choose()

    @property
    def node(self) -> str | None:
        """Where the new pod is; None while it is nowhere."""
        return self.current.node if self.current else None

    @property
    def words(self) -> str:
        """What is being waited for."""
        one = self.current
        if one is None:
            return "waiting for a new pod"
        if one.over_ns is not None:
            return f"{one.name} ended; waiting for the next pod"
        if one.node is None:
            why = unscheduled_words(one.pod)
            return f"{one.name} waits for a node" + (f": {why}" if why else "")
        said = [*troubles(one.pod)]
        if again := restarts(one.pod):
            said.append(f"{again} restarts")
        return f"{one.name} starts on {one.node}" + (f": {'; '.join(said)}" if said else "")

    def _choose(self) -> None:
        if self.current is not None and self.current.over_ns is None:
            return
        alive = [one for one in self._new.values() if one.over_ns is None]
        if not alive:
            if self.current is None and self._new:
                self.current = next(reversed(self._new.values()))
            return
        if self.current is not None:
            self.replaced.append(self.current)
        self.current = alive[-1]


def why_replaced(one: Followed) -> str:
    """Why a pod that was followed is no longer the one."""
    return why_over(one.pod) if one.has_failed else "it was deleted"
