"""
A run of an experiment with as many rounds as one likes, made without starting an engine.

Each round has what a measured one has, and as much of it: log and probe records (`made_start`),
listings of sixty files, marks, answers. What is read out of them differs from round to round as
measured starts do, by a few percent, with some far out. The same seed makes the same run.
"""

import json
import random
from collections.abc import Mapping
from pathlib import Path

from made_start import NS_PER_S, Lengths, log_lines, probe_files, some_lengths

from firstlight.experiment.ledger import PlanEntry, RoundEntry, line
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.settings import in_layers
from firstlight.wiring.experimenting.opening import Prepared, prepared

_BEGAN_NS = 1_790_000_000 * NS_PER_S
_ROUND_NS = 60 * NS_PER_S
_FAR_OUT_EVERY = 97
_STEPS: tuple[tuple[str, str, list[str]], ...] = (
    ("placebo", "a variable that nothing reads", []),
    ("fewer-threads", "two threads instead of eight", ["process_init"]),
    ("small-pages", "another allocator", ["engine_init"]),
)


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
        substrate=plan.plan.substrate,
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
    lengths = some_lengths(chance, hit=hit, slow=order % _FAR_OUT_EVERY == _FAR_OUT_EVERY - 1)
    cache = run / "layers" / ("node/cache" if slot.step else "container") / "vllm"
    (folder / "engine.log").write_text(
        "".join(log_lines(chance, begun_ns, lengths, cache, hit=hit))
    )
    for name, text in probe_files(chance, order * _ROUND_NS, lengths, hit=hit):
        (folder / "probe" / name).write_text(text)
    _json(folder / "marks.json", _marks(begun_ns, lengths))
    for when in ("before", "after"):
        full = hit or when == "after"
        _json(folder / f"cache-{when}.json", _listing(cache, 60 if full else 0))
    _json(folder / "serving.json", _served(chance))
    layers = {name: str(run / "layers" / name) for name in ("container", "node")}
    environment = {n: in_layers(v, **layers) for n, v in step.process.environment.items()}
    _json(folder / "round.json", _record(slot.label(step), number, order, lengths, environment))
    return RoundEntry(
        slot=slot.id,
        attempt=1,
        folder=str(folder.relative_to(run)),
        outcome="ready",
        cache="hit" if hit else "fill",
        begun_ns=begun_ns,
        ended_ns=begun_ns + round(lengths.until("served") * NS_PER_S) + 5 * NS_PER_S,
    )


def _marks(begun_ns: int, lengths: Lengths) -> Mapping[str, object]:
    ready = begun_ns + round(lengths.until("served") * NS_PER_S)
    moments = {
        "process_started": begun_ns,
        "port_open": ready - NS_PER_S // 20,
        "health_200": ready,
        "first_token": ready + NS_PER_S // 25,
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
    label: str, number: int, order: int, lengths: Lengths, environment: Mapping[str, str]
) -> Mapping[str, object]:
    begun_ns = _BEGAN_NS + order * _ROUND_NS
    ready = round(lengths.until("served") * NS_PER_S)
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
        "first_token_ns": ready + NS_PER_S // 25,
        "timeout_ns": 900 * NS_PER_S,
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


def _json(path: Path, value: Mapping[str, object]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")
