"""
What has to be said beside the numbers of a comparison, in sentences.

Rounds that are too few, sides that did not take turns, what is not known to be equal, what was
pooled, and of sets that may not be compared: where they are apart.
"""

from collections.abc import Collection, Iterator, Sequence

from firstlight.compare.comparability import Comparable, Varies
from firstlight.compare.sets import TOTAL, RoundSet, told_ns
from firstlight.compare.verdict import FEWEST
from firstlight.core.intervals import spread
from firstlight.core.phases import Phase
from firstlight.core.starts import CacheVerdict
from firstlight.core.units import NS_PER_S, seconds

_SAID_NS = NS_PER_S // 20
"""Totals that are less apart are the same in the tenths that are said."""
_MOSTLY = 0.75
"""Of all pairs of a round of one side and one of the other, how many may have one order: sides of
four that take turns have 10 of 16."""
_BLOCKS = (
    "one side had run, for the most part, before the other, so whatever else changed on the "
    "machine meanwhile looks like the change; let them take turns to rule that out"
)


def notes(
    first: RoundSet,
    second: RoundSet,
    may: Comparable,
    claims: Sequence[str],
    moved: Collection[str] | None = None,
) -> tuple[str, ...]:
    """
    The sentences.

    Args:
        first: one side.
        second: the other.
        may: whether they may be compared.
        claims: the phases that were named beforehand.
        moved: the phases in which a difference was seen; None where there are too few rounds to
            see any.
    """
    said = [
        f"rounds of {side.name} that count: {len(side.counted)}, and {FEWEST} are needed"
        for side in (first, second)
        if len(side.counted) < FEWEST
    ]
    said += [*_in_blocks(first, second), *_where(first, second, may, moved)]
    said += [_pooled(one, first.name, second.name) for one in may.varying]
    said += [words for name in claims for words in _untold(name, first, second)]
    if may.unknown:
        said.append(f"told on one side only, so not known to be equal: {', '.join(may.unknown)}")
    verdicts = [_verdicts(side) for side in (first, second)]
    if verdicts[0] != verdicts[1] and all(verdicts):
        said.append(
            f"what the compile cache did: {verdicts[0]} in {first.name}, {verdicts[1]} in "
            f"{second.name}; so engine_init is where that shows, and not what came before it"
        )
    if not claims:
        said.append("no phase was named beforehand, so only the total has a verdict")
    return tuple(said)


def _untold(name: str, first: RoundSet, second: RoundSet) -> Iterator[str]:
    """Of a phase that was named beforehand: that not all rounds tell how long it took."""
    sides = [*zip((first, second), told_ns(first, second, name), strict=True)]
    told = [f"{len(known)} of {len(side.counted)} rounds of {side.name}" for side, known in sides]
    if any(len(known) < len(side.counted) for side, known in sides):
        where = " and in ".join(told)
        yield f"{name} is seen in {where}; where it is not, it has no length, not 0 s"


def _pooled(one: Varies, first: str, second: str) -> str:
    """What varies, in the numbers of either side."""
    told = "; ".join(
        f"{name} has {', '.join(f'{n} in {value}' for value, n in counts.items()) or 'none told'}"
        for name, counts in ((first, one.first), (second, one.second))
    )
    words = f"{one.name} varies, as was said, and its rounds are pooled: {told}"
    if one.is_even:
        return words
    return (
        f"{words}; the shares are not the same on both sides, so what one {one.name} is slower "
        "by than another is in the difference"
    )


def _in_blocks(first: RoundSet, second: RoundSet) -> list[str]:
    """Whether one side was over, for the most part, before the other began."""
    orders = [
        [one.order for one in side.counted if one.order is not None] for side in (first, second)
    ]
    if any(len(order) < FEWEST for order in orders):
        return []
    one, two = orders
    before = sum(a < b for a in one for b in two) / (len(one) * len(two))
    return [_BLOCKS] if max(before, 1 - before) > _MOSTLY else []


def _where(
    first: RoundSet, second: RoundSet, may: Comparable, moved: Collection[str] | None
) -> list[str]:
    """Of sets that may not be compared: in which phases their medians are apart."""
    if not may.against or not first.counted or not second.counted:
        return []
    lengths = {
        name: told_ns(first, second, name) for name in (TOTAL, *(phase.value for phase in Phase))
    }
    apart = {
        name: spread(two).median_ns - spread(one).median_ns
        for name, (one, two) in lengths.items()
        if one and two
    }
    total = apart.pop(TOTAL)
    if abs(total) < _SAID_NS:
        return []
    if moved is not None:
        apart = {name: far for name, far in apart.items() if name in moved}
    largest = max(map(abs, apart.values()), default=0)
    parts = sorted(
        (name for name in apart if abs(apart[name]) * 10 > largest), key=lambda n: -abs(apart[n])
    )
    told = ", ".join(f"{name} {seconds(apart[name]):+.1f} s" for name in parts)
    where = f"that lies in {told}" if told else "no phase can be said to have moved"
    return [f"the totals are {seconds(total):+.1f} s apart, and {where}"]


def _verdicts(side: RoundSet) -> str:
    found = {one.start.compile_cache.verdict for one in side.counted}
    found -= {CacheVerdict.UNKNOWN, CacheVerdict.NOT_APPLICABLE}
    return " or ".join(sorted(found))
