"""
An explained start as a table that is read in ten seconds.

Phases first, with what inside them was long; then what the engine itself printed;
then what nobody can explain, and between which two lines; findings last, each
with what to do. Foreign words pass through `escape`, and none of them is ever
taken for the table library's markup.
"""

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text

from firstlight.core.findings import Finding
from firstlight.core.phases import Phase
from firstlight.core.starts import FACT_NAMES, CacheVerdict, Outcome, Start, UnexplainedStretch
from firstlight.core.units import NS_PER_S
from firstlight.report.cluster_words import placement_lines
from firstlight.report.escape import visible
from firstlight.report.phase_table import BAR_CELLS, PhaseTable, in_seconds
from firstlight.report.stakes_text import at_work, stakes_lines
from firstlight.report.words import place

WIDE_ENOUGH = 100
"""A narrower terminal has room for the numbers and the proof, not for a bar."""
_LONGEST_WORDS = 1000
"""A cause may be a line of 64 kB; the table's reader gets its head, the JSON all of it."""
_LONGEST_NAME = 60
_FINEST_NS = 1_000_000

_LABELS = {
    "weights_s": "loading weights",
    "model_load_s": "model loading",
    "download_s": "download",
    "stream_s": "streaming",
    "dynamo_s": "dynamo",
    "compile_s": "torch.compile",
    "cache_load_s": "cache load",
    "profiling_s": "profiling",
    "graph_capture_s": "graph capture",
    "mm_warmup_s": "multi-modal warm-up",
    "engine_init_s": "init engine",
    "engine_init_compile_s": "compilation of it",
    "wake_s": "wake",
    "sleep_freed_gib": "sleep freed",
    "sleep_in_use_gib": "still in use",
    "checkpoint_gib": "checkpoint",
    "model_gib": "model",
    "kv_cache_gib": "KV cache",
}


def print_starts(console: Console, starts: Iterable[Start], *, everything: bool = False) -> None:
    """Write each start to the console.

    Args:
        console: where to.
        starts: what to.
        everything: all children, however short.
    """
    for number, start in enumerate(starts):
        if number:
            console.print()
        bar = BAR_CELLS if console.width >= WIDE_ENOUGH else 0
        console.print(render(start, everything=everything, bar_cells=bar))


def render(start: Start, *, everything: bool = False, bar_cells: int = BAR_CELLS) -> RenderableType:
    """One start as a group of renderables."""
    parts: list[RenderableType] = [_headline(start)]
    if start.placement:
        parts.extend(placement_lines(start.placement))
    if start.failure:
        parts.append(_failure(start))
    if start.phases:
        parts.extend([Text(), PhaseTable(start, everything, bar_cells).table()])
        parts.extend(_unexplained_note(start))
    elif not start.timed and not start.placement:
        parts.append(Text("no line has a stamp: durations are printed, not timed", style="dim"))
    parts.extend(_rest(start))
    return Group(*parts)


def _headline(start: Start) -> Text:
    line = Text(visible(start.source), style="bold")
    version = (
        f" {visible(start.engine_version, most=_LONGEST_NAME)}" if start.engine_version else ""
    )
    line.append(f" · vLLM{version} · " if start.engine else " · ", style="not bold")
    style = {Outcome.READY: "green", Outcome.FAILED: "red"}.get(start.outcome, "yellow")
    line.append(start.outcome.value, style=style)
    if start.total:
        total = start.total
        line.append(f" in {in_seconds(total.timeline.length_ns)} s")
        line.append(
            f" {_uncertain(total.uncertainty_ns)} "
            f"({_spoken(total.starts_at)} → {_spoken(total.ends_at)})",
            style="not bold dim",
        )
    elif start.seen_ns is not None:
        line.append(f" after {in_seconds(start.seen_ns)} s")
        if start.unfinished:
            line.append(f", in {start.unfinished}")
    else:
        line.append(" · the input does not show both ends: no total", style="not bold dim")
    return line


def _spoken(end: str) -> str:
    return end.replace("_", " ")


def _failure(start: Start) -> Text:
    assert start.failure is not None  # noqa: S101
    line = Text("failed: ", style="bold red")
    line.append(visible(start.failure.message, most=_LONGEST_WORDS), style="not bold")
    for evidence in start.failure.evidence[:1]:
        line.append(f"  [{place(evidence)}]", style="dim")
    for finding in start.findings:
        if _is_the_failure(finding, start):
            line.append(f"\n  → {visible(finding.remedy)}", style="not bold green")
    return line


def _is_the_failure(finding: Finding, start: Start) -> bool:
    """Whether a finding only repeats the failure: then its remedy stands beside that."""
    return start.failure is not None and finding.what == start.failure.message


