"""
What does a compile cache buy? Measured on a real vLLM, on this machine, now.

Four times over: a start with empty caches (it fills them), a start that finds
them, and the same without the probe, to see what the probe costs. Neighbours
alternate, so that a machine that grows slow in the middle slows all of them.
Rounds that fill are kept apart and never counted as a result of the cache: they
are what the others are held against.

Everything raw is kept in the run folder; `firstlight explain RUNS/hit` reads it
again. Needs `make engine`; takes about ten minutes on two cores.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from firstlight.cli.exit_codes import OUTSIDE_FAILED
from firstlight.cli.output import console, tell
from firstlight.cli.progress import prefixed, shown_progress
from firstlight.core.starts import CacheVerdict, Start
from firstlight.core.timeline import Timeline
from firstlight.core.units import seconds
from firstlight.measure.ports import Progress
from firstlight.report.json_contract import explanation
from firstlight.report.perfetto import trace
from firstlight.report.rounds import (
    difference,
    difference_table,
    probe_cost,
    summary,
    summary_table,
    totals_ns,
)
from firstlight.report.text import print_starts
from firstlight.wiring.measuring import MeasuredRound, measure_once

HERE = Path(__file__).resolve().parent
PREPARE = HERE.parents[1] / "engine" / "prepare.py"
FILL, HIT, CONTROL = "fill", "hit", "hit-without-probe"

WANTED = {
    # What this project promises of its own runs, on any machine: figure, at most.
    "unexplained with the probe": 0.02,
    "unexplained without the probe": 0.05,
    "longest unnamed stretch with the probe, s": 0.5,
    "precision of the total, s": 0.1,
}


def engine_folder() -> Path:
    """Where `make engine` put the real engine."""
    asked = subprocess.run(
        [sys.executable, PREPARE, "--print-path"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        sys.exit("the engine is not there yet: run `make engine` first")
    return Path(asked.stdout.strip())


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def engine_environment(caches: Path) -> dict[str, str]:
    """A CPU engine that asks nobody on the network and keeps its caches where we say."""
    return {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        # The CPU engine's ahead-of-time cache never loads; Inductor's own does.
        "VLLM_USE_AOT_COMPILE": "0",
        "VLLM_CACHE_ROOT": str(caches / "vllm"),
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
    }


def main() -> int:
    """Measure, print, write; the exit code says whether what is promised was kept."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    options.add_argument("--rounds", type=int, default=4)
    options.add_argument("--into", type=Path, default=Path("runs"))
    asked = options.parse_args()
    folder = engine_folder()
    into = asked.into / time.strftime("demo-%Y%m%d-%H%M%S")
    caches = into / "caches"
    out = console()
    out.print(
        f"{asked.rounds} times: empty caches, kept caches, kept caches without the probe; "
        f"about {asked.rounds * 2.4:.0f} minutes on two cores\n"
    )
    sets: dict[str, list[Start]] = {FILL: [], HIT: [], CONTROL: []}
    with shown_progress() as progress:
        for number in range(1, asked.rounds + 1):
            shutil.rmtree(caches, ignore_errors=True)
            for label, starts in sets.items():
                prefix = f"{label} {number} of {asked.rounds}: "
                measured = one_round(folder, into, label, caches, prefixed(progress, prefix))
                if measured.result.failure:
                    tell(measured.result.failure)
                    return OUTSIDE_FAILED
                starts.append(measured.start)
                print_starts(out, [measured.start])
                out.print()
    shutil.rmtree(caches, ignore_errors=True)
    return conclude(out, sets, into)


def one_round(
    folder: Path, into: Path, label: str, caches: Path, progress: Progress
) -> MeasuredRound:
    """One start of the real engine."""
    command = [str(folder / "venv" / "bin" / "vllm"), "serve", str(folder / "model")]
    command += ["--port", str(free_port()), "--max-model-len", "512"]
    return measure_once(
        command,
        into=into,
        label=label,
        progress=progress,
        environment=engine_environment(caches),
        probe=label != CONTROL,
    )


