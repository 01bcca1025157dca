"""
The tables of the reference case, made from its raw artefacts.

    .venv/bin/python examples/reference-case/tables.py

Every figure under "measured" is computed here from the pods, events, nodes and logs in
the folders beside this file. What nobody ran is printed as an estimate, with how it was
arrived at. README.md tells where the case comes from.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.wiring.explaining import explain_inputs

HERE = Path(__file__).resolve().parent
CASES = ("cold-baseline", "warm-baseline", "cold-all", "warm-all")
NAMED = (Phase.NODE_PROVISIONING, Phase.IMAGE_PULL, Phase.WEIGHT_LOAD, Phase.ENGINE_INIT)
"""What the case split its cold start into; the rest it called "other"."""


def explained(case: str) -> Start:
    """The one start of a folder."""
    (start,) = explain_inputs([str(HERE / case)])
    return start


def seconds(start: Start, phase: Phase | str) -> float:
    """The length of a phase; 0 where the start did not pass it."""
    return sum(s.length_ns for s in start.phases if s.name == phase) / NS_PER_S


def total(start: Start) -> float:
    """From the pod's creation to Ready."""
    assert start.total is not None  # noqa: S101
    return start.total.timeline.length_ns / NS_PER_S


def engine_pull(start: Start) -> float:
    """The pull of the engine's own image."""
    spans = [s for s in start.phases if s.name == Phase.IMAGE_PULL]
    pulls = [c for s in spans for c in s.children if "vllm-openai" in c.name]
    return sum(c.length_ns for c in pulls) / NS_PER_S


def phase_table(starts: dict[str, Start]) -> Table:
    """Every phase of every start, in seconds."""
    table = Table(title="measured, in seconds", box=None, pad_edge=False)
    table.add_column("phase")
    for case in starts:
        table.add_column(case, justify="right")
    for phase in Phase:
        if any(seconds(start, phase) for start in starts.values()):
            cells = [
                f"{seconds(s, phase):.1f}" if seconds(s, phase) else "" for s in starts.values()
            ]
            table.add_row(phase.value, *cells)
    table.add_row("total", *(f"{total(start):.0f}" for start in starts.values()), style="bold")
    uncertain = (s.total.uncertainty_ns / NS_PER_S if s.total else 0 for s in starts.values())
    table.add_row("known to ±", *(f"{u:.0f}" for u in uncertain))
    return table


def other(cold: Start) -> list[tuple[str, float]]:
    """What the case left unexplained, by name: everything but the four it split off."""
    return [
        (span.name, span.length_ns / NS_PER_S) for span in cold.phases if span.name not in NAMED
    ]


def estimate(starts: dict[str, Start]) -> tuple[float, float]:
    """The cold start of the four recommended techniques alone, and what the pre-pull bought.

    Nobody ran it. It is the cold start with everything, plus what the pull takes longer where
    nothing was pulled before.
    """
    bought = engine_pull(starts["cold-baseline"]) - engine_pull(starts["cold-all"])
    return total(starts["cold-all"]) + bought, bought


def main(cases: Sequence[str] = CASES) -> int:
    """Print the tables."""
    out = Console(width=110, highlight=False)
    starts = {case: explained(case) for case in cases}
    cold = starts["cold-baseline"]
    out.print(phase_table(starts))
    out.print()
    left = other(cold)
    share = sum(length for _, length in left) / total(cold)
    out.print(f'"other" of the cold baseline, measured: {share:.0%} of it')
    for name, length in left:
        out.print(f"  {name:<18} {length:6.1f}")
    out.print()
    without, bought = estimate(starts)
    out.print(
        f"estimate, nobody ran it: the recommended techniques without the pre-pull, "
        f"about {without:.0f} s cold\n  = {total(starts['cold-all']):.0f} s measured with it "
        f"+ {bought:.1f} s that the pull took longer without (both ± the probe's 10 s)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
