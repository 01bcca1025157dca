"""A disk that fills at any step of a run: it is said, nothing is lost, and the run goes on."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import SCRIPT
from tests.experiment.conftest import Undisturbed
from tests.experiment.lab import Lab, a_lab, placeless
from tests.experiment.small_disk import PAGE, PLENTY, SmallDisk, a_small_disk

pytestmark = pytest.mark.timeout(180)

ENGINE_FILLS = """
def fill(moment):
    if os.environ.get("FAKE_FILLS_AT") == moment and os.path.exists(os.environ["FAKE_FILLS"]):
        with suppress(OSError), open(os.environ["FAKE_FILLS"], "ab", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))


def say("""
MOMENTS = {
    "begin": "def main() -> None:\n",
    "asked": "        self.requests += 1\n",
    "ended": "signal.signal(signal.SIGTERM, lambda *_: os._exit(0))",
}
"""Where the engine fills the disk: before its first line, at a question, when it is to end."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with a_small_disk(tmp_path / "disk") as one:
        yield one


@pytest.fixture(scope="module")
def most_pages(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many pages a run takes that has room enough."""
    home = tmp_path_factory.mktemp("roomy")
    with a_lab(home) as lab, a_small_disk(home / "disk") as disk:
        done = disk.say("run", lab.plan(), "--into", disk.at / "run", "--yes")
        assert 0 == done.returncode, done.stderr
        return disk.used


def _ledger(disk: SmallDisk) -> list[dict[str, Any]]:
    return placeless(disk.seen / "run" / "ledger.jsonl")


def _is_told(done: subprocess.CompletedProcess[str]) -> bool:
    """One sentence and what to do, on a line each, after whatever was told of the rounds."""
    *_, sentence, remedy = done.stderr.splitlines()
    return (
        done.returncode == 3
        and sentence.startswith("firstlight: ")
        and sentence.endswith("No space left on device")
        and "make room there" in remedy
    )


def _begun(disk: SmallDisk) -> bool:
    """Whether the ledger has its first line."""
    file = disk.seen / "run" / "ledger.jsonl"
    return file.exists() and b"\n" in file.read_bytes()


def _goes_on(lab: Lab, disk: SmallDisk, plan: Path) -> list[dict[str, Any]]:
    """The ledger once there was room."""
    run = disk.at / "run"
    words = ("resume", run) if _begun(disk) else ("run", plan, "--into", run)
    done = disk.say(*words, "--yes")
    assert 0 == done.returncode, done.stderr
    assert [] == lab.engines()
    return _ledger(disk)


def _small_then_large(
    lab: Lab, disk: SmallDisk, pages: int, expected: list[dict[str, Any]]
) -> None:
    plan = lab.plan()
    disk.resize(pages)
    full = disk.say("run", plan, "--into", disk.at / "run", "--yes")

    assert _is_told(full), full.stderr
    if _begun(disk):
        assert f"`firstlight experiment resume {disk.at}/run` goes on" in full.stderr
        told = disk.say("report", disk.at / "run", "--output", "json")
        assert 0 == told.returncode, told.stderr
        assert expected[: len(_ledger(disk))] == _ledger(disk)
    disk.resize(PLENTY)
    assert expected == _goes_on(lab, disk, plan)


@pytest.mark.parametrize("pages", [1, 2, 11])
def test_a_small_disk_loses_nothing(
    lab: Lab, disk: SmallDisk, undisturbed: Undisturbed, pages: int
) -> None:
    """Full at the copy of the plan, at the ledger's first line, in the second round."""
    _small_then_large(lab, disk, pages, undisturbed.ledger)


@pytest.mark.slow
@pytest.mark.parametrize("share", [n / 24 for n in range(24)])
def test_a_disk_of_any_size_loses_nothing(
    lab: Lab, disk: SmallDisk, undisturbed: Undisturbed, most_pages: int, share: float
) -> None:
    """From a disk for the plan alone to one that lacks a page."""
    _small_then_large(lab, disk, round(1 + share * (most_pages - 2)), undisturbed.ledger)


@pytest.mark.parametrize(
    "moment",
    [
        "asked",
        pytest.param("begin", marks=pytest.mark.slow),
        pytest.param("ended", marks=pytest.mark.slow),
    ],
)
def test_a_disk_that_fills_in_a_round_loses_nothing(
    lab: Lab, disk: SmallDisk, undisturbed: Undisturbed, moment: str
) -> None:
    """At a line of the log, at what the engine served, at the marks."""
    at = MOMENTS[moment]
    call = f"fill({moment!r})"
    filling = {
        "begin": f"{at}    {call}\n",
        "asked": f"{at}        {call}\n",
        "ended": at.replace("os._exit(0)", f"({call}, os._exit(0))"),
    }
    lab.change(("def say(", ENGINE_FILLS.lstrip()), (at, filling[moment]))
    filler = disk.seen / "filler"
    filler.touch()
    plan = lab.plan(environment={"FAKE_FILLS": str(disk.at / "filler"), "FAKE_FILLS_AT": moment})

    full = disk.say("run", plan, "--into", disk.at / "run", "--yes")
    filler.unlink()

    assert _is_told(full), full.stderr
    assert undisturbed.ledger == _goes_on(lab, disk, plan)


def test_a_full_place_for_temporary_files_is_no_matter(
    lab: Lab, disk: SmallDisk, undisturbed: Undisturbed
) -> None:
    """A run keeps nothing outside its folder."""
    disk.resize(1)
    (disk.seen / "filler").write_bytes(b"x")
    tmp = {"TMPDIR": str(disk.at)}

    done = disk.say("run", lab.plan(), "--into", lab.run, "--yes", env=tmp)

    assert 0 == done.returncode, done.stderr
    assert undisturbed.ledger == lab.placeless()


def test_a_page_that_finds_no_room_is_said(lab: Lab, disk: SmallDisk) -> None:
    """Nothing half is left, the run is as it was, and the page is made once there is room."""
    done = disk.say("run", lab.plan(), "--into", disk.at / "run", "--yes")
    assert 0 == done.returncode, done.stderr
    run = disk.at / "run"
    before = sorted(path.name for path in (disk.seen / "run").iterdir())
    words = disk.within(SCRIPT, "report", run, "--to", run / "report.html")

    disk.resize(disk.used)
    full = subprocess.run(words, capture_output=True, text=True, check=False)
    after = sorted(path.name for path in (disk.seen / "run").iterdir())
    disk.resize(PLENTY)
    again = subprocess.run(words, capture_output=True, text=True, check=False)

    assert _is_told(full), full.stderr
    assert before == after
    assert 0 == again.returncode, again.stderr
    assert (disk.seen / "run" / "report.html").stat().st_size > PAGE
