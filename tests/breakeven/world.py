"""
The same engine, played through request by request: slow, plain, and written apart from the code.

One start time is drawn for each return, in all ways there are, and the outcomes are averaged
with how likely each is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from firstlight.breakeven.course import Rule


@dataclass(frozen=True, kw_only=True)
class Played:
    """What happened in one play, or what is to be expected of all."""

    up_s: float = 0
    kept_s: float = 0
    colds: float = 0
    warms: float = 0
    waits_s: tuple[tuple[float, float], ...] = field(default=())
    """Each wait, with how likely it is."""

    @property
    def waiting_s(self) -> float:
        return sum(wait_s * chance for wait_s, chance in self.waits_s)


@dataclass(frozen=True, kw_only=True)
class _Moment:
    """Where a play is."""

    at: int
    busy_until_s: float
    """When the last request so far ends."""
    up_since_s: float
    ready_s: float
    seen: Played


def play(
    times: Sequence[float],
    end_s: float,
    rule: Rule,
    *,
    cold: Sequence[float],
    warm: Sequence[float],
) -> Played:
    """The expectation over all ways to draw start times."""
    first = _Moment(
        at=1,
        busy_until_s=times[0] + rule.request_s,
        up_since_s=times[0],
        ready_s=times[0],
        seen=Played(),
    )
    ends: list[tuple[Fraction, Played]] = []
    todo = [(Fraction(1), first)]
    while todo:
        chance, now = todo.pop()
        goes_s = now.busy_until_s + rule.idle_s
        if now.at == len(times):
            ends.append((chance, _gone_down(now, goes_s, end_s, rule)))
            continue
        comes_s = times[now.at]
        if comes_s <= goes_s:
            todo.append((chance, _served(now, comes_s, rule)))
            continue
        lengths, kind = (warm, "warms") if _is_hit(comes_s - goes_s, rule) else (cold, "colds")
        for length_s in lengths:
            seen = _gone_down(now, goes_s, comes_s, rule)
            seen = replace(seen, **{kind: getattr(seen, kind) + 1})
            ready_s = comes_s + length_s
            begun = _Moment(
                at=now.at,
                busy_until_s=ready_s + rule.request_s,
                up_since_s=comes_s,
                ready_s=ready_s,
                seen=seen,
            )
            todo.append((chance / len(lengths), _served(begun, comes_s, rule)))
    return _mean(ends)


def _is_hit(down_s: float, rule: Rule) -> bool:
    return bool(rule.retention_s) and down_s <= rule.retention_s


def _served(now: _Moment, comes_s: float, rule: Rule) -> _Moment:
    begins_s = max(comes_s, now.ready_s)
    seen = now.seen
    if begins_s > comes_s:
        seen = replace(seen, waits_s=(*seen.waits_s, (begins_s - comes_s, 1.0)))
    return replace(
        now,
        at=now.at + 1,
        busy_until_s=max(now.busy_until_s, begins_s + rule.request_s),
        seen=seen,
    )


def _gone_down(now: _Moment, goes_s: float, until_s: float, rule: Rule) -> Played:
    """Up until it goes, kept until somebody comes, the window ends, or nobody looks any more."""
    goes_s = min(goes_s, until_s)
    return replace(
        now.seen,
        up_s=now.seen.up_s + goes_s - now.up_since_s,
        kept_s=now.seen.kept_s + min(until_s - goes_s, rule.retention_s),
    )


def _mean(ends: Sequence[tuple[Fraction, Played]]) -> Played:
    return Played(
        up_s=sum(float(c) * p.up_s for c, p in ends),
        kept_s=sum(float(c) * p.kept_s for c, p in ends),
        colds=sum(float(c) * p.colds for c, p in ends),
        warms=sum(float(c) * p.warms for c, p in ends),
        waits_s=tuple((wait_s, one * float(c)) for c, p in ends for wait_s, one in p.waits_s),
    )
