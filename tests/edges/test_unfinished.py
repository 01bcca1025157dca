"""What a killed run leaves beside the places that it was writing to."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.edges.bundle_folder import new_bundle
from firstlight.edges.unfinished import unfinished
from firstlight.edges.written_folder import write_folder

pytestmark = pytest.mark.timeout(30)

MARK = "# ours"
FILES = {"a.yaml": f"{MARK}\n1\n", "sub/b.yaml": f"{MARK}\n2\n", "sub/c.yaml": f"{MARK}\n3\n"}
KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from firstlight.edges.written_folder import write_folder

replace = Path.replace

def killed_at_b(self, target):
    if Path(target).name == "b.yaml":
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)

Path.replace = killed_at_b
write_folder(Path(sys.argv[1]), {"a.yaml": "# ours\\n", "sub/b.yaml": "# ours\\n"}, mark="# ours")
"""
KILLED_IN_A_BUNDLE = """
import os, signal, sys
from pathlib import Path
from firstlight.edges.bundle_folder import new_bundle

with new_bundle(Path(sys.argv[1])) as bundle:
    bundle.write("pods/a.json", {})
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(script: str, place: Path) -> None:
    done = subprocess.run([sys.executable, "-c", script, place], check=False)
    assert -signal.SIGKILL == done.returncode


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".*")]


def test_a_folder_is_written_whole_after_a_kill(tmp_path: Path) -> None:
    """And nothing hidden is left in it."""
    killed(KILLED_WHILE_WRITING, tmp_path)
    (left,) = hidden(tmp_path)
    assert left.startswith(".b.yaml.unfinished-")

    assert () == write_folder(tmp_path, {"a.yaml": FILES["a.yaml"]}, mark=MARK)

    assert [] == hidden(tmp_path)


@pytest.mark.parametrize("name", ["bundle", "bundle.tar.gz"])
def test_a_bundle_is_made_after_a_kill(tmp_path: Path, name: str) -> None:
    """What the killed one had of it goes, whether a folder or an archive is asked for."""
    place = tmp_path / name
    killed(KILLED_IN_A_BUNDLE, place)
    assert 1 == len([one for one in tmp_path.iterdir() if ".unfinished-" in one.name])

    with new_bundle(place) as bundle:
        bundle.write("pods/b.json", {})

    assert [name] == [one.name for one in tmp_path.iterdir()]


def test_what_another_run_is_writing_stays(tmp_path: Path) -> None:
    """As do files whose names only look alike; what has our own number is of one before us."""
    living = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        theirs = [f".a.yaml.unfinished-{living.pid}", ".a.yaml.unfinished-x", "a.unfinished-1"]
        for name in (*theirs, unfinished(tmp_path / "b.yaml").name):
            (tmp_path / name).write_text("half")

        write_folder(tmp_path, FILES, mark=MARK)

        assert {*theirs, "a.yaml", "sub"} == {one.name for one in tmp_path.iterdir()}
    finally:
        living.kill()
        living.communicate()
    assert str(os.getpid()) in unfinished(tmp_path / "x").name
