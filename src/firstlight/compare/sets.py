"""
A set of rounds, and which of them count.

A round counts when it came up, both its ends are proven, and it is no fill. Which one fills is
what whoever ran it says: a round that was to find a cache and did not is a result, and a bad
one. Only where nobody says it is told from the start itself: one that compiles and writes,
before the first of its run that finds what was written, did the others' work. One that compiles
after that missed what was there, and is a result. Where every start of a set compiles, nothing
is kept, and compiling is what such a start is: none of them is a fill. What does not count is
named with its reason, never dropped in silence, and a slow round counts like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.compare.told import tells
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.signs import Sign
from firstlight.core.starts import CacheVerdict, Outcome, Start

TOTAL = "total"
"""What the whole start is called among the phases."""

FINEST_NS = 1_000_000
"""A line passes through a pipe and a scheduler before it is stamped: no difference below a
millisecond is one of the engine's, however exactly the stamp is known."""

FOR_OTHERS = "it filled the compile cache for the others, which is no result"
BEFOREHAND = "it was run to fill what the rounds after it read, which is no result"
"""Of a round that was to fill something, where no other of the set shows that it did."""

SCENARIO = "scenario"
"""Cold, warm or wake: a name of a fingerprint, of what nobody reads out of one artefact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One start of a set."""

    name: str
    """What to call it: its folder, or its file."""
    start: Start
    fill: bool | None = None
    """Whether it was run to fill a cache; None where nobody says."""
    order: int | None = None
    """Its place in time among all rounds of both sets; None where it is not known."""
    run: str = ""
    """Which run it is of: its fill is no other run's. Empty where the set is one run."""

    @property
    def fingerprint(self) -> Fingerprint:
        """What is known of it, with the kind of start it was where that is known."""
        told = self.start.fingerprint
        scenario = self.start.scenario or ("cold" if self.start.on_new_node else None)
        if scenario is None and Sign.NODE_WAS_THERE in self.start.signs:
            scenario = "warm"
        return Fingerprint(values={SCENARIO: scenario, **told.values}) if scenario else told

    @property
    def identity(self) -> tuple[object, ...]:
        """What only the same start has: a copy of its file has another name and the same words."""
        spans = [
            (span.name, span.stretches, tuple(e.text for e in span.evidence))
            for span in self.start.phases
        ]
        return (self.start.placement.pod if self.start.placement else "", *spans)

    def length_ns(self, name: str) -> int:
        """Of the total or a phase, a child after a slash."""
        if name == TOTAL:
            return self.start.total.timeline.length_ns if self.start.total else 0
        return self.start.phase_ns(name)

    def tells(self, name: str) -> bool:
        """Whether that length is known; one that nothing shows is not 0."""
        return name == TOTAL or tells(self.start, name)

    def uncertainty_ns(self, name: str) -> int:
        """Of the total, or of a phase."""
        if name == TOTAL:
            return self.start.total.uncertainty_ns if self.start.total else 0
        phase = name.partition("/")[0]
        return sum(span.uncertainty_ns for span in self.start.phases if span.name == phase)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A round that does not count."""

    round: Round
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSet:
    """The rounds of one side."""

    name: str
    counted: tuple[Round, ...]
    left_out: tuple[LeftOut, ...] = ()

    def lengths_ns(self, name: str) -> list[int]:
        """Of the total or a phase, round by round; 0 where a round does not tell it."""
        return [one.length_ns(name) for one in self.counted]

    def uncertainty_ns(self, name: str) -> int:
        """The worst of its rounds."""
        return max((one.uncertainty_ns(name) for one in self.counted), default=0)


def told_ns(first: RoundSet, second: RoundSet, name: str) -> tuple[list[int], list[int]]:
    """The lengths of both sides in the rounds that tell them; empty where none does."""
    one, two = ([r.length_ns(name) for r in s.counted if r.tells(name)] for s in (first, second))
    # Of a part that no start has, nobody knows whether these starts would tell it.
    return ([], []) if "/" in name and not any(one) and not any(two) else (one, two)


def round_set(name: str, rounds: Sequence[Round]) -> RoundSet:
    """The rounds sorted into those that count and those that do not."""
    filled = _filled(rounds)
    counted: list[Round] = []
    left_out: list[LeftOut] = []
    seen: set[tuple[object, ...]] = set()
    for number, one in enumerate(rounds):
        why = _why_not(one, filled=number in filled, seen=seen)
        if why:
            left_out.append(LeftOut(round=one, why=why))
        else:
            counted.append(one)
    return RoundSet(name=name, counted=tuple(counted), left_out=tuple(left_out))


def _filled(rounds: Sequence[Round]) -> frozenset[int]:
    """Which of them compiled and wrote before the first of their run that found it."""
    orders = [one.order for one in rounds if one.order is not None]
    # Where the times are not all known they are taken as they were given.
    at = orders if len(orders) == len(rounds) else range(len(rounds))
    hits: dict[str, int] = {}
    for place, one in zip(at, rounds, strict=True):
        if one.start.compile_cache.verdict is CacheVerdict.HIT:
            hits[one.run] = min(place, hits.get(one.run, place))
    return frozenset(
        number
        for number, (place, one) in enumerate(zip(at, rounds, strict=True))
        if one.start.compile_cache.verdict is CacheVerdict.FILL
        and one.run in hits
        and place < hits[one.run]
    )


def _why_not(one: Round, *, filled: bool, seen: set[tuple[object, ...]]) -> str:
    start = one.start
    if start.outcome is not Outcome.READY:
        return "it did not come up"
    if start.total is None:
        return "one of its ends is not proven"
    if one.identity in seen:
        return "it was given twice"
    seen.add(one.identity)
    if filled if one.fill is None else one.fill:
        return FOR_OTHERS if filled else BEFOREHAND
    return ""
