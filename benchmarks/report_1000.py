"""
`firstlight experiment report` and `firstlight report` on a run of a thousand rounds.

The run is made first (`made_run`): five steps, two hundred rounds each, every one as large as a
measured one. Each command is run by a fresh process, three times; the best time counts. The
seconds of processor time are of all its processes together: where others are at work on the
machine, they tell more.

    python benchmarks/report_1000.py

Exits with 1 where a limit (5 s, 8 MB of page) is missed, or a number of the two differs.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from made_run import make_run

LIMIT_S = 5.0
LIMIT_MB = 8.0
_ROUNDS_A_STEP = 200
_TRIES = 3
_MB = 1_000_000
_COMMAND = str(Path(sys.executable).parent / "firstlight")


def timed(*words: str | Path, out: Path) -> tuple[float, float]:
    """Seconds by the clock, and of processors, of the best of the tries."""
    tries = []
    for _ in range(_TRIES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        with out.open("wb") as stdout:
            subprocess.run([_COMMAND, *words], stdout=stdout, check=True)
        took = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        tries.append((took, used))
    return min(tries)


def totals(document: Path) -> list[float]:
    """Of every round."""
    steps = json.loads(document.read_bytes())["steps"]
    rounds = [one for step in steps for s in step["scenarios"].values() for one in s["rounds"]]
    return [one["total_s"] for one in rounds]


def main() -> int:
    """Print each figure beside its limit."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        rounds = make_run(home / "run", rounds_a_step=_ROUNDS_A_STEP)
        page, printed, saved = (home / name for name in ("page.html", "said.json", "saved.json"))
        told = timed("experiment", "report", home / "run", "--output", "json", out=printed)
        drawn = timed("report", home / "run", "--to", page, out=home / "said.txt")
        subprocess.run(
            [_COMMAND, "report", home / "run", "--to", saved],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        size_mb = page.stat().st_size / _MB
        same = totals(printed) == totals(saved) and len(totals(printed)) == rounds
    for what, (took, used) in (("experiment report, JSON", told), ("report, HTML", drawn)):
        print(
            f"firstlight {what}, {rounds:,} rounds: {took:.2f} s ({used:.1f} s of processor, "
            f"{os.cpu_count()} there), at most {LIMIT_S} s"
        )
    print(f"the page: {size_mb:.2f} MB, at most {LIMIT_MB} MB")
    if not same:
        print("the totals of the two differ, or rounds are missing")
    missed = max(told[0], drawn[0]) > LIMIT_S or size_mb > LIMIT_MB
    return 1 if missed or not same else 0


if __name__ == "__main__":
    sys.exit(main())
