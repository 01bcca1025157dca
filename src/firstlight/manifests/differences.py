"""
What differs between two sets of objects, as somebody would say it.

Not lines of text: objects are matched by what they are called, containers, variables and
volumes by name, mounts by path, arguments by flag. The order of a list without meaning is
no difference; that of variables and of what runs before the engine is one, because each
may use the one before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.manifests.argument_differences import command_differences
from firstlight.manifests.json_values import same
from firstlight.manifests.list_keys import keys
from firstlight.manifests.objects import Identity, ObjectSet

_ORDERED = frozenset({"initContainers", "env"})
_PODS_CONTAINERS = frozenset({"containers", "initContainers"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that is not the same."""

    identity: Identity
    path: str
    """`spec.template.spec.containers[vllm].args[--load-format]`; empty for the whole object."""
    before: Any
    """None where there was nothing; null in a manifest is nothing too."""
    after: Any
    """None where there is nothing any more."""

    def __str__(self) -> str:
        return f"{self.identity} {self.path}".rstrip()


def differences(before: ObjectSet, after: ObjectSet) -> tuple[Difference, ...]:
    """Every difference, in the order of the objects; none where the sets say the same."""
    olds = {m.identity: m.value for m in before}
    news = {m.identity: m.value for m in after}
    return tuple(
        Difference(identity=identity, path=path, before=old, after=new)
        for identity in dict.fromkeys([*olds, *news])
        for path, old, new in _values("", "", olds.get(identity), news.get(identity))
    )


_Found = Iterator[tuple[str, Any, Any]]


def _values(path: str, field: str, old: Any, new: Any) -> _Found:
    if same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _maps(path, field, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _lists(path, field, old, new)
    else:
        yield path, old, new


def _maps(path: str, field: str, old: dict[str, Any], new: dict[str, Any]) -> _Found:
    special = field in _PODS_CONTAINERS
    if special:
        yield from command_differences(path, old, new)
    for name in dict.fromkeys([*old, *new]):
        if not (special and name in {"command", "args"}):
            inner = f"{path}.{_key(name)}" if path else _key(name)
            yield from _values(inner, name, old.get(name), new.get(name))


def _key(name: str) -> str:
    return f'"{name}"' if "." in name or "/" in name else name


def _lists(path: str, field: str, old: list[Any], new: list[Any]) -> _Found:
    old_keys, new_keys = keys(old, of=field), keys(new, of=field)
    if (old_keys is None and old) or (new_keys is None and new):
        yield from _by_position(path, old, new)
        return
    olds = dict(zip(old_keys or (), old, strict=True))
    news = dict(zip(new_keys or (), new, strict=True))
    for key in dict.fromkeys([*olds, *news]):
        yield from _values(f"{path}[{key}]", field, olds.get(key), news.get(key))
    both_old = [k for k in olds if k in news]
    both_new = [k for k in news if k in olds]
    if field in _ORDERED and both_old != both_new:
        yield f"{path} order", tuple(both_old), tuple(both_new)


def _by_position(path: str, old: list[Any], new: list[Any]) -> _Found:
    for at in range(max(len(old), len(new))):
        before = old[at] if at < len(old) else None
        after = new[at] if at < len(new) else None
        yield from _values(f"{path}[{at}]", "", before, after)
