"""
Several rounds side by side: how long, how sure, how much of it is explained.

Rounds are never pooled over labels, and none is dropped. A difference is given
with its interval or not at all.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from firstlight.core.intervals import Shift, fewest_rounds, shift, spread
from firstlight.core.phases import Phase
from firstlight.core.starts import Outcome, Start, Total
from firstlight.core.timeline import Timeline
from firstlight.core.units import seconds
from firstlight.report.escape import visible

Sets = Mapping[str, Sequence[Start]]


def came_up(starts: Sequence[Start]) -> list[Total]:
    """The totals of the rounds that came up; the others have no length to speak of."""
    return [s.total for s in starts if s.total and s.outcome is Outcome.READY]


def totals_ns(starts: Sequence[Start]) -> list[int]:
    """How long the rounds took that came up."""
    return [total.timeline.length_ns for total in came_up(starts)]


def phase_ns(starts: Sequence[Start], phase: Phase) -> list[int]:
    """One phase's lengths; a round without it took no time in it."""
    spans = [total.timeline.span(phase) for total in came_up(starts)]
    return [span.length_ns if span else 0 for span in spans]


def summary(sets: Sets) -> dict[str, Any]:
    """Each set in numbers, for JSON."""
    return {label: _figures(starts) for label, starts in sets.items()}


def _figures(starts: Sequence[Start]) -> dict[str, Any]:
    totals = came_up(starts)
    figures: dict[str, Any] = {
        "rounds": len(starts),
        "ready": len(totals),
        "verdicts": [s.compile_cache.verdict.value for s in starts],
    }
    if totals:
        told = spread(totals_ns(starts))
        figures |= {
            "total_median_s": seconds(told.median_ns),
            "total_lowest_s": seconds(told.lowest_ns),
            "total_highest_s": seconds(told.highest_ns),
            "total_uncertainty_s": max(seconds(t.uncertainty_ns) for t in totals),
            "unexplained_highest_share": max(
                t.timeline.unexplained_ns / t.timeline.length_ns for t in totals
            ),
            "longest_unnamed_s": max(seconds(_longest(t.timeline)) for t in totals),
        }
    return figures


def summary_table(sets: Sets) -> Table:
    """Each set as a row."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("rounds", "n", "median", "lowest to highest", "±", "unexplained", "longest"):
        table.add_column(head, justify="left" if head == "rounds" else "right", no_wrap=True)
    table.add_column("compile cache")
    for label, starts in sets.items():
        figures = _figures(starts)
        verdicts = ", ".join(dict.fromkeys(figures["verdicts"]))
        name = Text(visible(label))
        if "total_median_s" not in figures:
            table.add_row(name, "0", "none came up", "", "", "", "", verdicts)
            continue
        table.add_row(
            name,
            str(figures["ready"]),
            f"{figures['total_median_s']:.2f} s",
            f"{figures['total_lowest_s']:.2f} to {figures['total_highest_s']:.2f} s",
            f"{figures['total_uncertainty_s']:.3f} s",
            f"{figures['unexplained_highest_share']:.2%}",
            f"{figures['longest_unnamed_s']:.2f} s",
            verdicts,
        )
    return table


def difference(first: Sequence[Start], second: Sequence[Start]) -> dict[str, Any]:
    """What the second set saved against the first, in total and by phase, for JSON."""
    rows = {"total": (totals_ns(first), totals_ns(second))}
    for phase in Phase:
        rows[phase.value] = (phase_ns(first, phase), phase_ns(second, phase))
    return {
        name: _shift_figures(shift(before, after))
        for name, (before, after) in rows.items()
        if any(before) or any(after)
    }


def _shift_figures(found: Shift | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "saved_s": seconds(found.estimate_ns),
        "low_s": seconds(found.low_ns),
        "high_s": seconds(found.high_ns),
        "coverage": round(found.coverage, 4),
        "seen": found.excludes_zero,
    }


def _longest(timeline: Timeline) -> int:
    return max((s.length_ns for s in timeline.unexplained_stretches()), default=0)


def probe_cost(with_probe: Sequence[Start], without: Sequence[Start]) -> str:
    """What the probe itself cost, in a sentence with its interval."""
    found = shift(totals_ns(with_probe), totals_ns(without))
    if found is None:
        need = fewest_rounds()
        return f"the probe's cost: too few rounds for an interval ({need} with and {need} without)"
    return (
        f"the probe's cost: {_s(found.estimate_ns)} "
        f"({_s(found.low_ns)} to {_s(found.high_ns)})"
        f"{'' if found.excludes_zero else ', no difference seen'}"
    )


def _s(length_ns: int) -> str:
    return f"{seconds(length_ns):.2f} s"
