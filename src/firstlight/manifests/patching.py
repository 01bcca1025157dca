"""
Two values of an object into the patch that leads from one to the other (RFC 6902).

The patch is worked out from the two states and not collected along the way, so it is the
smallest there is and cannot say anything else than the states do: an argument changed
twice is replaced once. An index says nothing about what stands there, so in front of what
is changed under one there is a `test`: the container's name, the argument's old words.
Then a patch on a manifest that has changed since fails, and hits no other container.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.manifests.json_values import canonical_text, same
from firstlight.manifests.list_keys import key_field, keys
from firstlight.readers.json_pointer import token

Operation = dict[str, Any]


def patch(before: Any, after: Any) -> tuple[Operation, ...]:
    """The operations that make `after` of `before`; none where they are equal."""
    return tuple(_changed(before, after, "", ""))


def _changed(before: Any, after: Any, path: str, field: str) -> Iterator[Operation]:
    if same(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _changed_map(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _changed_list(before, after, path, field)
    else:
        yield {"op": "replace", "path": path, "value": after}


def _changed_map(before: dict[str, Any], after: dict[str, Any], path: str) -> Iterator[Operation]:
    for name, old in before.items():
        at = f"{path}/{token(name)}"
        if name in after:
            yield from _changed(old, after[name], at, name)
        else:
            yield {"op": "remove", "path": at}
    for name, new in after.items():
        if name not in before:
            yield {"op": "add", "path": f"{path}/{token(name)}", "value": new}


def _changed_list(
    before: list[Any], after: list[Any], path: str, field: str
) -> Iterator[Operation]:
    old_keys, new_keys = keys(before, of=field), keys(after, of=field)
    keyed = old_keys is not None and new_keys is not None
    olds = list(old_keys or ()) if keyed else [canonical_text(e) for e in before]
    news = list(new_keys or ()) if keyed else [canonical_text(e) for e in after]
    test = key_field(before, of=field) if keyed else None
    at, length = 0, len(before)
    for i, i_end, j, j_end in _stretches(olds, news):
        if i_end > i and j_end > j and olds[i] == news[j]:
            inner = list(_changed(before[i], after[j], f"{path}/{at}", ""))
            if inner:
                yield from _tests(before[i], f"{path}/{at}", test)
            yield from inner
            at += 1
            continue
        both = min(i_end - i, j_end - j)
        for k in range(both):
            yield from _tests(before[i + k], f"{path}/{at}", test)
            yield {"op": "replace", "path": f"{path}/{at}", "value": after[j + k]}
            at += 1
        for k in range(i + both, i_end):
            yield from _tests(before[k], f"{path}/{at}", test)
            yield {"op": "remove", "path": f"{path}/{at}"}
            length -= 1
        for k in range(j + both, j_end):
            end = "-" if at == length else str(at)
            yield {"op": "add", "path": f"{path}/{end}", "value": after[k]}
            length += 1
            at += 1


def _stretches(olds: list[str], news: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """
    Both lists in stretches, by a longest common subsequence.

    Each is one element that both have, or what one has in place of the other's.
    """
    shortest = min(len(olds), len(news))
    head = next((k for k in range(shortest) if olds[k] != news[k]), shortest)
    tail = next(
        (k for k in range(shortest - head) if olds[-1 - k] != news[-1 - k]), shortest - head
    )
    old_end, new_end = len(olds) - tail, len(news) - tail
    yield from ((k, k + 1, k, k + 1) for k in range(head))
    for i, i_end, j, j_end in _differing(olds[head:old_end], news[head:new_end]):
        yield i + head, i_end + head, j + head, j_end + head
    yield from ((old_end + k, old_end + k + 1, new_end + k, new_end + k + 1) for k in range(tail))


def _differing(olds: list[str], news: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """The same, of lists that differ at both ends; costs the product of their lengths."""
    common = _common_lengths(olds, news)
    i = j = from_i = from_j = 0
    while i < len(olds) and j < len(news):
        if olds[i] == news[j]:
            if (from_i, from_j) != (i, j):
                yield from_i, i, from_j, j
            yield i, i + 1, j, j + 1
            i, j = i + 1, j + 1
            from_i, from_j = i, j
        elif common[i + 1][j] >= common[i][j + 1]:
            i += 1
        else:
            j += 1
    if (from_i, from_j) != (len(olds), len(news)):
        yield from_i, len(olds), from_j, len(news)


def _common_lengths(olds: list[str], news: list[str]) -> list[list[int]]:
    """How many elements the two rests have in common, in order, from each pair of places on."""
    common = [[0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for i in range(len(olds) - 1, -1, -1):
        for j in range(len(news) - 1, -1, -1):
            common[i][j] = (
                common[i + 1][j + 1] + 1
                if olds[i] == news[j]
                else max(common[i + 1][j], common[i][j + 1])
            )
    return common


def _tests(element: Any, path: str, field: str | None) -> Iterator[Operation]:
    if isinstance(element, dict) and (field or "name") in element:
        yield {"op": "test", "path": f"{path}/{field or 'name'}", "value": element[field or "name"]}
    elif not isinstance(element, dict | list):
        yield {"op": "test", "path": path, "value": element}
