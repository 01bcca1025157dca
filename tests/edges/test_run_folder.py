"""The folder of a run: whose it is, what is kept in it, and what a kill left there."""

from pathlib import Path

import pytest

from firstlight.edges.run_folder import Moments, RunFolder

LEDGER, OBJECTS = "ledger.jsonl", b'{"items": []}\n'


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(path=tmp_path)


def names(run: RunFolder) -> set[str]:
    return {path.name for path in run.path.iterdir()}


@pytest.mark.parametrize(
    ("there", "foreign"),
    [
        ([], False),
        ([".lock", "plan.yaml"], False),
        ([".plan.yaml.unfinished", ".objects.json.unfinished-12"], False),
        (["notes.txt"], True),
        (["plan.yaml", "notes.txt"], True),
        (["notes.txt", LEDGER], False),
    ],
)
def test_it_is_foreign_where_something_else_lies_in_it(
    run: RunFolder, there: list[str], *, foreign: bool
) -> None:
    """What a run that was killed before its first line has left is nothing."""
    for name in there:
        (run.path / name).touch()

    assert foreign == run.is_foreign(LEDGER, objects=None)


def test_it_has_rounds_where_folders_of_them_lie_in_it(run: RunFolder) -> None:
    """Whatever a ledger says."""
    before = run.has_rounds()
    run.rounds.mkdir()
    empty = run.has_rounds()
    (run.rounds / "00-baseline-warm").mkdir()

    assert (False, False, True) == (before, empty, run.has_rounds())


@pytest.mark.parametrize(
    ("objects", "foreign"), [(OBJECTS, False), (b'{"items": [1]}\n', True), (None, True)]
)
def test_objects_are_ours_where_they_are_those_of_the_plan(
    run: RunFolder, objects: bytes | None, *, foreign: bool
) -> None:
    """Anybody's file may be called so."""
    run.objects.write_bytes(OBJECTS)

    assert foreign == run.is_foreign(LEDGER, objects=objects)


def test_what_is_kept_is_the_owners_and_halves_are_gone(run: RunFolder) -> None:
    """A plan may say what is nobody else's business."""
    for half in (".plan.yaml.unfinished", ".plan.yaml.unfinished-1", ".objects.json.unfinished-1"):
        (run.path / half).touch()

    run.keep(b"schema: x\n", OBJECTS)

    assert {"plan.yaml", "objects.json"} == names(run)
    assert (b"schema: x\n", OBJECTS) == (run.plan(), run.read(run.objects))
    assert {0o600} == {path.stat().st_mode & 0o777 for path in run.path.iterdir()}


def test_a_plan_of_a_process_has_no_objects(run: RunFolder) -> None:
    run.keep(b"schema: x\n", None)

    assert {"plan.yaml"} == names(run)


def test_one_that_was_measured_is_found_and_the_others_are_put_aside(run: RunFolder) -> None:
    """What the ledger has stays; of two that it has not, the second was never to be."""
    whole: dict[str, Moments] = {"round-01": (1, 2), "round-03": (5, 6), "round-04": (7, 8)}
    for number in range(1, 5):
        (run.rounds / "warm" / f"round-{number:02}").mkdir(parents=True)

    found = run.left_behind(
        "warm", frozenset({"rounds/warm/round-01"}), lambda folder: whole.get(folder.name)
    )

    third = run.rounds / "warm" / "round-03"
    assert (third, (5, 6)) == found
    assert (run.rounds / "warm" / "round-01", third) == run.tries("warm")
    assert {"warm-round-02", "warm-round-04"} == {
        path.name for path in (run.path / "interrupted").iterdir()
    }


def test_two_of_one_name_are_put_aside(run: RunFolder) -> None:
    """Nothing is lost: the second has another name there."""
    for _ in range(2):
        folder = run.rounds / "warm" / "round-01"
        folder.mkdir(parents=True)
        run.put_aside(folder)

    assert 2 == len(list((run.path / "interrupted").glob("warm-round-01*")))
    assert () == run.tries("warm")
    assert () == run.tries("never begun")
