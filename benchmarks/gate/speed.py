"""
What the gateway costs a request, beside no gateway and beside nginx as a plain reverse proxy.

    python benchmarks/gate/speed.py [--rounds N] [--prefer]

In turns, several rounds: 200 streams at once of 20 events a second, the same of 50 a second,
requests that are no streams as fast as they are answered; then 1,000 requests before an engine
that sleeps, and how long after the wake-up all of them are answered. What is added is the
difference of percentiles within a round; the median over the rounds counts, the least and the most
are told beside it. Where others need the processors too, all of this gets longer, a percentile 99
most; `--prefer` asks the kernel to prefer these processes (root).

Needs nginx with its echo module, wrk and a C compiler (Debian: nginx-light libnginx-mod-http-echo
wrk gcc). Exits with 1 where a limit is missed.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from clients import BODY_BYTES, Clients, Streamed
from servers import Server, engine, gateway, prefer, proxy
from waiting import REQUESTS, Waited, waited

from firstlight.cli.exit_codes import OUTSIDE_FAILED
from firstlight.core.errors import OutsideFailed

STREAMS = 200
LIMIT_P50_MS, LIMIT_P99_MS = 2.0, 10.0
LIMIT_RELEASE_S, LIMIT_WAITING_BYTES = 1.0, 20_000
_STREAM_S = 3.0
_COUNTED_S = 7.0
_WRK_S, _WRK_CONNECTIONS = 4, 64
_DIRECT, _NGINX, _GATE = "direct", "nginx", "gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one process did in one turn."""

    processor_s: float
    kept_waiting_s: float
    work: int
    """Requests, or events."""
    per_s: float = 0.0

    @property
    def each_us(self) -> float:
        return self.processor_s / self.work * 1e6


