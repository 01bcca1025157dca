"""
Which techniques have most seconds at stake in one start.

The estimate is a card's claim held against this start: the seconds of the phases that the
technique shrinks, times the share that it took away of the same phases where it was measured.
Seconds of whole starts tell no such share. So it is never better than that measurement, and it
says of what the figures are; what proves it is a measurement of the user's own, and the command
for that comes with it.

Left out is what cannot help this start, or has done so already: techniques at work, excluded
ones, those for another kind of start, a compile cache for an engine that compiles nothing.
Seconds that nothing names are never anybody's, and no seconds are promised twice: of two
techniques that shrink the same stretch the one with more of it is told.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstlight.core.effects import EffectState
from firstlight.core.phases import Phase
from firstlight.core.signs import Sign
from firstlight.core.stakes import Stake
from firstlight.core.starts import CacheVerdict, Outcome, Start
from firstlight.core.timeline import Span, Stretch
from firstlight.core.units import NS_PER_S
from firstlight.explain.stake_commands import prove, prove_kept_nodes, show
from firstlight.techniques.card import Card, Claim, Status
from firstlight.techniques.deck import Deck

LEAST_NS = NS_PER_S
LEAST_SHARE = 0.02
"""Of the whole start: less is not worth anybody's morning."""
_NOTHING_TO_CACHE = (CacheVerdict.OFF, CacheVerdict.NOT_APPLICABLE, CacheVerdict.HIT)
"""Nothing is compiled, or nothing is left to: whichever cache it came from."""
_CACHE_SIGNS = frozenset({Sign.CACHE_HIT, Sign.CACHE_MISSED})
_Seen = Mapping[str, EffectState]
"""What is known of techniques in the start; of those left out nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    card: Card
    seen: EffectState
    seconds_ns: int
    of: tuple[str, ...]
    took_ns: int
    """What those phases took."""
    named_ns: int
    """As much of it as is named."""
    stretches: tuple[Stretch, ...]


def at_stake(start: Start, deck: Deck, most: int = 3) -> tuple[Stake, ...] | None:
    """
    The techniques with most to gain here, most first; empty where none has much.

    Args:
        start: an explained start with the effects that its signs mean.
        deck: every technique.
        most: how many.

    Returns:
        None where there is nothing to hold techniques against: no engine and no phase is seen,
        or it failed, and how long it takes to fail is nobody's gain.
    """
    if start.engine is None or not start.phases or start.outcome is Outcome.FAILED:
        return None
    seen = {one.technique: one.state for one in start.effects}
    found = sorted(_candidates(start, deck, seen), key=lambda c: (-c.seconds_ns, c.card.id))
    chosen: list[_Candidate] = []
    for candidate in found:
        if len(chosen) < most and not any(_share_seconds(candidate, c) for c in chosen):
            chosen.append(candidate)
    return tuple(_stake(c, start, deck, seen) for c in chosen)


def _candidates(start: Start, deck: Deck, seen: _Seen) -> Iterator[_Candidate]:
    least_ns = max(LEAST_NS, round(LEAST_SHARE * _whole_ns(start)))
    for card in deck:
        gain = _gain(card.claim)
        if gain is None or _is_at_work(card.id, seen) or not _may_help(card, start, seen):
            continue
        spans = {name: _claimed(start, name) for name in _outermost(card.claim.phases)}
        named = {name: sum(_named_ns(s) for s in found) for name, found in spans.items()}
        gained_ns = gain * sum(named.values())
        if gained_ns < least_ns:
            continue
        yield _Candidate(
            card=card,
            seen=seen.get(card.id, EffectState.UNKNOWN),
            seconds_ns=round(gained_ns / NS_PER_S) * NS_PER_S,
            of=tuple(name for name, length_ns in named.items() if length_ns),
            took_ns=sum(one.length_ns for name in spans if named[name] for one in spans[name]),
            named_ns=sum(named.values()),
            stretches=tuple(s for found in spans.values() for one in found for s in one.stretches),
        )


def _gain(claim: Claim) -> float | None:
    """The share of its phases that it takes away; None where nobody can say."""
    if claim.figures_of == "phases" and claim.before_s and claim.after_s is not None:
        return max(0.0, 1 - claim.after_s / claim.before_s)
    return None if claim.keeps is None else max(0.0, 1 - claim.keeps)


def _may_help(card: Card, start: Start, seen: _Seen) -> bool:
    """Whether nothing speaks against it in this start."""
    if card.decision.status is Status.EXCLUDED or not _is_offered(card, start):
        return False
    if not _fits_scenario(card.claim, start):
        return False
    signs = {sign.sign for sign in card.proof}
    if start.compile_cache.verdict in _NOTHING_TO_CACHE and signs & _CACHE_SIGNS:
        return False
    return not any(_is_at_work(other, seen) for other in card.excludes)


def _is_at_work(technique: str, seen: _Seen) -> bool:
    return seen.get(technique) is EffectState.APPLIED


def _is_offered(card: Card, start: Start) -> bool:
    """Whether there is a change to show, where the engine runs."""
    change = card.change
    if start.placement is not None:
        return change.kubernetes.refused is None and bool(change.kubernetes.operations)
    process = change.process
    return process.refused is None and bool(process.arguments or process.environment)


def _fits_scenario(claim: Claim, start: Start) -> bool:
    if not claim.scenarios:
        return True
    if start.scenario == "wake":
        return "wake" in claim.scenarios
    return ("cold" if start.on_new_node else "warm") in claim.scenarios


def _outermost(names: tuple[str, ...]) -> list[str]:
    """Without the parts of a phase that is claimed whole: they count once."""
    return [name for name in names if "/" not in name or name.partition("/")[0] not in names]


def _claimed(start: Start, name: str) -> list[Span]:
    """The spans that a claim's `phase` or `phase/child` means in this start."""
    phase, _, child = name.partition("/")
    spans = [s for s in start.phases if s.name == phase and phase != Phase.UNEXPLAINED]
    return [part for span in spans for part in span.parts(child)] if child else spans


