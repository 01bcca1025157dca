"""The fingerprint of a start, from folders as they lie on disk."""

import json
from pathlib import Path
from typing import Any

from firstlight.wiring.explaining import explain_inputs, own_folders

LOG = (
    "(APIServer pid=1) INFO 03-04 10:00:01 [a.py:1] vLLM API server version 0.32.0\n"
    "(EngineCore pid=2) INFO 03-04 10:00:09 [a.py:1] init engine (profile, create kv cache) took "
    "3.00 s\n"
)


def round_in(folder: Path, **told: Any) -> Path:
    """A finished round without marks."""
    folder.mkdir(parents=True)
    (folder / "engine.log").write_text(LOG)
    record = {
        "schema": "firstlight.round/1",
        "label": folder.parent.name,
        "index": 1,
        "command": ["vllm", "serve", "m", "--port", "8000"],
        "anchor": {"unix_ns": 1_772_600_000_000_000_000, "monotonic_ns": 0},
        "probe": False,
        "outcome": "ready",
        "fingerprint": told,
    }
    (folder / "round.json").write_text(json.dumps(record))
    return folder


def test_a_rounds_record_and_its_log_are_put_together(tmp_path: Path) -> None:
    """The host is in the one, the version in the other."""
    folder = round_in(tmp_path / "a" / "round-01", host={"kernel": "6.1"})
    (start,) = explain_inputs([str(folder)])

    assert {
        "engine version": "0.32.0",
        "model": "m",
        "command": "vllm serve",
        "kernel": "6.1",
        "probe": "off",
    } == start.fingerprint.values


def test_folders_of_a_run_are_told_from_others(tmp_path: Path) -> None:
    """What lies in an experiment's folder is the run's own; what lies beside it is not."""
    run = tmp_path / "run"
    environment = {
        "VLLM_CACHE_ROOT": str(run / "layers" / "7" / "vllm"),
        "HF_HOME": str(tmp_path / "hf"),
        "TRITON_CACHE_DIR": str(run / "rounds" / "1-base" / "round-01" / "t"),
    }
    folder = round_in(run / "rounds" / "1-base" / "round-01", environment=environment)
    (start,) = explain_inputs([str(folder)])

    assert {
        "environment:VLLM_CACHE_ROOT": "RUN",
        "environment:HF_HOME": str(tmp_path / "hf"),
        "environment:TRITON_CACHE_DIR": "RUN",
    } == {n: v for n, v in start.fingerprint.values.items() if n.startswith("environment:")}


def test_what_lies_beside_the_labels_of_a_run_is_its_own(tmp_path: Path) -> None:
    """Caches that are made for these measurements, and nothing outside of them."""
    environment = {
        "VLLM_CACHE_ROOT": str(tmp_path / "run" / "caches"),
        "HF_HOME": str(tmp_path / "hf"),
    }
    folder = round_in(tmp_path / "run" / "a" / "round-01", environment=environment)
    (start,) = explain_inputs([str(folder)])

    assert "RUN" == start.fingerprint.values["environment:VLLM_CACHE_ROOT"]
    assert str(tmp_path / "hf") == start.fingerprint.values["environment:HF_HOME"]


def test_a_folder_of_everybody_is_nobodys_run(tmp_path: Path) -> None:
    """Somebody may measure into their home, where everything is."""
    assert ("/home/me/a/round-01", "/home/me/a") == own_folders(Path("/home/me/a/round-01"))
    assert str(tmp_path) in own_folders(tmp_path / "a" / "round-01")
