"""Which clusters are up, and taking down those whose owner is gone."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from onenode.cluster import wipe
from onenode.failures import ClusterFailed
from onenode.leftovers import sweep, take_down
from onenode.processes import Process
from onenode.register import Entry, entries, id_of

from .conftest import ROOT

pytestmark = pytest.mark.timeout(20)

OWNER = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from onenode.register import Entry
entry = Entry.make(Path(sys.argv[2]), kind="control-plane", owned=True)
# `etcd` is written down; the other is what a process started a moment before a kill looks like.
process = entry.processes.start("etcd", ["sleep", "60"])
lost = entry.processes.start("lost", ["sleep", "60"])
(entry.folder / "processes/lost.json").unlink()
print(process.pid, lost.pid, flush=True)
sys.stdin.read()
"""


def owned_elsewhere(state: Path) -> "tuple[subprocess.Popen[str], list[Process]]":
    """A cluster of two sleeping processes, whose owner waits."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(ROOT / "cluster"), str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    found = [Process.of(int(pid)) for pid in owner.stdout.readline().split()]
    return owner, [process for process in found if process is not None]


def test_what_a_killed_owner_left_is_taken_down(tmp_path: Path) -> None:
    """Every process, whether it was written down or not; the entry goes last."""
    state = tmp_path / "state"
    owner, left = owned_elsewhere(state)
    with owner:
        assert [] == sweep()
        owner.send_signal(signal.SIGKILL)

    assert 2 == len(left)
    assert [id_of(state)] == sweep()

    assert [False, False] == [process.runs() for process in left]
    assert [] == list(entries())


def test_what_was_brought_up_by_hand_stays(tmp_path: Path) -> None:
    """It has no owner to outlive."""
    entry = Entry.make(tmp_path / "state", kind="control-plane", owned=False)
    process = entry.processes.start("etcd", ["sleep", "60"])

    assert [] == sweep()
    assert process.runs()

    take_down(entry)
    assert not process.runs()


def test_an_entry_says_where_and_whose(tmp_path: Path) -> None:
    """To anybody who looks, by the place of its files."""
    made = Entry.make(tmp_path / "state", kind="node", owned=True)

    assert made == Entry.of(tmp_path / "state")
    assert [made] == list(entries())
    assert Process.me() == made.owner
    assert not made.abandoned
    assert Entry.of(tmp_path / "other") is None


def test_a_half_written_entry_is_nothing(tmp_path: Path) -> None:
    """Its writer was killed before its first process started."""
    entry = Entry.make(tmp_path / "state", kind="node", owned=True)
    (entry.folder / "cluster.json").write_text('{"state"')

    assert [] == list(entries())
    assert Entry.of(tmp_path / "state") is None


def test_a_folder_with_somebodys_files_is_not_emptied(tmp_path: Path) -> None:
    """One that a cluster lay in is, and one that is empty is taken."""
    (tmp_path / "letter").touch()

    with pytest.raises(ClusterFailed) as refused:
        wipe(tmp_path)

    assert (tmp_path / "letter").exists()
    assert "no cluster put there" in refused.value.message
    state = tmp_path / "state"
    wipe(state)
    (state / "old").touch()
    wipe(state)
    assert not (state / "old").exists()