def main() -> int:
    """Measure, print, and hold the limits against it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--prefer", action="store_true")
    asked = options.parse_args()
    missed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="bench-gate-") as folder:
        into = Path(folder)
        if asked.prefer:
            prefer()
        clients = Clients(into)
        missed += streams(into / "20", clients, asked.rounds, per_s=20, limited=True)
        missed += streams(into / "50", clients, asked.rounds, per_s=50, limited=False)
        requests(into / "requests", clients, asked.rounds)
        missed += released(into / "waiting", clients, asked.rounds)
    for one in missed:
        print(f"MISSED: {one}")
    return 1 if missed else 0


def streams(
    into: Path, clients: Clients, rounds: int, *, per_s: float, limited: bool
) -> Iterable[str]:
    """Times of streams, direct and through each of the two."""
    events = round(per_s * _STREAM_S)
    seen: dict[str, list[Streamed]] = {_DIRECT: [], _NGINX: [], _GATE: []}
    costs: dict[str, list[Cost]] = {name: [] for name in seen}
    with ExitStack() as stack:
        sides = _sides(into, stack, per_s=per_s, events=events)
        for _ in range(rounds):
            for name, side in sides.items():
                with_it = _Counter(side)
                streamed = clients.stream(
                    side.port,
                    connections=STREAMS,
                    seconds=_COUNTED_S,
                    events=events + 1,
                    over_s=_STREAM_S,
                )
                if streamed.wrong:
                    raise SystemExit(f"{name}: {streamed.wrong} streams were not whole")
                seen[name].append(streamed)
                costs[name].append(with_it.cost(streamed.events))
    print(f"\n{STREAMS} streams of {per_s:g} events/s, {rounds} rounds; ms, median (least to most)")
    readings: dict[str, Callable[[Streamed], float]] = {
        "first p50": lambda one: one.first_p50,
        "first p99": lambda one: one.first_p99,
        "gap p50": lambda one: one.gap_p50,
        "gap p99": lambda one: one.gap_p99,
    }
    for label, read in readings.items():
        print(f"  {label:10}", _spread([read(one) for one in seen[_DIRECT]]), _DIRECT)
        for name in (_NGINX, _GATE):
            print(f"  {'':10}", _spread(_added(seen, name, read)), f"added by {name}")
    for name in (_NGINX, _GATE):
        print(f"  processor {_spread([one.each_us for one in costs[name]])} µs an event, {name}")
    _tell_of_others(costs[_GATE])
    if not limited:
        return
    for label, read in readings.items():
        most = LIMIT_P50_MS if label.endswith("50") else LIMIT_P99_MS
        if (added := statistics.median(_added(seen, _GATE, read))) > most:
            yield f"{label} of streams: {added:.2f} ms added, at most {most:g}"


def requests(into: Path, clients: Clients, rounds: int) -> None:
    """Throughput and processor time of what is no stream."""
    costs: dict[str, list[Cost]] = {_DIRECT: [], _NGINX: [], _GATE: []}
    with ExitStack() as stack:
        sides = _sides(into, stack, per_s=20, events=1)
        for _ in range(rounds):
            for name, side in sides.items():
                with_it = _Counter(side)
                asked = clients.ask(side.port, connections=_WRK_CONNECTIONS, seconds=_WRK_S)
                costs[name].append(with_it.cost(asked.requests, asked.per_s))
    print(f"\nrequests of 2 kB that are no streams, {_WRK_CONNECTIONS} at once, one process each")
    for name, of_it in costs.items():
        rate = _spread([one.per_s for one in of_it], digits=0)
        used = _spread([one.each_us for one in of_it], digits=0)
        print(f"  {name:8} {rate} a second; processor {used} µs each")
    _tell_of_others(costs[_GATE])


def released(into: Path, clients: Clients, rounds: int) -> Iterable[str]:
    """How long after a wake-up all that waited are answered, and what they cost meanwhile."""
    into.mkdir()
    seen: list[Waited] = [waited(into / str(turn), clients) for turn in range(rounds)]
    each = [one.bytes_each - BODY_BYTES for one in seen]
    last = [one.released_s for one in seen]
    print(f"\n{REQUESTS} requests waiting, bodies of {BODY_BYTES / 1000:g} kB")
    print(f"  all answered {_spread(last, digits=3)} s after the wake-up")
    print(f"  memory of each beside its body {_spread([one / 1000 for one in each])} kB")
    if (middle := statistics.median(last)) > LIMIT_RELEASE_S:
        yield f"{REQUESTS} requests released in {middle:.2f} s, at most {LIMIT_RELEASE_S:g}"
    if (most := statistics.median(each)) > LIMIT_WAITING_BYTES:
        yield f"{most:.0f} bytes a waiting request, at most {LIMIT_WAITING_BYTES}"


def _sides(into: Path, stack: ExitStack, *, per_s: float, events: int) -> dict[str, Server]:
    into.mkdir()
    behind = stack.enter_context(engine(into / "engine", per_s=per_s, events=events))
    return {
        _DIRECT: behind,
        _NGINX: stack.enter_context(proxy(into / "proxy", behind)),
        _GATE: stack.enter_context(gateway(into / "gate", behind)),
    }


class _Counter:
    """Of what a process uses from now on."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._before = server.processor_s, server.kept_waiting_s

    def cost(self, work: int, per_s: float = 0.0) -> Cost:
        used, kept = self._before
        return Cost(
            processor_s=self._server.processor_s - used,
            kept_waiting_s=self._server.kept_waiting_s - kept,
            work=work,
            per_s=per_s,
        )


def _added(
    seen: dict[str, list[Streamed]], name: str, read: Callable[[Streamed], float]
) -> list[float]:
    return [read(one) - read(bare) for one, bare in zip(seen[name], seen[_DIRECT], strict=True)]


def _spread(values: list[float], digits: int = 2) -> str:
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:8.{digits}f} ({least:.{digits}f} to {most:.{digits}f})"


def _tell_of_others(costs: list[Cost]) -> None:
    kept = [one.kept_waiting_s for one in costs]
    used = statistics.median([one.processor_s for one in costs])
    print(f"  (it waited {_spread(kept)} s a turn for a processor, and used {used:.2f} s of one)")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OutsideFailed as error:
        print(f"{error.message}; {error.remedy}", file=sys.stderr)
        sys.exit(OUTSIDE_FAILED)
