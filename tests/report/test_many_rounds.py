"""A run of many rounds is told as one of few: by the same numbers, from the same artefacts."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstlight.wiring.experimenting import all_rounds
from firstlight.wiring.experimenting.all_rounds import all_read
from firstlight.wiring.experimenting.opening import stored
from firstlight.wiring.experimenting.run_document import run_document

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty-five rounds, as large as measured ones: enough for several processes."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from made_run import make_run  # noqa: PLC0415
    finally:
        sys.path.remove(str(BENCHMARKS))
    folder = tmp_path_factory.mktemp("many") / "run"
    assert 45 == make_run(folder, rounds_a_step=9)
    return folder


def rounds(document: dict[str, Any]) -> list[dict[str, Any]]:
    found = [step["scenarios"]["warm"]["rounds"] for step in document["steps"]]
    return [one for of_step in found for one in of_step]


def test_several_processes_read_what_one_reads(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same order, too."""
    monkeypatch.setattr(all_rounds, "_processors", lambda: 2)
    shared = run_document(run)
    monkeypatch.setattr(all_rounds, "_processors", lambda: 1)

    assert run_document(run) == shared


def test_the_round_in_the_middle_is_told_with_its_parts(run: Path) -> None:
    """One of each step; of the others how long each phase was, and nothing of what explains it."""
    told = rounds(run_document(run))

    whole = [one for one in told if one["parts_told"]]
    assert [0, 1, 2, 3, 4] == [int(one["slot"].split("/")[1]) for one in whole]
    assert all(any(phase["children"] for phase in one["phases"]) for one in whole)
    short = [phase for one in told if not one["parts_told"] for phase in one["phases"]]
    assert short
    assert not any("explained" in phase or phase["children"] for phase in short)


def test_a_claimed_part_is_read_in_every_round(run: Path) -> None:
    """A step may claim to move a part of a phase; then all rounds need it."""
    one = stored(run)
    step = replace(one.prepared.steps[3], claims=("process_init/worker: imports",))
    steps = (*one.prepared.steps[:3], step, *one.prepared.steps[4:])
    claimed = replace(one, prepared=replace(one.prepared, steps=steps))

    assert {True} == {r.parts for r in all_read(claimed).rounds}
    assert {True, False} == {r.parts for r in all_read(one).rounds}


def test_a_round_that_is_gone_is_left_out_and_said(run: Path) -> None:
    """Nothing is remembered of it from the time before."""
    before = run_document(run)
    folder = run / "rounds" / "02-placebo-warm" / "round-03"
    aside = folder.rename(run / "aside")
    try:
        after = run_document(run)
    finally:
        aside.rename(folder)

    assert len(rounds(before)) - 1 == len(rounds(after))
    assert any("round-03 is left out" in note for note in after["notes"])
