"""What measured.json tells of a round of a plan: whether it is one, and why it failed."""

import json
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.wiring.experimenting.pod_back import cause, measured_in, read_back_pod

READY = {
    "schema": "firstlight.measured/1",
    "outcome": "ready",
    "scenario": "warm",
    "anchor": {"unix_ns": 5, "monotonic_ns": 1},
    "node": "a",
}


def written(folder: Path, **changed: object) -> Path:
    (folder / "measured.json").write_text(json.dumps({**READY, **changed}))
    return folder


def test_a_round_without_it_was_not_finished(tmp_path: Path) -> None:
    assert measured_in(tmp_path) is None


@pytest.mark.parametrize("changed", [{"schema": "x/1"}, {"anchor": None}, {"outcome": 7}])
def test_one_that_does_not_say_how_it_went_is_damaged(tmp_path: Path, changed: object) -> None:
    """What is missing is not guessed."""
    assert isinstance(changed, dict)
    with pytest.raises(BadInput, match=r"measured\.json is damaged"):
        measured_in(written(tmp_path, **changed))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, None),
        ({"problem": {"message": "it died", "remedy": "see"}, "scenario": None}, "it died"),
        ({"outcome": "timeout"}, "it ended as timeout"),
        ({"scenario": None, "not_as_asked": "not warm: b"}, "not warm: b"),
        ({"scenario": None, "notes": ["not so fast"]}, "it was another scenario"),
    ],
)
def test_why_it_failed(tmp_path: Path, changed: dict[str, object], expected: str | None) -> None:
    """Notes are for readers: nothing is concluded from how one begins."""
    measured = measured_in(written(tmp_path, **changed))

    assert measured is not None
    assert expected == cause(measured)


def test_a_pod_that_gave_no_token_did_not_answer(tmp_path: Path) -> None:
    """Nobody asked it more, and that it was silent is not forgotten."""
    slot = Slot(step=0, scenario="warm", purpose=Purpose.RESULT, number=1)
    run = RunFolder(path=tmp_path)

    silent = {"first_token_problem": "answered 500"}
    back = read_back_pod(run, written(tmp_path, **silent), slot)

    assert back.served is not None
    assert "no first token: answered 500" == back.served.problem
    assert read_back_pod(run, written(tmp_path), slot).served is None
