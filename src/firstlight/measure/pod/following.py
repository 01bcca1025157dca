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

from firstlight.core.objects import Object, name, uid
from firstlight.measure.pod.fields import (
    is_leaving,
    is_over,
    is_ready,
    node_of,
    restarts,
    troubles,
    unscheduled_words,
    why_over,
)
from firstlight.measure.pod.ports import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """That something was so, seen from here."""

    at_ns: int
    listed: bool
    """Whether a list told it: then it came to be so at some time before."""

    @property
    def moment_ns(self) -> int | None:
        """When it came to be so; None where that was not seen."""
        return None if self.listed else self.at_ns


@dataclass(slots=True, kw_only=True)
class Followed:
    """One new pod, as far as it was seen."""

    pod: Object
    made: Sight
    ready: Sight | None = None
    """None while it is not."""
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
        self.gone: dict[str, Sight] = {}
        """Pods of before that are gone, by uid."""
        self._known = set(known)
        self._owns = owns
        self._new: dict[str, Followed] = {}

    def find(self, pod: Object, *, at_ns: int) -> None:
        """Take in a pod that a list showed before the watch began; its start is under way."""
        self._take_in(pod, Sight(at_ns=at_ns, listed=True), is_gone=False)

    def learn(self, change: Change) -> None:
        """Take in what happened to a pod, whosever it is."""
        sight = Sight(at_ns=change.arrived_ns, listed=change.listed)
        self._take_in(change.object, sight, is_gone=change.type == "DELETED")

    def _take_in(self, pod: Object, sight: Sight, *, is_gone: bool) -> None:
        key = uid(pod)
        if key in self._known:
            if is_gone:
                self.gone.setdefault(key, sight)
            return
        if key not in self._new and (is_gone or not self._owns(pod)):
            return
        one = self._new.setdefault(key, Followed(pod=pod, made=sight))
        one.pod = pod
        ended = is_gone or is_leaving(pod) or is_over(pod)
        if ended and one.over_ns is None:
            one.over_ns = sight.at_ns
        if one.ready is None and is_ready(pod) and not ended:
            one.ready = sight
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
