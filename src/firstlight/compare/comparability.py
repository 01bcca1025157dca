"""
Whether two sets differ in nothing but what was changed.

Within a set all rounds must be alike, or their median is of two kinds of start. Across sets
everything that is known must be equal but for what was declared. What is known on one side
only is not taken for equal: it is listed. Totals that run between different moments, or are
known to seconds on one side and to tenths on the other, are not mixed.

A name may be said to vary within a set, as the zone does where an autoscaler takes what is
there. Then rounds of several zones are one set, and how many there are of each is told. It must
vary on both sides: where they have no zone in common the zone is the difference as much as
what was changed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from firstlight.compare.sets import TOTAL, Round, RoundSet
from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT, SETTING
from firstlight.core.units import NS_PER_S

_COARSER = 2
"""Uncertainties further apart than this many times are of different precision,"""
_FINE_NS = NS_PER_S // 2
"""where the coarser one is as much: below, both are a process's own clock."""
_KINDS = {ARGUMENT: "arguments", ENVIRONMENT: "environment", SETTING: "settings"}
"""What a kind is called that a side tells nothing of."""
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
class Varies:
    """Something that is not the same in all rounds, and was said to vary."""

    name: str
    first: Mapping[str, int]
    """How many rounds have which value; those that do not tell it are in none."""
    second: Mapping[str, int]

    @property
    def is_even(self) -> bool:
        """Whether each value has the same share of both sides."""
        one, two = sum(self.first.values()), sum(self.second.values())
        values = {*self.first, *self.second}
        return all(self.first.get(v, 0) * two == self.second.get(v, 0) * one for v in values)


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
    varying: tuple[Varies, ...] = ()
    """What varies within a set and was said to."""


def comparable(
    first: RoundSet, second: RoundSet, *, declared: Iterable[str], varying: Iterable[str] = ()
) -> Comparable:
    """
    Whether the two may be compared.

    Args:
        first: one set.
        second: the other.
        declared: names of fingerprints that may differ, `*` for any letters.
        varying: names that may vary within a set.
    """
    patterns = tuple(declared)
    vary = _varying(first, second, tuple(varying))
    let_through = {one.name for one in vary}
    against = [
        *_within(first, let_through),
        *_within(second, let_through),
        *_timed(first, second),
        *_shared(first, second),
    ]
    differing = [one for one in _across(first, second) if one.name not in let_through]
    undeclared = [one for one in differing if not _is_meant(one.name, patterns)]
    if undeclared:
        against.append("they differ in " + ", ".join(map(str, undeclared)))
    return Comparable(
        against=tuple(against),
        declared=tuple(one for one in differing if one not in undeclared),
        undeclared=tuple(undeclared),
        unknown=_unknown(first, second),
        varying=vary,
    )


def _is_meant(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of those that were said, to differ or to vary."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _varying(first: RoundSet, second: RoundSet, patterns: Sequence[str]) -> tuple[Varies, ...]:
    """What was said to vary, does, and has a value that both sides share."""
    found = []
    for name in _names(first, second) if patterns else ():
        if not _is_meant(name, patterns):
            continue
        one, two = _counts(first, name), _counts(second, name)
        varies = len(one.keys() | two.keys()) > 1
        if varies and (one.keys() & two.keys() or not (one and two)):
            found.append(Varies(name=name, first=one, second=two))
    return tuple(found)


def _counts(side: RoundSet, name: str) -> dict[str, int]:
    """How many rounds have which value, the most frequent first."""
    told = (value for one in side.counted for value in _told((one,), name))
    return dict(Counter(value or "none" for value in told).most_common())


def _within(one: RoundSet, vary: Collection[str]) -> list[str]:
    """In what the rounds of a set are not alike, and were not said to vary."""
    found = []
    for name in (name for name in _names(one) if name not in vary):
        values = sorted({value or "none" for value in _told(one.counted, name)})
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


def _told(rounds: Sequence[Round], name: str) -> set[str | None]:
    """What the rounds tell of a name; those that do not tell it are silent."""
    kind = next((kind for kind in (ARGUMENT, ENVIRONMENT) if name.startswith(kind)), "")
    found: set[str | None] = set()
    for one in rounds:
        told = one.fingerprint
        if name in told.values:
            found.add(told.values[name])
        elif kind and told.knows(kind):
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
        one, two = _told(first.counted, name), _told(second.counted, name)
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
        kind = next((kind for kind in _KINDS if name.startswith(kind)), None)
        if kind is not None and any(not one.fingerprint.knows(kind) for one in rounds):
            told.append(_KINDS[kind])
        elif kind in {None, SETTING} and any(name not in _values(one) for one in rounds):
            told.append(name)
    return tuple(dict.fromkeys(told))


def _shared(first: RoundSet, second: RoundSet) -> list[str]:
    """A start that stands on both sides is no difference to itself."""
    there = {one.identity for one in first.counted}
    same = [one.name for one in second.counted if one.identity in there]
    return [f"the same start stands on both sides ({', '.join(same)})"] if same else []
