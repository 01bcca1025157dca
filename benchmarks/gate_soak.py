"""
Does the gateway stay as small as it is? Hours of requests, sleeps and faults, in one life of it.

    gate_soak.py [--minutes N] [--seed N]

A gateway in a process of its own, before the fake engine of `tests/gating_chaos`: cycles of sleep
and wake-up, half of the requests streaming, some clients leaving, and an engine that fails now and
then. Once a minute all is let come to rest, and the gateway's memory and descriptors are read; the
first minute warms it up, and after that neither may grow. Memory is held by the medians of the
first and the last readings, because what an allocator keeps goes up and down; descriptors exactly.
What became of the requests is held as the tests hold it. Exits with 1 where something grew or went
wrong. Thirty minutes are the full form.
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.gating_chaos.plan import SOAK, Cycle, cycles
from tests.gating_chaos.run import Run, running

_MINUTE_S = 60.0
_CLOSES_WITHIN_S = 4.5
"""The gateway keeps a connection to the engine for two seconds, and looks for old ones as often."""
_LOOKS, _LOOK_EVERY_S = 20, 0.03
_MIB = 1024 * 1024
_MOST_GROWTH_MIB = 4.0
"""In half an hour, of some 60: 100 bytes kept of each request would be more."""
_LEAST_READINGS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The gateway at rest."""

    minute: float
    resident_mib: float
    descriptors: int


def main() -> int:
    """Run, print, and judge."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--seed", type=int, default=8)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(soaked(Path(folder), asked.minutes, asked.seed))


async def soaked(folder: Path, minutes: float, seed: int) -> int:
    """One soak; its exit code."""
    readings: list[Reading] = []
    ends: Counter[str] = Counter()
    wrongs = 0
    async with running(folder) as run:
        began_s = time.monotonic()
        for cycle in without_end(seed):
            await run.carry_out(cycle)
            for wrong in run.book.wrongs(run.engine.received):
                wrongs += 1
                print(f"cycle {cycle.number}, {cycle.kind}: {wrong}", flush=True)
            ends += run.book.counted()
            run.book.entries.clear()
            run.engine.received.clear()
            lasted = (time.monotonic() - began_s) / _MINUTE_S
            if lasted >= len(readings) + 1:
                readings.append(await at_rest(run, lasted))
                print(
                    f"minute {lasted:5.1f}: {readings[-1].resident_mib:6.1f} MiB, "
                    f"{readings[-1].descriptors} descriptors, {ends.total()} requests, "
                    f"{run.gate.events()['woke']} wake-ups",
                    flush=True,
                )
            if lasted >= minutes:
                break
        problems = list(run.problems)
        broken = run.gate.events()["library"]
    print(f"ends: {dict(ends.most_common())}")
    print(f"restarts of the engine: {run.kubelet.restarts}; wrong: {wrongs + len(problems)}")
    return judged(readings, wrong=bool(wrongs or problems or broken))


async def at_rest(run: Run, minute: float) -> Reading:
    """The gateway with nobody connected to it."""
    run.book.askers.forget()
    await run.until(lambda: run.engine.says_it_sleeps, "asleep")
    await asyncio.sleep(_CLOSES_WITHIN_S)
    fewest = run.gate.descriptors()
    for _ in range(_LOOKS):
        # A look at the engine has a connection of its own.
        await asyncio.sleep(_LOOK_EVERY_S)
        fewest = min(fewest, run.gate.descriptors())
    return Reading(minute=minute, resident_mib=run.gate.resident_bytes() / _MIB, descriptors=fewest)


def judged(readings: list[Reading], *, wrong: bool) -> int:
    """Whether it stayed as it was, in words; the exit code."""
    warm = readings[1:]
    if len(warm) < _LEAST_READINGS - 1:
        print("too short to judge: three minutes at least")
        return 1
    part = max(1, len(warm) // 4)
    first, last = warm[:part], warm[-part:]
    grown_mib = middle(last) - middle(first)
    more = max(one.descriptors for one in last) - max(one.descriptors for one in first)
    flat = grown_mib <= _MOST_GROWTH_MIB and more <= 0
    print(
        f"from minute {first[0].minute:.0f} to {last[-1].minute:.0f}: {grown_mib:+.1f} MiB "
        f"(at most {_MOST_GROWTH_MIB:+.1f}), {more:+d} descriptors: "
        f"{'flat' if flat else 'GROWS'}{', and something WENT WRONG' if wrong else ''}"
    )
    return 0 if flat and not wrong else 1


def middle(readings: list[Reading]) -> float:
    """Of their memory."""
    return statistics.median(one.resident_mib for one in readings)


def without_end(seed: int) -> Iterator[Cycle]:
    """Cycles of one seed after another."""
    return itertools.chain.from_iterable(cycles(one, SOAK) for one in itertools.count(seed))


if __name__ == "__main__":
    sys.exit(main())
