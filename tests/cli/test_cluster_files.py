"""`explain` of what people save from a cluster, by hand."""

import json
import tarfile
from pathlib import Path

import pytest

from tests.cli.console import explained, firstlight, said
from tests.explain.pod.cluster import arrival, engine_log, pod, scheduled

pytestmark = pytest.mark.timeout(30)

CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"
ENGINE = engine_log(4, load=8, weights=12, ready=20, up=28)
QUOTED = "echo 'INFO 09-01 00:00:09 [core.py:1] init engine (profile) took 3.0 s'; vllm serve m"


def saved(folder: Path) -> Path:
    """A pod whose command quotes a log, its events, and its log, with names of one's own."""
    folder.mkdir(exist_ok=True)
    objects = [pod(started=3, ready=30, container={"command": ["sh", "-c", QUOTED]})]
    events = [scheduled(1), *arrival(None, 2, 2.5, 3)]
    for name, items in (("p.json", objects), ("e.json", events)):
        (folder / name).write_text(json.dumps({"kind": "List", "items": items}))
    (folder / "engine.txt").write_text(ENGINE)
    return folder


def test_files_that_belong_together_are_one_start(tmp_path: Path) -> None:
    """Given one by one or as their folder; words inside an object are no log."""
    folder = saved(tmp_path)
    (whole,) = explained(folder)["starts"]
    (named,) = explained(*sorted(folder.iterdir()))["starts"]

    assert "demo/vllm-0 [vllm]" == whole["source"]
    assert 30.0 == whole["total_s"] == named["total_s"]
    assert [p["seconds"] for p in whole["phases"]] == [p["seconds"] for p in named["phases"]]


def test_two_folders_are_two_starts() -> None:
    """Their pods, nodes and events have the same names: neither start borrows of the other."""
    cold, warm = (CASE / name for name in ("cold-baseline", "cold-all"))

    both = explained(cold, warm)["starts"]

    assert [explained(cold)["starts"], explained(warm)["starts"]] == [both[:1], both[1:]]


def test_files_beside_one_folder_complete_it(tmp_path: Path) -> None:
    """A log that was saved elsewhere belongs to the pod in the folder."""
    folder = saved(tmp_path / "objects")
    log = (folder / "engine.txt").rename(tmp_path / "engine.txt")

    (start,) = explained(folder, log)["starts"]

    assert ["demo/vllm-0 [vllm]", 30.0] == [start["source"], start["total_s"]]


def test_archives_are_told_apart_like_folders(tmp_path: Path) -> None:
    """Two of them, packed from plain folders, with the same names inside."""
    packed = []
    for name in ("cold-baseline", "cold-all"):
        path = tmp_path / f"{name}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            archive.add(CASE / name, arcname="start")
        packed.append(path)

    starts = explained(*packed)["starts"]

    assert [explained(CASE / n)["starts"][0]["total_s"] for n in ("cold-baseline", "cold-all")] == [
        start["total_s"] for start in starts
    ]


def test_a_workload_needs_a_cluster_and_says_so(tmp_path: Path) -> None:
    """One sentence, one remedy, and no traceback."""
    done = firstlight("explain", "deployment/vllm", "--kubeconfig", tmp_path / "none")

    assert 2 == done.returncode
    assert 2 == len(said(done).strip().splitlines())


@pytest.mark.parametrize("moment", ["yesterday", "2026-11-29T10:00:00"])
def test_a_time_of_capture_is_a_time_with_a_zone(tmp_path: Path, moment: str) -> None:
    """Another would be somebody's guess."""
    done = firstlight("explain", saved(tmp_path), "--captured-at", moment)

    assert 2 == done.returncode
    assert b"--captured-at" in done.stderr


def test_each_round_of_a_series_is_explained_by_itself(tmp_path: Path) -> None:
    """Two bundles of one workload in a folder: their pods and notes are not one heap."""
    for number, scenario in ((1, "cold"), (2, "warm")):
        folder = tmp_path / "label" / f"round-0{number}"
        (folder / "logs" / "vllm-0").mkdir(parents=True)
        saved(folder)
        (folder / "engine.txt").rename(folder / "logs" / "vllm-0" / "vllm.log")
        record = {
            "schema": "firstlight.measured/1",
            "pod": "vllm-0",
            "scenario": scenario,
            "first_token_ns": number * 1_000_000_000,
            "notes": [f"note {number}"],
        }
        (folder / "measured.json").write_text(json.dumps(record))

    starts = explained(tmp_path / "label")["starts"]

    assert [["cold", 30.0, 1.0, ["note 1"]], ["warm", 30.0, 2.0, ["note 2"]]] == [
        [s["scenario"], s["total_s"], s["first_token_s"], s["notes"]] for s in starts
    ]


def test_a_record_of_a_newer_firstlight_is_refused(tmp_path: Path) -> None:
    """Reading half of it would be worse."""
    (saved(tmp_path) / "bundle.json").write_text('{"schema": "firstlight.bundle/9"}')

    done = firstlight("explain", tmp_path)

    assert 2 == done.returncode
    assert "newer" in said(done)
