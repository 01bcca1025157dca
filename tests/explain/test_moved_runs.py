"""A run folder that was moved or copied is still known as the run's own."""

import json
from pathlib import Path

from firstlight.core.starts import Start
from firstlight.wiring.explaining import explain_inputs


def round_of(run: Path, *, written_to: Path | None) -> Path:
    """A finished round whose caches lay in the folder that the run had then."""
    folder = run / "rounds" / "1-base" / "round-01"
    folder.mkdir(parents=True)
    (folder / "engine.log").write_text(
        "(APIServer pid=1) INFO 03-04 10:00:01 [a.py:1] vLLM API server version 0.32.0\n"
    )
    there = written_to or run
    record = {
        "schema": "firstlight.round/1",
        "label": "1-base",
        "index": 1,
        "command": ["vllm", "serve", f"{there}/m"],
        "anchor": {"unix_ns": 1_772_600_000_000_000_000, "monotonic_ns": 0},
        "probe": False,
        "outcome": "ready",
        "fingerprint": {"environment": {"VLLM_CACHE_ROOT": f"{there}/layers/node/vllm"}},
    }
    if written_to:
        record["folder"] = f"{written_to}/rounds/1-base/round-01"
    (folder / "round.json").write_text(json.dumps(record))
    return folder


def explained(folder: Path) -> Start:
    (start,) = explain_inputs([str(folder)])
    return start


def test_a_moved_run_is_like_the_one_that_stayed(tmp_path: Path) -> None:
    """Its record says where it was written."""
    moved = explained(round_of(tmp_path / "moved", written_to=Path("/srv/runs/first")))
    stayed = explained(round_of(tmp_path / "stayed", written_to=None))

    assert {} == moved.fingerprint.differences(stayed.fingerprint)
    told = moved.fingerprint.values
    assert ("RUN", "RUN/m") == (told["environment:VLLM_CACHE_ROOT"], told["model"])
