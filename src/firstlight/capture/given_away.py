"""
What specs give away: the values that are looked for everywhere else.

Whatever was removed is looked for, but for what would take the sense out of a log: a
value that is too short, a word of the engine's own lines, and, under a name that does not
say secret, the name of an object. Those go only where they stand next to their names.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from firstlight.core.objects import Object
from firstlight.core.secret_names import is_secret
from firstlight.core.secrets import Known, longest_first, secrets_in
from firstlight.readers import wordings

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_LONG_LINE = 12
_SEVERAL = re.compile(r"[,;\s]+")


class GivenAway:
    """Values that went, and the names of variables that had them."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._variables: set[tuple[str, str]] = set()

    def add(self, values: Iterable[str]) -> None:
        """Secrets, by their shape or their name."""
        for value in values:
            # Of a user and a password, the password may stand alone elsewhere.
            self._values.update({value, value.partition(":")[2]})

    def add_variable(self, name: str, value: str) -> None:
        """A variable's value, whatever it is."""
        self._variables.add((name, value))
        self.add(secrets_in(value))
        if is_secret(name):
            self.add([value, *_SEVERAL.split(value)])

    def known(self, objects: Iterable[Object]) -> Known:
        """What to look for; `objects` are those it was found in."""
        called = {one for object_ in objects for one in _names(object_)}
        values = self._values | {one for _, one in self._variables if one not in called}
        found = {form for one in values if not _is_a_word(one) for form in _forms(one)}
        alone = set(longest_first(found))
        short = {name for name, value in self._variables if value not in alone}
        return Known(values=longest_first(found), names=frozenset(short))


def applied(value: Any) -> Iterator[Object]:
    """The copies that `kubectl apply` left, wherever they stand."""
    if isinstance(value, dict):
        annotations = value.get("annotations")
        if isinstance(annotations, dict) and isinstance(annotations.get(LAST_APPLIED), str):
            try:
                copy = json.loads(annotations[LAST_APPLIED])
            except (ValueError, RecursionError):
                copy = None
            if isinstance(copy, dict):
                yield copy
        for inner in value.values():
            yield from applied(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from applied(inner)


def _names(value: Any) -> Iterator[str]:
    """By what objects and containers are called and found; a variable may repeat it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"name", "namespace", "image"} and isinstance(inner, str):
                yield inner
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)


def _is_a_word(value: str) -> bool:
    """Whether the engine's own lines have it; a log without them explains nothing."""
    return value.isalpha() and any(
        value in one.literal or value in one.pattern.pattern for one in wordings.ALL
    )


def _forms(secret: str) -> Iterator[str]:
    """As JSON and URLs write it, and, of several lines, each."""
    yield from (secret, secret.strip(), json.dumps(secret)[1:-1], quote(secret, safe=""))
    lines = secret.splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(line.strip()) >= _LONG_LINE)
