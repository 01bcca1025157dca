"""
Whether two sets differ in nothing but what was changed.

Within a set all rounds must be alike, or their median is of two kinds of start. Across sets
everything that is known must be equal but for what was declared. What is known on one side
only is not taken for equal: it is listed. Totals that run between different moments, or are
known to seconds on one side and to tenths on the other, are not mixed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from firstlight.compare.sets import TOTAL, Round, RoundSet
from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT
from firstlight.core.units import NS_PER_S

_COARSER = 2
"""Uncertainties further apart than this many times are of different precision,"""
_FINE_NS = NS_PER_S // 2
"""where the coarser one is as much: below, both are a process's own clock."""
_ABSENT = None
"""An argument or a variable that a start lacks, where it tells those that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Differs:
    """Something that is not the same."""

    name: str
    first: str
    """Empty where that side does not have it."""
    second: str

    def __str__(self) -> str:
        return f"{self.name} ({self.first or 'none'} and {self.second or 'none'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """What stands in the way of a comparison, and what was let through."""

    against: tuple[str, ...]
    """Reasons, each a clause; empty where the sets may be compared."""
    declared: tuple[Differs, ...]
    """What differs and was said to."""
    undeclared: tuple[Differs, ...]
    unknown: tuple[str, ...]
    """Names that one side tells and the other does not."""


def comparable(first: RoundSet, second: RoundSet, *, declared: Iterable[str]) -> Comparable:
    """
    Whether the two may be compared.

    Args:
        first: one set.
        second: the other.
        declared: names of fingerprints that may differ, `*` for any letters.
    """
    patterns = tuple(declared)
    against = [*_within(first), *_within(second), *_timed(first, second), *_shared(first, second)]
    differing = _across(first, second)
    undeclared = [one for one in differing if not _is_declared(one.name, patterns)]
    if undeclared:
        against.append("they differ in " + ", ".join(map(str, undeclared)))
    return Comparable(
        against=tuple(against),
        declared=tuple(one for one in differing if one not in undeclared),
        undeclared=tuple(undeclared),
        unknown=_unknown(first, second),
    )


def _is_declared(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _within(one: RoundSet) -> list[str]:
    """In what the rounds of a set are not alike."""
    found = []
    for name in _names(one):
        values = sorted({value or "none" for value in _told(one, name)})
        if len(values) > 1:
            found.append(f"{name} ({' and '.join(values)})")
    reasons = []
    if found:
        told = ", ".join(found)
        reasons.append(f"the rounds of {one.name} are not of one kind: they differ in {told}")
    if one.counted and (apart := _apart(one.counted, one.counted)) is not None:
        reasons.append(f"the totals of {one.name} are known to {apart}")
    return reasons


def _names(*sides: RoundSet) -> list[str]:
    """Everything that any of their rounds tells."""
    return list(dict.fromkeys(n for side in sides for r in side.counted for n in _values(r)))


def _values(one: Round) -> Mapping[str, str]:
    return one.fingerprint.values


def _told(side: RoundSet, name: str) -> set[str | None]:
    """What the rounds tell of a name; those that do not tell it are silent."""
    kind = next((kind for kind in (ARGUMENT, ENVIRONMENT) if name.startswith(kind)), "")
    found: set[str | None] = set()
    for one in side.counted:
        if name in _values(one):
            found.add(_values(one)[name])
        elif kind and one.fingerprint.knows(kind):
            found.add(_ABSENT)
    return found


def _timed(first: RoundSet, second: RoundSet) -> list[str]:
    if not first.counted or not second.counted:
        return []
    reasons = []
    ends = sorted({_ends(one) for one in (*first.counted, *second.counted)})
    if len(ends) > 1:
        reasons.append(f"their totals run between different moments: {' and '.join(ends)}")
    if (apart := _apart(first.counted, second.counted)) is not None:
        reasons.append(f"their totals are known to {apart}")
    return reasons


def _ends(one: Round) -> str:
    total = one.start.total
    return f"{total.starts_at} to {total.ends_at}" if total else ""


def _apart(first: tuple[Round, ...], second: tuple[Round, ...]) -> str | None:
    """How differently precise their totals are; None where they are of one kind."""
    finest = min(one.uncertainty_ns(TOTAL) for one in (*first, *second))
    coarsest = max(one.uncertainty_ns(TOTAL) for one in (*first, *second))
    if coarsest < _FINE_NS or coarsest <= _COARSER * finest:
        return None
    return f"{finest / NS_PER_S:.3g} s and to {coarsest / NS_PER_S:.3g} s"


def _across(first: RoundSet, second: RoundSet) -> list[Differs]:
    if not first.counted or not second.counted:
        return []
    found = []
    for name in _names(first, second):
        one, two = _told(first, name), _told(second, name)
        if one and two and one != two:
            found.append(Differs(name=name, first=_words(one), second=_words(two)))
    return found


def _words(values: set[str | None]) -> str:
    """Empty where the only thing told is that it is absent."""
    return " or ".join(sorted(value or "" for value in values))


def _unknown(first: RoundSet, second: RoundSet) -> tuple[str, ...]:
    """What a round of one of them does not tell, and another does."""
    if not first.counted or not second.counted:
        return ()
    told = []
    rounds = (*first.counted, *second.counted)
    for name in _names(first, second):
        kinds = {ARGUMENT: "arguments", ENVIRONMENT: "environment"}
        kind = next((kind for kind in kinds if name.startswith(kind)), None)
        if kind is None and any(name not in _values(one) for one in rounds):
            told.append(name)
        elif kind is not None and any(not one.fingerprint.knows(kind) for one in rounds):
            told.append(kinds[kind])
    return tuple(dict.fromkeys(told))


def _shared(first: RoundSet, second: RoundSet) -> list[str]:
    """A start that stands on both sides is no difference to itself."""
    there = {one.identity for one in first.counted}
    same = [one.name for one in second.counted if one.identity in there]
    return [f"the same start stands on both sides ({', '.join(same)})"] if same else []
