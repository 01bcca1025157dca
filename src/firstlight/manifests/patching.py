"""
Two values of an object into the patch that leads from one to the other (RFC 6902).

The patch is worked out from the two states and not collected along the way, so it is the
smallest there is and cannot say anything else than the states do: an argument changed
twice is replaced once. Before it changes anything stand tests that all of it is as it was
(`still_there`). So a patch on a manifest that has changed since fails, and neither hits
another container nor takes away what somebody has added.
"""

from dataclasses import dataclass, field
from typing import Any

from firstlight.manifests.json_values import canonical_text, same
from firstlight.manifests.list_keys import single_key
from firstlight.manifests.still_there import (
    Operation,
    absent,
    all_of,
    ends_here,
    exactly,
    key_of,
)
from firstlight.manifests.stretches import Stretch, stretches
from firstlight.readers.json_pointer import token

_OF_ANY_NAMES = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})
"""Maps whose keys are the user's own: no server fills in one that was left out."""


def patch(before: Any, after: Any) -> tuple[Operation, ...]:
    """The operations that make `after` of `before`, tests first; none where they are equal."""
    made = _Made()
    made.changed(before, after, _At(was="", now="", field=""))
    return (*made.tests, *made.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _At:
    """A place: an element's index is another one where something was put in front of it."""

    was: str
    now: str
    field: str
    """The name of the field; empty for an element of a list."""

    def member(self, name: str) -> "_At":
        part = f"/{token(name)}"
        return _At(was=self.was + part, now=self.now + part, field=name)

    def element(self, was: int, now: int) -> "_At":
        return _At(was=f"{self.was}/{was}", now=f"{self.now}/{now}", field="")


@dataclass(slots=True, kw_only=True)
class _Made:
    """A patch in the making; it does not outlive `patch`."""

    tests: list[Operation] = field(default_factory=list)
    changes: list[Operation] = field(default_factory=list)

    def changed(self, before: Any, after: Any, at: _At) -> None:
        if same(before, after):
            return
        if isinstance(before, dict) and isinstance(after, dict):
            self._map(before, after, at)
        elif isinstance(before, list) and isinstance(after, list):
            self._list(before, after, at)
        else:
            self.tests += all_of(before, at.was)
            self._do("replace", at.now, after)

    def _do(self, what: str, path: str, value: Any) -> None:
        self.changes.append({"op": what, "path": path, "value": value})

    def _map(self, before: dict[str, Any], after: dict[str, Any], at: _At) -> None:
        for name in dict.fromkeys([*before, *after]):
            inner = at.member(name)
            if name not in after:
                self._gone(before[name], inner)
            elif before.get(name) is not None:
                self.changed(before[name], after[name], inner)
            elif name not in before or after[name] is not None:
                # A null is no more than a field that is not there: an API server keeps none.
                self.tests.append(absent(inner.was))
                self._do("add", inner.now, after[name])

    def _gone(self, old: Any, at: _At) -> None:
        """A field that goes with all that was in it, and with nothing else."""
        if isinstance(old, list) and single_key(old, of=at.field) is not None:
            self.tests += all_of(old, at.was)
            self.changes += [{"op": "remove", "path": f"{at.now}/0"} for _ in old]
            self.changes.append(exactly([], at.now))
        elif isinstance(old, list) or at.field in _OF_ANY_NAMES:
            self.tests.append(exactly(old, at.was))
        else:
            self.tests += all_of(old, at.was)
        self.changes.append({"op": "remove", "path": at.now})

    def _list(self, before: list[Any], after: list[Any], at: _At) -> None:
        key = single_key(before, of=at.field)
        if key is not None and after and single_key(after, of=at.field) != key:
            key = None
        olds, news = ([_told(element, key) for element in side] for side in (before, after))
        found = list(stretches(olds, news))
        if key is None:
            self.tests.append(exactly(before, at.was))
        else:
            self._test_elements(before, after, found, key, at)
        place = 0
        for one in found:
            if one.is_common:
                old, new = before[one.old.start], after[one.new.start]
                self.changed(old, new, at.element(one.old.start, place))
                place += 1
                continue
            both = min(len(one.old), len(one.new))
            for new in one.new[:both]:
                self._do("replace", f"{at.now}/{place}", after[new])
                place += 1
            gone = {"op": "remove", "path": f"{at.now}/{place}"}
            self.changes += [dict(gone) for _ in one.old[both:]]
            for new in one.new[both:]:
                end = "-" if one.old.stop == len(before) else place
                self._do("add", f"{at.now}/{end}", after[new])
                place += 1

    def _test_elements(
        self, before: list[Any], after: list[Any], found: list[Stretch], key: str, at: _At
    ) -> None:
        """
        What is changed in a list of named things, in the places that it had.

        Where something is added, the list has to have these names and no other: somebody may
        have added one of that name since.
        """
        is_added = any(one.new and not one.is_common for one in found)
        for one in found:
            for place in one.old:
                path, element = f"{at.was}/{place}", before[place]
                if not one.is_common:
                    self.tests += all_of(element, path)
                elif is_added or not same(element, after[one.new.start]):
                    self.tests.append(key_of(element, key, path))
        if is_added:
            self.tests += ends_here(before, at.was)


def _told(element: Any, key: str | None) -> str:
    """What an element is known by: its name, or all of it."""
    return canonical_text(element) if key is None else str(element[key])
