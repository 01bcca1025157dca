"""
Start times out of explained starts.

A start counts for a scenario when somebody said which it is (`measure --scenario`), or when the
cluster's objects show that a node was made for it, or that its node was there. Each counts
once, however often it was given. Left out, and said so: starts that did not come up, whose ends
are not proven, that filled the compile cache for others that hit it, or of which nothing tells
the scenario. Where no start hits, because the cache goes with the container, every start fills
one, and that is what a start of this engine is: they count, and the answer says it.

What is left must be of one kind. Starts that read their weights in different ways, hit a cache or
did not, run another version or on another machine are no sample of anything. So must cold and
warm starts be among each other: what a kept node saves is the one less the other. Only what the
compile cache did may differ between them, as that is one of the things a new node changes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.sample import Sample, TooFew, enough
from firstlight.core.signs import Sign
from firstlight.core.starts import CacheVerdict, Outcome, Start
from firstlight.core.units import seconds

Kind = tuple[tuple[str, str], ...]
"""What starts must have in common: names of properties, and what each is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromRecords:
    """The start times, and what does not count."""

    samples: Mapping[Scenario, Sample] = field(default_factory=dict)
    left_out: Mapping[Scenario, TooFew] = field(default_factory=dict)
    """Scenarios of which there are records, and too few that can be used together."""
    apart: str = ""
    """In what the cold starts differ from the warm ones, so that one cannot be taken from the
    other; empty where they are of one kind, or where one of them is missing."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    seconds: float
    uncertainty_s: float
    kind: Kind
    source: str


def from_records(starts: Sequence[Start]) -> FromRecords:
    """The start times of each scenario, from starts that `explain` explained."""
    starts = _once(starts)
    rounds: dict[Scenario, list[_Round]] = {scenario: [] for scenario in Scenario}
    reasons: Counter[str] = Counter()
    fills: dict[Scenario, list[_Round]] = {scenario: [] for scenario in Scenario}
    for start in starts:
        rounds[Scenario.WAKE] += _wakes(start)
        scenario = _scenario(start)
        if why := _why_not(start, scenario):
            reasons[why] += 1
        elif scenario is not None and start.total is not None:
            if start.compile_cache.verdict is CacheVerdict.FILL:
                fills[scenario].append(_whole(start))
            else:
                rounds[scenario].append(_whole(start))
    if rounds[Scenario.WAKE]:
        # A log that shows wakes was given for them; that it begins in the middle is no loss.
        reasons.pop(_NO_SCENARIO, None)
    notes = [f"{n} of {len(starts)} starts left out: {why}" for why, n in reasons.items()]
    samples: dict[Scenario, Sample] = {}
    left_out: dict[Scenario, TooFew] = {}
    for scenario, some in rounds.items():
        if fills[scenario] and not any(_hit(one) for one in some):
            # Nobody found what they filled: so is every start of this engine.
            some.extend(fills[scenario])
            fills[scenario] = []
            notes.append(_all_fill(scenario, len(some)))
        filled = _filled(len(fills[scenario]))
        if differing := _differing(some):
            why = f"they differ in {differing}, and have no times in common"
            left_out[scenario] = TooFew(has=0, why=f"{len(some)} were given: {why}")
        elif some and enough(sample := _sample(some)):
            samples[scenario] = sample
        elif some or filled:
            left_out[scenario] = TooFew(has=len(some), why=filled)
    notes += [f"of the {s} starts {_filled(len(some))}" for s, some in fills.items() if some]
    both = {Scenario.COLD, Scenario.WARM} <= samples.keys()
    apart = [_of_any_cache(one) for s in (Scenario.COLD, Scenario.WARM) for one in rounds[s]]
    return FromRecords(
        samples=samples,
        left_out=left_out,
        apart=_differing(apart) if both else "",
        notes=tuple(notes),
    )


_CACHE = "compile cache"
_NO_SCENARIO = "nothing tells whether they were cold or warm"


def _filled(number: int) -> str:
    if not number:
        return ""
    one = "one more" if number == 1 else f"{number} more"
    return f"{one} filled the compile cache, which is no result"


def _all_fill(scenario: Scenario, number: int) -> str:
    filled = (
        f"the only {scenario} start filled the compile cache and counts"
        if number == 1
        else f"no {scenario} start found a compile cache, so those that filled one count"
    )
    return (
        f"{filled}: it is what a start costs where the cache goes with the container; to price a "
        "cache that is kept, keep it (`firstlight render FILE --technique compile-cache-local`) "
        f"and measure again, or state such starts: --{scenario}-s"
    )


def _hit(one: _Round) -> bool:
    return (_CACHE, CacheVerdict.HIT.value) in one.kind


def _once(starts: Sequence[Start]) -> list[Start]:
    """Without those that were given twice: the same pod or file, and the same moments."""
    seen: dict[tuple[object, ...], Start] = {}
    for start in starts:
        pod = start.placement.pod if start.placement else ""
        line = start.total.timeline if start.total else None
        moments = (line.start_ns, line.end_ns) if line else (start.source, start.seen_ns)
        seen.setdefault((pod or start.source, *moments), start)
    return list(seen.values())


def _scenario(start: Start) -> Scenario | None:
    """Cold or warm; None where nothing tells, or what tells contradicts itself."""
    made, there = Sign.NODE_WAS_MADE in start.signs, Sign.NODE_WAS_THERE in start.signs
    if start.scenario == "cold":
        return None if there else Scenario.COLD
    if start.scenario == "warm":
        return None if made else Scenario.WARM
    if start.scenario is not None or made == there:
        return None
    if made:
        return Scenario.COLD
    # On somebody else's node without the image: what a kept node would save is not in it.
    return None if Sign.IMAGE_PULLED in start.signs else Scenario.WARM


def _why_not(start: Start, scenario: Scenario | None) -> str:
    if start.outcome is not Outcome.READY:
        return "they did not come up"
    if scenario is None:
        return _NO_SCENARIO
    return "" if start.total else "one of their ends is not proven"


def _whole(start: Start) -> _Round:
    total = start.total
    if total is None:
        raise ValueError("only starts with two proven ends come here")
    place = start.placement
    streamed = bool(start.facts.get("stream_s")) and not start.facts.get("download_s")
    return _Round(
        seconds=seconds(total.timeline.length_ns),
        uncertainty_s=seconds(total.uncertainty_ns),
        kind=(
            ("engine version", start.engine_version or ""),
            ("image", place.image if place else ""),
            ("instance type", place.instance_type if place else ""),
            ("weights", "streamed" if streamed else "from files"),
            (_CACHE, start.compile_cache.verdict.value),
            ("what is timed", f"{total.starts_at} to {total.ends_at}"),
        ),
        source=start.source,
    )


def _wakes(start: Start) -> Iterable[_Round]:
    levels = ", ".join(sorted({str(s.level) for s in start.sleeps if s.level is not None}))
    place = start.placement
    kind = (
        ("engine version", start.engine_version or ""),
        ("image", place.image if place else ""),
        ("instance type", place.instance_type if place else ""),
        ("level of sleep", levels),
    )
    for fact in start.facts.get("wake_s", ()):
        if fact.value > 0:
            yield _Round(seconds=fact.value, uncertainty_s=0.0, kind=kind, source=start.source)


def _of_any_cache(one: _Round) -> _Round:
    return replace(one, kind=tuple(part for part in one.kind if part[0] != _CACHE))


def _differing(rounds: Sequence[_Round]) -> str:
    """In which properties they differ; empty where they are of one kind."""
    kinds = {one.kind for one in rounds}
    found = []
    for properties in zip(*kinds, strict=True):
        values = sorted({value for _, value in properties})
        if len(values) > 1:
            found.append(f"{properties[0][0]} ({' and '.join(v or 'unknown' for v in values)})")
    return ", ".join(found)


def _sample(rounds: Sequence[_Round]) -> Sample:
    sources = list(dict.fromkeys(one.source for one in rounds))
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    return Sample(
        seconds=tuple(one.seconds for one in rounds),
        measured=True,
        uncertainty_s=max(one.uncertainty_s for one in rounds),
        source=sources[0] + more,
    )
