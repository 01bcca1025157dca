"""
What somebody's own starts say about the facts.

Each fact has one place in an explained start where it can be read, and counts only for starts
that came up: one that failed took as long as it took to fail. Of several starts the median is
taken, and their number is said. Starts that differ in what makes the number are never put into
one: seconds of a start that filled its compile cache and of one that hit it have no median that
means anything. Then the fact is not told, and why is.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from firstlight.core.effects import EffectState
from firstlight.core.phases import Phase
from firstlight.core.signs import RESTORES_CACHE, Sign
from firstlight.core.starts import Outcome, Start
from firstlight.core.timeline import Span
from firstlight.core.units import seconds
from firstlight.decisions.facts import Fact, Standing

_DIGITS = 3
_VERSION = re.compile(r"0\.([0-9]{1,4})(?:\.|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FromRecords:
    """What the records say."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    at_work: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By technique, the starts that show it at work, by what they are called."""
    notes: tuple[str, ...] = ()
    """Which facts are in the records and still not told, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quantity:
    """One fact and where a start shows it."""

    name: str
    of: Callable[[Start], float | None]
    """None where the start does not show it."""
    alike: Callable[[Start], str] = lambda _: ""
    """What starts must have in common for one number to stand for them, in a word."""


def from_records(starts: Sequence[Start], *, wanted: Collection[str]) -> FromRecords:
    """
    Facts and support in explained starts.

    Args:
        starts: the records, explained, with the effects that their signs mean.
        wanted: the facts that somebody asks for.
    """
    came_up = [start for start in starts if start.outcome is Outcome.READY]
    facts, notes = {}, []
    if left_out := len(starts) - len(came_up):
        notes.append(f"{left_out} of {len(starts)} starts did not come up and are left out")
    for quantity in (q for q in _QUANTITIES if q.name in wanted):
        shown = [(start, value) for start in came_up if (value := quantity.of(start)) is not None]
        kinds = sorted({quantity.alike(start) for start, _ in shown})
        if len(kinds) > 1:
            notes.append(
                f"{quantity.name} is not taken from the records: they mix starts "
                f"{' and '.join(kinds)}, which have no number in common"
            )
        elif shown:
            facts[quantity.name] = _fact(quantity.name, shown)
    return FromRecords(facts=facts, at_work=_at_work(came_up), notes=tuple(notes))


def _at_work(starts: Sequence[Start]) -> dict[str, tuple[str, ...]]:
    """By technique, the starts that show it at work, each once."""
    found: dict[str, dict[str, None]] = {}
    for start in starts:
        for effect in start.effects:
            if effect.state is EffectState.APPLIED:
                found.setdefault(effect.technique, {})[start.source] = None
    return {technique: tuple(sources) for technique, sources in found.items()}


def _fact(name: str, shown: Sequence[tuple[Start, float]]) -> Fact:
    sources = list(dict.fromkeys(start.source for start, _ in shown))
    where = sources[0] if len(sources) == 1 else f"{sources[0]} and {len(sources) - 1} more"
    values = [float(value) for _, value in shown]
    alike = "all alike" if len({*values}) == 1 else f"median of {len(values)}"
    return Fact(
        name=name,
        value=round(median(values), _DIGITS),
        source=f"{where}, {alike}" if len(values) > 1 else where,
        standing=Standing.RECORDS,
    )


def _spans(start: Start, phase: Phase) -> Iterator[Span]:
    return (span for span in start.phases if span.name == phase)


def _phase_s(phase: Phase) -> Callable[[Start], float | None]:
    def of(start: Start) -> float | None:
        return next((seconds(span.length_ns) for span in _spans(start, phase)), None)

    return of


def _total_s(start: Start) -> float | None:
    return seconds(start.total.timeline.length_ns) if start.total else None


def _stream_gbps(start: Start) -> float | None:
    """From the bucket, by the same sign that says that the technique is at work."""
    rates = [t.gbps for t in start.transfers if t.what == "weights"]
    return rates[0] if rates and Sign.WEIGHTS_STREAMED in start.signs else None


def _image_pull_s(start: Start) -> float | None:
    """Of the engine's own image, and only a whole pull, as far as anything tells."""
    if Sign.IMAGE_PULLED not in start.signs or start.placement is None:
        return None
    engine = f"{start.placement.container}: "
    children = (c for s in _spans(start, Phase.IMAGE_PULL) for c in s.children)
    return next((seconds(c.length_ns) for c in children if c.name.startswith(engine)), None)


def _cache_pull_s(start: Start) -> float | None:
    """Only where it said that it restored something: it ends well without, too."""
    if Sign.CACHE_RESTORED not in start.signs:
        return None
    children = (c for s in _spans(start, Phase.INIT_CONTAINERS) for c in s.children)
    return next((seconds(c.length_ns) for c in children if c.name == RESTORES_CACHE), None)


def _parts_s(phase: Phase, *called: str) -> Callable[[Start], float | None]:
    """The parts of these names in a phase, however deep, as one length."""

    def of(start: Start) -> float | None:
        found = [part for span in _spans(start, phase) for part in span.parts(*called)]
        return seconds(sum(part.length_ns for part in found)) if found else None

    return of


def _wake_s(start: Start) -> float | None:
    wakes = [fact.value for fact in start.facts.get("wake_s", ())]
    return median(wakes) if wakes else None


def _vllm_minor(start: Start) -> float | None:
    found = _VERSION.match(start.engine_version or "")
    return int(found[1]) if found else None


def _warm_restart_s(start: Start) -> float | None:
    return _total_s(start) if start.scenario == "warm" else None


def _cache(start: Start) -> str:
    return f"with the compile cache {start.compile_cache.verdict.value}"


def _weights(start: Start) -> str:
    streamed = Sign.WEIGHTS_STREAMED in start.signs
    return "with streamed weights" if streamed else "with weights from files"


def _whole(start: Start) -> str:
    where = "on a new node" if start.on_new_node else "on a node that was there"
    return f"{where}, {_weights(start)}, {_cache(start)}"


_QUANTITIES = (
    _Quantity(name="stream_gbps", of=_stream_gbps),
    _Quantity(name="cache_pull_s", of=_cache_pull_s),
    _Quantity(name="image_pull_s", of=_image_pull_s),
    _Quantity(name="node_provisioning_s", of=_phase_s(Phase.NODE_PROVISIONING)),
    _Quantity(name="process_init_s", of=_phase_s(Phase.PROCESS_INIT)),
    _Quantity(name="weight_load_s", of=_phase_s(Phase.WEIGHT_LOAD), alike=_weights),
    _Quantity(name="engine_init_s", of=_phase_s(Phase.ENGINE_INIT), alike=_cache),
    _Quantity(
        name="profiling_s",
        of=_parts_s(Phase.ENGINE_INIT, "memory profiling", "graph memory profiling"),
        alike=_cache,
    ),
    _Quantity(name="graph_capture_s", of=_parts_s(Phase.ENGINE_INIT, "graph capture")),
    _Quantity(name="wake_s", of=_wake_s),
    _Quantity(name="warm_restart_s", of=_warm_restart_s, alike=_whole),
    _Quantity(name="total_s", of=_total_s, alike=_whole),
    _Quantity(name="vllm_minor", of=_vllm_minor, alike=lambda s: f"of vLLM {s.engine_version}"),
)
RECORDED = frozenset(quantity.name for quantity in _QUANTITIES)
"""The facts that records can tell."""
