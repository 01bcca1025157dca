"""
Two lists side by side: what both have, and what one has in place of the other's.

By a longest common subsequence, so that an element put in front of the others is one new
element and not a change of each.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """One element that both lists have, or some of the one in place of some of the other."""

    old: range
    new: range
    is_common: bool = False


def stretches(olds: list[str], news: list[str]) -> Iterator[Stretch]:
    """Both lists, from the front to the end; what is common is as much as it can be."""
    shortest = min(len(olds), len(news))
    head = next((k for k in range(shortest) if olds[k] != news[k]), shortest)
    tail = next(
        (k for k in range(shortest - head) if olds[-1 - k] != news[-1 - k]), shortest - head
    )
    old_end, new_end = len(olds) - tail, len(news) - tail
    yield from (_common(k, k) for k in range(head))
    for found in _differing(olds[head:old_end], news[head:new_end]):
        yield Stretch(_moved(found.old, head), _moved(found.new, head), found.is_common)
    yield from (_common(old_end + k, new_end + k) for k in range(tail))


def _common(old: int, new: int) -> Stretch:
    return Stretch(range(old, old + 1), range(new, new + 1), is_common=True)


def _moved(at: range, by: int) -> range:
    return range(at.start + by, at.stop + by)


def _differing(olds: list[str], news: list[str]) -> Iterator[Stretch]:
    """The same, of lists that differ at both ends; costs the product of their lengths."""
    common = _common_lengths(olds, news)
    i = j = from_i = from_j = 0
    while i < len(olds) and j < len(news):
        if olds[i] == news[j]:
            if (from_i, from_j) != (i, j):
                yield Stretch(range(from_i, i), range(from_j, j))
            yield _common(i, j)
            i, j = i + 1, j + 1
            from_i, from_j = i, j
        elif common[i + 1][j] >= common[i][j + 1]:
            i += 1
        else:
            j += 1
    if (from_i, from_j) != (len(olds), len(news)):
        yield Stretch(range(from_i, len(olds)), range(from_j, len(news)))


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
