"""
A run of an experiment with as many rounds as one likes, made without starting an engine.

Each round has what a measured one has, and as much of it: a log of some 150 lines, a thousand
records of ten probed processes, listings of sixty files, marks, answers. The words are
our own; what is read out of them differs from round to round as measured starts do, by a few
percent, with some far out. The same seed makes the same run, to the byte.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.experiment.ledger import PlanEntry, RoundEntry, line
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.wiring.experimenting import SUBSTRATE, Prepared, prepared

_S = 1_000_000_000
_BEGAN_NS = 1_790_000_000 * _S
_ROUND_NS = 60 * _S
_FAR_OUT_EVERY = 97
_STEPS = (
    ("placebo", "a variable that nothing reads", []),
    ("fewer-threads", "two threads instead of eight", ["process_init"]),
    ("small-pages", "another allocator", ["engine_init"]),
)
_NOISE = ("Automatically detected platform", "Using backend", "Resolved architecture", "Defaulting")
_PACKAGES = ("torch", "transformers", "numpy", "vllm", "fastapi", "pydantic", "scipy", "openai")
_PROCESSES = (("serve", 390), ("engine core", 260), ("worker", 370), *[("compile_worker", 4)] * 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lengths:
    """The seconds of one start, from its process on."""

    imports: float
    spawned: float
    weights: float
    compiled: float
    warmed: float
    served: float

    def until(self, part: str) -> float:
        names = list(self.__slots__)
        return sum(getattr(self, name) for name in names[: names.index(part) + 1])


def plan_text(rounds: int) -> bytes:
    """A base and four steps, each with its fill."""
    steps: list[object] = [{"technique": "compile-cache-local"}]
    steps += [
        {
            "change": name,
            "says": says,
            "claims": claims,
            "process": {"environment": {f"OMP_{name.upper().replace('-', '_')}": "1"}},
        }
        for name, says, claims in _STEPS
    ]
    plan = {
        "schema": "firstlight.plan/1",
        "name": f"a run of {rounds * 5} rounds",
        "base": {"process": {"command": ["vllm", "serve", "org/m", "--port", "8000"]}},
        "given": {"cache_dir": "${node}/cache"},
        "steps": steps,
        "rounds": rounds - 1,
    }
    return json.dumps(plan, indent=1).encode()


def make_run(folder: Path, *, rounds_a_step: int, seed: int = 0) -> int:
    """
    Write a run to its end.

    Args:
        folder: it must not be there.
        rounds_a_step: of each of five steps, the fill among them.
        seed: of what differs from round to round.

    Returns:
        How many rounds are in it.
    """
    source = plan_text(rounds_a_step)
    plan = prepared("plan.yaml", source, {})
    folder.mkdir(parents=True)
    (folder / "plan.yaml").write_bytes(source)
    with (folder / "ledger.jsonl").open("wb") as ledger:
        ledger.write(line(_plan_entry(plan)))
        for order, slot in enumerate(plan.slots):
            ledger.write(line(_round(folder, plan, slot, order, seed)))
    return len(plan.slots)


def _plan_entry(plan: Prepared) -> PlanEntry:
    return PlanEntry(
        schema="firstlight.ledger/1",
        digest=plan.digest,
        name=plan.plan.name,
        substrate=SUBSTRATE,
        began_ns=_BEGAN_NS,
    )


def _round(run: Path, plan: Prepared, slot: Slot, order: int, seed: int) -> RoundEntry:
    chance = random.Random(f"{seed} {slot.id}")  # noqa: S311 - a benchmark's numbers
    step = plan.steps[slot.step]
    fills = slot.purpose is Purpose.FILL
    number = max(slot.number, 1)
    folder = run / "rounds" / slot.label(step) / f"round-{number:02}"
    (folder / "probe").mkdir(parents=True)
    begun_ns = _BEGAN_NS + order * _ROUND_NS
    hit = slot.step > 0 and not fills
    lengths = _lengths(chance, hit=hit, slow=order % _FAR_OUT_EVERY == _FAR_OUT_EVERY - 1)
    cache = run / "layers" / ("node/cache" if slot.step else "container") / "vllm"
    (folder / "engine.log").write_text("".join(_log(chance, begun_ns, lengths, cache, hit=hit)))
    for name, text in _probes(chance, order, lengths, hit=hit):
        (folder / "probe" / name).write_text(text)
    _json(folder / "marks.json", _marks(begun_ns, lengths))
    for when in ("before", "after"):
        full = hit or when == "after"
        _json(folder / f"cache-{when}.json", _listing(cache, 60 if full else 0))
    _json(folder / "serving.json", _served(chance))
    environment = {**step.setup.environment, "VLLM_CACHE_ROOT": str(cache)}
    _json(folder / "round.json", _record(slot.label(step), number, order, lengths, environment))
    return RoundEntry(
        slot=slot.id,
        attempt=1,
        folder=str(folder.relative_to(run)),
        outcome="ready",
        cache="hit" if hit else "fill",
        begun_ns=begun_ns,
        ended_ns=begun_ns + round(lengths.until("served") * _S) + 5 * _S,
    )


def _lengths(chance: random.Random, *, hit: bool, slow: bool) -> _Lengths:
    def about(seconds: float) -> float:
        return round(seconds * chance.gauss(1, 0.03) * (2.5 if slow else 1), 4)

    return _Lengths(
        imports=about(9),
        spawned=about(6),
        weights=about(4),
        compiled=about(3 if hit else 14),
        warmed=about(2),
        served=about(1),
    )


def _log(
    chance: random.Random, begun_ns: int, lengths: _Lengths, cache: Path, *, hit: bool
) -> Iterator[str]:
    """What vLLM prints of a start, in its form, with the stamps that `measure` puts before it."""
    pids = {"APIServer": 4000, "EngineCore": 4100, "Worker": 4200}
    second = begun_ns // _S

    def said(after_s: float, who: str, text: str, *, level: str = "INFO") -> str:
        at_ns = begun_ns + round(after_s * _S)
        of_day = at_ns // _S % 86400
        clock = f"{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}"
        place = f"(file_{len(text) % 40}.py:{100 + len(text)})".strip("()")
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
        at_ns = begun_ns + round((spawned + (weights - spawned) * done / 101) * _S)
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
        yield _stamped(begun_ns + round((served - 0.05) * _S), f"INFO:     {text}", stream="stderr")
    for n in range(6):
        request = f'INFO:     127.0.0.1:{50000 + n} - "POST /v1/completions HTTP/1.1" 200 OK'
        yield _stamped(begun_ns + round((served + n / 10) * _S), request)
    for n in range(40):
        at_ns = begun_ns + round((served + 2) * _S)
        yield _stamped(at_ns, f' - left over: function "create_thing_{n}"', stream="stderr")


def _stamped(at_ns: int, text: str, *, stream: str = "stdout") -> str:
    whole, below = divmod(at_ns, _S)
    days, of_day = divmod(whole, 86400)
    # 1 September 2026 is day 20697; a run is shorter than the month.
    clock = f"{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}.{below:09}"
    return f"2026-09-{days - 20697 + 1:02}T{clock}Z {stream} F {text}\n"


def _probes(
    chance: random.Random, order: int, lengths: _Lengths, *, hit: bool
) -> Iterator[tuple[str, str]]:
    """A file a process: who it is, its imports inside one another, spans, counters."""
    origin = order * _ROUND_NS
    begins = {"serve": 0.0, "engine core": lengths.imports, "worker": lengths.until("imports") + 1}
    for number, (what, records) in enumerate(_PROCESSES):
        pid = 4000 + 100 * number
        parent = {"serve": 3999, "engine core": 4000}.get(what, 4100 if what == "worker" else 4200)
        start = origin + round(begins.get(what, lengths.until("weights")) * _S)
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
            end = origin + round(lengths.until("compiled") * _S)
            compile_ = {"k": "span", "g": "compile", "n": "dynamo:compile", "s": at, "e": end}
            lines.append(compile_ | {"e": max(end, at + 1)})
            lines.append({"k": "counters", "when": "warmed up", "t": end, "v": {key: 1}})
        lines.append({"k": "exit", "t": at + 40 * _S})
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


def _marks(begun_ns: int, lengths: _Lengths) -> Mapping[str, object]:
    ready = begun_ns + round(lengths.until("served") * _S)
    moments = {
        "process_started": begun_ns,
        "port_open": ready - _S // 20,
        "health_200": ready,
        "first_token": ready + _S // 25,
    }
    return {
        "schema": "firstlight.marks/1",
        "marks": [
            {"kind": kind, "at_ns": at, "resolution_ns": 1_000_000, "words": f"seen: {kind}"}
            for kind, at in moments.items()
        ],
    }


def _listing(cache: Path, files: int) -> Mapping[str, object]:
    listed = [
        {"path": f"torch_compile_cache/{n:03x}/artifact_{n}.so", "bytes": 1000 + n, "mtime_ns": n}
        for n in range(files)
    ]
    root = {"root": str(cache), "exists": bool(files), "complete": True, "files": listed}
    return {"schema": "firstlight.listing/1", "roots": [root]}


def _served(chance: random.Random) -> Mapping[str, object]:
    prompts = ("The capital of France is", "Write one sentence about the sea.", "One, two,")
    requests = [
        {
            "prompt": prompt,
            "ttft_ns": chance.randrange(20, 40) * 1_000_000,
            "e2e_ns": chance.randrange(250, 400) * 1_000_000,
            "text": "word " * 32,
            "tokens": [str(300 + n) for n in range(32)],
            "problem": None,
        }
        for prompt in prompts
    ]
    return {"schema": "firstlight.serving/1", "tokens": 32, "requests": requests}


def _record(
    label: str, number: int, order: int, lengths: _Lengths, environment: Mapping[str, str]
) -> Mapping[str, object]:
    begun_ns = _BEGAN_NS + order * _ROUND_NS
    ready = round(lengths.until("served") * _S)
    return {
        "schema": "firstlight.round/1",
        "label": label,
        "index": number,
        "command": ["vllm", "serve", "org/m", "--port", "8000"],
        "url": "http://127.0.0.1:8000",
        "model": "org/m",
        "anchor": {"unix_ns": begun_ns, "monotonic_ns": order * _ROUND_NS},
        "probe": True,
        "outcome": "ready",
        "exit_code": None,
        "started_ns": begun_ns,
        "ready_ns": ready,
        "first_token_ns": ready + _S // 25,
        "timeout_ns": 900 * _S,
        "problem": None,
        "notes": [],
        "stop": None,
        "last_lines": [f' - left over: function "create_thing_{n}"' for n in range(20, 40)],
        "fingerprint": {
            "host": {
                "host": "0123456789abcdef",
                "kernel": "6.1.0",
                "machine": "x86_64",
                "cpu_model": "a processor",
                "cpu_count": 2,
                "cpus_allowed": 2,
                "memory_bytes": 32 * 2**30,
            },
            "environment": dict(sorted(environment.items())),
            "conditions": {"load_average": [0.1, 0.2, 0.3], "page_cache": "left as it was"},
            "engine_version": None,
        },
    }


def _json(path: Path, value: Mapping[str, object] | Sequence[object]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")