def _named_ns(span: Span) -> int:
    return sum(leaf.length_ns for leaf in span.leaves() if leaf.explained)


def _whole_ns(start: Start) -> int:
    if start.total:
        return start.total.timeline.length_ns
    return sum(span.length_ns for span in start.phases)


def _share_seconds(one: _Candidate, other: _Candidate) -> bool:
    return any(
        a.start_ns < b.end_ns and b.start_ns < a.end_ns
        for a in one.stretches
        for b in other.stretches
    )


def _stake(candidate: _Candidate, start: Start, deck: Deck, seen: _Seen) -> Stake:
    card = candidate.card
    chain = _chain(card, deck, seen)
    return Stake(
        technique=card.id,
        seconds_ns=candidate.seconds_ns,
        of=candidate.of,
        because=_because(candidate, chain),
        show=show(start, chain),
        prove=prove_kept_nodes() if _keeps_nodes(card) else prove(start, cold=start.on_new_node),
        seen=candidate.seen,
    )


def _chain(card: Card, deck: Deck, seen: _Seen) -> tuple[Card, ...]:
    """The technique behind those that it builds on and that are not seen at work."""
    found: dict[str, Card] = {}

    def add(one: Card) -> None:
        for id_ in one.builds_on:
            if not _is_at_work(id_, seen) and id_ not in found:
                add(deck.card(id_))
        found.setdefault(one.id, one)

    add(card)
    return tuple(found.values())


def _keeps_nodes(card: Card) -> bool:
    """Whether a start that has it finds a node: one on a new node would not show it."""
    return any(sign.sign == Sign.NODE_WAS_THERE for sign in card.proof)


def _because(candidate: _Candidate, chain: tuple[Card, ...]) -> str:
    card = candidate.card
    why = f"{_here(candidate)}; {_elsewhere(card.claim, candidate.of)}"
    if len(chain) > 1:
        why += f"; together with {', '.join(one.id for one in chain[:-1])}"
    if candidate.seen is EffectState.UNKNOWN:
        why += "; nothing shows whether it is there already"
    if card.decision.status is Status.CONDITIONAL:
        why += f"; conditional: {card.decision.reason}"
    return why


def _here(candidate: _Candidate) -> str:
    """What its phases took in this start, in the digits of the report's table."""
    here = f"{' and '.join(candidate.of)} took {_seconds(candidate.took_ns)} s here"
    named = _seconds(candidate.named_ns)
    return here if named == _seconds(candidate.took_ns) else f"{here}, {named} s of it named"


def _elsewhere(claim: Claim, here: tuple[str, ...]) -> str:
    """What the share is from, and what the figures that were measured are figures of."""
    measured = ""
    if claim.before_s and claim.after_s is not None:
        of = "the same" if claim.phases == here else " and ".join(claim.phases)
        if claim.figures_of == "start":
            of = "a whole start"
        measured = (
            f"where it was measured, {of} took {claim.after_s:g} s instead of {claim.before_s:g} s"
        )
        if claim.figures_of == "phases":
            return measured
    estimated = f"an estimate leaves {claim.keeps or 0:.0%} of that"
    return f"{estimated}; {measured}" if measured else estimated


def _seconds(length_ns: int) -> str:
    return f"{length_ns / NS_PER_S:.1f}"
