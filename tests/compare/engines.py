"""A synthetic engine: starts with known phases and known noise, as whoever measured saw them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from firstlight.compare.sets import Round, RoundSet, round_set
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.phases import Phase
from firstlight.core.starts import CacheVerdict, CompileCache, Outcome, Start, Total
from firstlight.core.timeline import Span, Stretch, Timeline

NS = 1_000_000_000
PHASES = {
    Phase.PROCESS_INIT: 20.0,
    Phase.WEIGHT_LOAD: 30.0,
    Phase.ENGINE_INIT: 40.0,
    Phase.API_START: 10.0,
}
KNOWN = {"engine version": "0.32.0", "model": "/m", "timed": "process_started to health_200"}


def start(
    seconds: Mapping[Phase, float],
    *,
    name: str = "one",
    verdict: CacheVerdict = CacheVerdict.HIT,
    uncertainty_s: float = 0.05,
    known: Mapping[str, str] | None = None,
    begins_ns: int = 0,
) -> Start:
    """A start with these phases, one after the other."""
    spans, at = [], begins_ns
    for phase, length in seconds.items():
        length_ns = round(length * NS)
        if length_ns:
            stretch = Stretch(start_ns=at, end_ns=at + length_ns)
            spans.append(Span(name=phase.value, stretches=(stretch,), uncertainty_ns=1000))
        at += length_ns
    timeline = Timeline(start_ns=begins_ns, end_ns=at, spans=tuple(spans))
    told = dict(KNOWN if known is None else known) | {"compile cache": verdict.value}
    return Start(
        source=name,
        engine="vllm",
        engine_version="0.32.0",
        outcome=Outcome.READY,
        failure=None,
        scenario="warm",
        total=Total(
            timeline=timeline,
            uncertainty_ns=round(uncertainty_s * NS),
            starts_at="process_started",
            ends_at="health_200",
        ),
        phases=timeline.spans,
        facts={},
        sleeps=(),
        compile_cache=CompileCache(verdict=verdict, reason="said so", proof="engine"),
        fingerprint=Fingerprint(values=told),
    )


def rounds(
    number: int,
    *,
    seed: int,
    noise: float = 0.05,
    factors: Mapping[Phase, float] | None = None,
    name: str = "a",
    known: Mapping[str, str] | None = None,
    verdict: CacheVerdict = CacheVerdict.HIT,
) -> list[Round]:
    """So many starts, each phase with noise of its own of so large a share."""
    dice = random.Random(seed)  # noqa: S311 - noise, and the same each time
    made = []
    for at in range(number):
        lengths = {
            phase: seconds * (factors or {}).get(phase, 1.0) * max(0.2, dice.gauss(1, noise))
            for phase, seconds in PHASES.items()
        }
        one = start(
            lengths, name=f"{name}-{at}", known=known, verdict=verdict, begins_ns=at * 10**13
        )
        made.append(Round(name=one.source, start=one, order=at * 2 + (name != "a")))
    return made


def a_set(name: str, found: Sequence[Round]) -> RoundSet:
    return round_set(name, found)


def named(one: Round, **values: str) -> Round:
    """The same round with other things known of it."""
    fingerprint = Fingerprint(values={**one.start.fingerprint.values, **values})
    return replace(one, start=replace(one.start, fingerprint=fingerprint))