def _unexplained_note(start: Start) -> list[RenderableType]:
    """A line of its own: a narrow terminal cuts the table's last column, and this must be seen."""
    if not start.total:
        return []
    timeline = start.total.timeline
    share = timeline.unexplained_ns / timeline.length_ns
    notes: list[RenderableType] = [
        Text(f"unexplained, at the leaves: {in_seconds(timeline.unexplained_ns)} s ({share:.1%})")
    ]
    if start.placement and any(p.uncertainty_ns >= NS_PER_S for p in start.phases):
        notes.append(Text("whole seconds: its stamps tell it no better than ± 1 s", style="dim"))
    return notes


def _rest(start: Start) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if start.first_token_ns is not None:
        parts.append(Text(f"first token {in_seconds(start.first_token_ns)} s after ready"))
    if start.watched_ns is not None:
        parts.append(Text(f"watched: {in_seconds(start.watched_ns)} s by one clock", style="dim"))
    if facts := _facts(start):
        parts.extend([Text(), facts])
    if _knows_cache(start):
        parts.append(_cache(start))
    parts.extend(at_work(start))
    for transfer in start.transfers:
        line = (
            f"{transfer.what}: {transfer.bytes_ / 1e9:.2f} GB in {_digits(transfer.seconds)} s = "
        )
        line += f"{transfer.gigabytes_per_s:.2f} GB/s = {transfer.gbps:.1f} Gbps"
        if transfer.link_share is not None:
            line += f", {transfer.link_share:.0%} of a link of {transfer.link_gbps:g} Gbps"
        parts.append(Text(line))
    if start.unexplained:
        parts.append(Text())
    for stretch in start.unexplained:
        parts.append(
            Text(
                f"unexplained: {in_seconds(stretch.stretch.length_ns)} s "
                f"{_within(stretch)}, between",
                style="yellow",
            )
        )
        parts.extend(
            Text(
                f"  {evidence.line or '·'}: {visible(evidence.text)}",
                no_wrap=True,
                overflow="ellipsis",
            )
            for evidence in (stretch.before, stretch.after)
        )
    parts.extend(Text(f"note: {visible(note)}", style="dim") for note in start.notes)
    parts.extend(_findings(f for f in start.findings if not _is_the_failure(f, start)))
    parts.extend(stakes_lines(start))
    return parts


def _knows_cache(start: Start) -> bool:
    """Whether the cache is worth a line: not where no engine has said anything."""
    told = start.compile_cache.verdict is not CacheVerdict.UNKNOWN
    return told or start.placement is None or bool(start.facts.get("engine_init_s"))


def _within(unexplained: UnexplainedStretch) -> str:
    between_phases = unexplained.within == Phase.UNEXPLAINED
    return "outside every phase" if between_phases else f"in {unexplained.within}"


def _facts(start: Start) -> Text | None:
    said = []
    for name in FACT_NAMES:
        found = start.facts.get(name, ())
        if found and name != "image_bytes":
            unit = {"_s": "s", "ib": "GiB"}[name[-2:]]
            values = _distinct([f.printed for f in found])
            said.append(f"{_LABELS[name]} {values} {unit}")
    said += [
        f"sleep{f' level {s.level}' if s.level is not None else ''} {s.seconds.printed} s"
        for s in start.sleeps
    ]
    return Text("the engine printed: " + " · ".join(said)) if said else None


def _digits(length_s: float) -> str:
    """As it was printed, but for digits that nobody reads: 19.8, 0.04, 9.808."""
    return f"{length_s:.4g}"


def _distinct(printed: Sequence[str]) -> str:
    """Each number once, with how often it was printed."""
    counts: dict[str, int] = {}
    for number in printed:
        counts[number] = counts.get(number, 0) + 1
    return ", ".join(f"{n} (x{times})" if times > 1 else n for n, times in counts.items())


def _cache(start: Start) -> Text:
    cache = start.compile_cache
    style = {
        CacheVerdict.HIT: "green",
        CacheVerdict.BROKEN: "red",
        CacheVerdict.MISS: "red",
        CacheVerdict.FILL: "yellow",
    }.get(cache.verdict, "")
    line = Text("compile cache: ")
    line.append(cache.verdict.value, style=style)
    line.append(f" ({visible(cache.reason, most=_LONGEST_WORDS)}; proof: {cache.proof})")
    return line


def _findings(findings: Iterable[Finding]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for finding in findings:
        line = Text("! ", style="bold yellow")
        line.append(f"{finding.code} ", style="bold")
        what = visible(finding.what, most=_LONGEST_WORDS)
        line.append(f"{visible(finding.where)}: {what}", style="not bold")
        parts.extend([Text(), line, Text(f"  → {visible(finding.remedy)}", style="green")])
    return parts


def _uncertain(length_ns: int) -> str:
    """Two digits of it, never as a power of ten; clocks finer than this view are all alike."""
    if length_ns < _FINEST_NS:
        return "± <1 ms"
    return f"± {float(f'{length_ns / NS_PER_S:.2g}'):g} s"