def conclude(out: Console, sets: Mapping[str, list[Start]], into: Path) -> int:
    """Print what came of it, and write it for machines."""
    out.rule("all rounds")
    out.print(summary_table(sets))
    out.print("\nwhat the compile cache bought (empty caches against kept ones, both probed):\n")
    out.print(difference_table(sets[FILL], sets[HIT]))
    out.print()
    out.print(probe_cost(sets[HIT], sets[CONTROL]))
    kept = promises(sets)
    out.print("\nwhat firstlight promises of its own runs:")
    for what, (figure, limit) in kept.items():
        verdict = "kept  " if figure <= limit else "BROKEN"
        out.print(f"  {verdict} {what}: {figure:.4g} <= {limit:g}")
    wrong = wrong_verdicts(sets)
    for line in wrong:
        out.print(f"  BROKEN {line}")
    document = explanation(s for starts in sets.values() for s in starts) | {
        "sets": summary(sets),
        "bought": difference(sets[FILL], sets[HIT]),
        "probe_cost": difference(sets[HIT], sets[CONTROL]),
        "promises": {what: {"figure": f, "at_most": m} for what, (f, m) in kept.items()},
    }
    (into / "demo.json").write_text(json.dumps(document, indent=1))
    for label in (FILL, HIT):
        (into / f"{label}.perfetto.json").write_text(json.dumps(trace(middle(sets[label]))))
    out.print(f"\nwritten: {into}/demo.json, and for ui.perfetto.dev {into}/fill.perfetto.json")
    out.print(f"and {into}/hit.perfetto.json; `firstlight explain {into}/hit` reads rounds again")
    return 1 if wrong or any(figure > limit for figure, limit in kept.values()) else 0


def promises(sets: Mapping[str, list[Start]]) -> dict[str, tuple[float, float]]:
    """Each promise with the worst figure of these runs."""
    probed = [timeline(s) for s in (*sets[FILL], *sets[HIT])]
    plain = [timeline(s) for s in sets[CONTROL]]
    everything = [s.total for starts in sets.values() for s in starts if s.total]
    figures = {
        "unexplained with the probe": max(t.unexplained_ns / t.length_ns for t in probed),
        "unexplained without the probe": max(t.unexplained_ns / t.length_ns for t in plain),
        "longest unnamed stretch with the probe, s": max(
            (seconds(s.length_ns) for t in probed for s in t.unexplained_stretches()), default=0
        ),
        "precision of the total, s": max(seconds(t.uncertainty_ns) for t in everything),
    }
    for line in (*probed, *plain):
        if sum(span.length_ns for span in line.spans) != line.length_ns:
            raise AssertionError("phases do not add up")
    return {what: (figure, WANTED[what]) for what, figure in figures.items()}


def timeline(start: Start) -> Timeline:
    """The timeline of a start that came up."""
    if start.total is None:
        raise AssertionError(f"{start.source} has no total")
    return start.total.timeline


def wrong_verdicts(sets: Mapping[str, list[Start]]) -> list[str]:
    """Rounds whose caches did something else than their name says."""
    expected = {FILL: CacheVerdict.FILL, HIT: CacheVerdict.HIT, CONTROL: CacheVerdict.HIT}
    return [
        f"{start.source}: the compile cache was a {start.compile_cache.verdict.value}, "
        f"not a {expected[label].value} ({start.compile_cache.reason})"
        for label, starts in sets.items()
        for start in starts
        if start.compile_cache.verdict is not expected[label]
    ]


def middle(starts: list[Start]) -> Start:
    """The round whose total is the median's neighbour: the one to look at."""
    in_order = sorted(zip(totals_ns(starts), range(len(starts)), strict=True))
    return starts[in_order[(len(in_order) - 1) // 2][1]]


if __name__ == "__main__":
    sys.exit(main())
