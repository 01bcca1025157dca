"""How an engine's processes were born, by the probe's records."""

import json

from firstlight.core.signs import Sign
from firstlight.explain.probe_signs import probe_signs
from firstlight.readers.probe_events import read_probe


def process(pid: int, ppid: int, name: str, *, forked: bool, program: str = "") -> str:
    opening = {
        "k": "process",
        "pid": pid,
        "ppid": ppid,
        "start_ns": pid * 10,
        "at_ns": pid * 10 + 5,
        "forked": forked,
        "program": program,
    }
    return "\n".join(json.dumps(r) for r in (opening, {"k": "name", "n": name, "t": pid * 10 + 6}))


def signs(*, core: bool, worker: bool) -> dict[Sign, list[str]]:
    files = {
        "1-1.jsonl": process(1, 0, "APIServer", forked=False, program="vllm serve"),
        "2-2.jsonl": process(2, 1, "EngineCore", forked=core),
        "3-3.jsonl": process(3, 2, "VllmWorker-0", forked=worker),
    }
    found = probe_signs(read_probe(files, offset_ns=0).processes)
    return {sign: [e.text for e in evidence] for sign, evidence in found.items()}


def test_copies_of_their_parent_are_forked() -> None:
    """Every process below the front end, each with its record."""
    assert {Sign.WORKER_FORKED: ["engine core 2: forked", "worker 3: forked"]} == signs(
        core=True, worker=True
    )


def test_one_interpreter_of_its_own_is_spawned() -> None:
    """The front end is a new interpreter always; a worker or an engine core need not be."""
    assert {Sign.WORKER_SPAWNED: ["worker 3: a new interpreter"]} == signs(core=True, worker=False)


def test_without_records_nothing_is_shown() -> None:
    """No probe, no sign."""
    assert {} == probe_signs(read_probe({}, offset_ns=0).processes)
