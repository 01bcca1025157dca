"""
One start of an engine that never was: what it prints, and what its probes write.

As much of it as a measured start leaves: a log of some 150 lines, a thousand records of ten
processes. The words are our own.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

NS_PER_S = 1_000_000_000
_NOISE = ("Automatically detected platform", "Using backend", "Resolved architecture", "Defaulting")
_PACKAGES = ("torch", "transformers", "numpy", "vllm", "fastapi", "pydantic", "scipy", "openai")
_PROCESSES = (("serve", 390), ("engine core", 260), ("worker", 370), *[("compile_worker", 4)] * 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """The seconds of one start, from its process on."""

    imports: float
    spawned: float
    weights: float
    compiled: float
    warmed: float
    served: float

    def until(self, part: str) -> float:
        lengths = asdict(self)
        return float(sum(list(lengths.values())[: list(lengths).index(part) + 1]))


def some_lengths(chance: random.Random, *, hit: bool, slow: bool) -> Lengths:
    """Lengths as measured starts have them, a few percent apart."""

    def about(seconds: float) -> float:
        return round(seconds * chance.gauss(1, 0.03) * (2.5 if slow else 1), 4)

    return Lengths(
        imports=about(9),
        spawned=about(6),
        weights=about(4),
        compiled=about(3 if hit else 14),
        warmed=about(2),
        served=about(1),
    )


def log_lines(
    chance: random.Random, begun_ns: int, lengths: Lengths, cache: Path, *, hit: bool
) -> Iterator[str]:
    """What vLLM prints of a start, in its form, with the stamps that `measure` puts before it."""
    pids = {"APIServer": 4000, "EngineCore": 4100, "Worker": 4200}
    second = begun_ns // NS_PER_S

    def said(after_s: float, who: str, text: str, *, level: str = "INFO") -> str:
        at_ns = begun_ns + round(after_s * NS_PER_S)
        of_day = at_ns // NS_PER_S % 86400
        clock = f"{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}"
        place = f"file_{len(text) % 40}.py:{100 + len(text)}"
        return _stamped(at_ns, f"({who} pid={pids[who]}) {level} 11-30 {clock} [{place}] {text}")

    def noise(after_s: float, who: str, lines: int) -> Iterator[str]:
        for n in range(lines):
            words = f"{_NOISE[n % 4]} {n}: option_{n} is {chance.choice('abcdef')}"
            yield said(after_s, who, words, level=("INFO", "WARNING")[n % 2])

    imports, spawned = lengths.until("imports"), lengths.until("spawned")
    weights, compiled = lengths.until("weights"), lengths.until("compiled")
    warmed, served = lengths.until("warmed"), lengths.until("served")
    yield said(imports, "APIServer", "vLLM server version 0.32.0, serving model org/m")
    yield said(imports, "APIServer", "non-default args: {'model': 'org/m', 'port': 8000}")
    yield from noise(imports + 0.01, "APIServer", 12)
    config = ", ".join(f"setting_{n}={n * 7}" for n in range(60))
    begins = f"Initializing a V1 LLM engine (v0.32.0) with config: model='org/m', {config}"
    yield said(imports + 1, "EngineCore", begins)
    yield from noise(imports + 1.1, "EngineCore", 10)
    yield said(spawned, "Worker", "Starting to load model org/m...")
    for done in (0, 50, 100):
        at_ns = begun_ns + round((spawned + (weights - spawned) * done / 101) * NS_PER_S)
        bar = f"Loading safetensors checkpoint shards: {done:3}% Completed | {done // 50}/2 "
        yield _stamped(at_ns, f"{bar}[00:0{done // 50}<00:00,  1.00s/it]", stream="stderr")
    yield said(weights, "Worker", f"Loading weights took {lengths.weights:.2f} seconds")
    took = f"Model loading took 1.20 GiB memory and {lengths.weights + 0.1:.6f} seconds"
    yield said(weights, "Worker", took)
    yield from noise(weights + 0.01, "Worker", 12)
    file = f"{cache}/torch_compile_cache/torch_aot_compile/0a{second % 7}/rank_0_0/model"
    word = "Directly load AOT compilation from path" if hit else "saved AOT compiled function to"
    yield said(compiled, "Worker", f"[backbone] {word} {file}")
    yield from noise(compiled + 0.01, "Worker", 10)
    yield said(warmed, "EngineCore", "GPU KV cache size: 131,072 tokens")
    took = f"init engine (profile, create kv cache, warmup model) took {lengths.compiled:.2f} s"
    yield said(warmed, "EngineCore", took)
    yield from noise(warmed + 0.01, "APIServer", 6)
    yield said(served - 0.4, "APIServer", "Starting vLLM server on http://0.0.0.0:8000")
    yield said(served - 0.4, "APIServer", "Available routes are:")
    for n in range(40):
        yield said(served - 0.4, "APIServer", f"Route: /v1/thing_{n}, Methods: GET")
    for text in ("Started server process [4000]", "Application startup complete."):
        yield _stamped(
            begun_ns + round((served - 0.05) * NS_PER_S), f"INFO:     {text}", stream="stderr"
        )
    for n in range(6):
        request = f'INFO:     127.0.0.1:{50000 + n} - "POST /v1/completions HTTP/1.1" 200 OK'
        yield _stamped(begun_ns + round((served + n / 10) * NS_PER_S), request)
    for n in range(40):
        at_ns = begun_ns + round((served + 2) * NS_PER_S)
        yield _stamped(at_ns, f' - left over: function "create_thing_{n}"', stream="stderr")


def _stamped(at_ns: int, text: str, *, stream: str = "stdout") -> str:
    whole, below = divmod(at_ns, NS_PER_S)
    days, of_day = divmod(whole, 86400)
    # 1 September 2026 is day 20697; a run is shorter than the month.
    clock = f"{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}.{below:09}"
    return f"2026-09-{days - 20697 + 1:02}T{clock}Z {stream} F {text}\n"


def probe_files(
    chance: random.Random, monotonic_ns: int, lengths: Lengths, *, hit: bool
) -> Iterator[tuple[str, str]]:
    """A file a process: who it is, its imports inside one another, spans, counters."""
    origin = monotonic_ns
    begins = {"serve": 0.0, "engine core": lengths.imports, "worker": lengths.until("imports") + 1}
    for number, (what, records) in enumerate(_PROCESSES):
        pid = 4000 + 100 * number
        parent = {"serve": 3999, "engine core": 4000}.get(what, 4100 if what == "worker" else 4200)
        start = origin + round(begins.get(what, lengths.until("weights")) * NS_PER_S)
        lines = [_opening(pid, parent, start, what)]
        if what in ("engine core", "worker"):
            lines.append({"k": "name", "n": "EngineCore" if number == 1 else "Worker_TP0"})
        at = start + 50_000_000
        for n in range(records):
            length = chance.randrange(200_000, 30_000_000)
            lines.append(_record_of(n, at, length))
            at += length + 1000
        lines.append({"k": "modules", "t": at, "read": 3000 + number, "compiled": 0})
        if what == "worker":
            key = "inductor.fxgraph_cache_hit" if hit else "inductor.fxgraph_cache_miss"
            end = origin + round(lengths.until("compiled") * NS_PER_S)
            compile_ = {"k": "span", "g": "compile", "n": "dynamo:compile", "s": at, "e": end}
            lines.append(compile_ | {"e": max(end, at + 1)})
            lines.append({"k": "counters", "when": "warmed up", "t": end, "v": {key: 1}})
        lines.append({"k": "exit", "t": at + 40 * NS_PER_S})
        text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines)
        yield f"{pid}-{origin // 10_000_000 + number}.jsonl", text


def _opening(pid: int, ppid: int, start: int, what: str) -> dict[str, object]:
    return {
        "k": "process",
        "schema": "firstlight.probe/1",
        "pid": pid,
        "ppid": ppid,
        "start_ns": start,
        "start_resolution_ns": 10_000_000,
        "at_ns": start + 30_000_000,
        "forked": what == "engine core",
        "program": f"vllm {what}",
    }


def _record_of(n: int, at: int, length: int) -> dict[str, object]:
    if n % 3 == 2:  # noqa: PLR2004 - every third
        group = "garbage collection"
        return {"k": "span", "g": group, "n": group, "s": at, "e": at + length, "x": "generation 1"}
    package = _PACKAGES[n % len(_PACKAGES)]
    module = f"{package}.part_{n % 50}"
    return {"k": "import", "n": package, "s": at, "e": at + length, "x": module}
