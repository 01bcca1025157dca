"""The probe's records, out of a container."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.probe_records import ProbeRecords
from tests.edges.kube.server import SWITCHED, Answer, Script, scripted

pytestmark = pytest.mark.timeout(20)

WELL = b'\x03{"status": "Success"}'
ASKED: dict[str, Any] = {"namespace": "demo", "pod": "vllm-0", "container": "vllm"}


def fetched(tmp_path: Path, *printed: bytes, end: bytes = WELL) -> list[str]:
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (SWITCHED, iter([*(b"\x01" + one for one in printed), end]))
        return list(ProbeRecords(api).fetch(**ASKED, source="/records", folder=str(tmp_path)))


def line(name: object, data: bytes = b"x", *, whole: object = True) -> bytes:
    return json.dumps([name, whole, base64.b64encode(data).decode()]).encode() + b"\n"


def files(tmp_path: Path) -> dict[str, bytes]:
    folder = tmp_path / "vllm-0"
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def test_what_the_container_is_asked_is_answered_by_a_real_python(tmp_path: Path) -> None:
    """The lines that are sent are run here, over a folder with two records and something else."""
    source = tmp_path / "records"
    source.mkdir()
    (source / "1-2.jsonl").write_bytes(b'{"a": 1}\n')
    (source / "1-3.jsonl").write_bytes(os.urandom(3000))
    (source / "other").write_text("no record")

    def runs(script: Script) -> Answer:
        command = script.commands[-1]
        out = subprocess.run([sys.executable, *command[1:]], check=True, capture_output=True).stdout
        return SWITCHED, iter(
            [b"\x01" + out[at : at + 1000] for at in range(0, len(out), 1000)] + [WELL]
        )

    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: runs(script)
        notes = ProbeRecords(api).fetch(**ASKED, source=str(source), folder=str(tmp_path / "into"))

    assert [] == notes
    assert {path.name: path.read_bytes() for path in source.glob("*.jsonl")} == files(
        tmp_path / "into"
    )


def test_only_plain_names_are_written(tmp_path: Path) -> None:
    """A container may print what it likes."""
    names = ["../up.jsonl", "/etc/x.jsonl", ".hidden.jsonl", "a/b.jsonl", "x.txt", 7, "good.jsonl"]

    assert [] == fetched(tmp_path, *map(line, names))
    assert {"good.jsonl": b"x"} == files(tmp_path)
    assert {"vllm-0", "kubeconfig"} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("printed", "note"),
    [
        ([], "the probe wrote nothing into /records"),
        ([b"hello\n"], "printed something that is no record"),
        ([b"7\n"], "printed something that is no record"),
        ([b"[" * 60_000 + b"\n"], "printed something that is no record"),
        ([b'["a.jsonl", true, "?"]\n'], "printed something that is no record"),
        ([line("a.jsonl", whole=False)], "the probe's a.jsonl is not complete: 64 MiB"),
    ],
)
def test_why_not_all_of_it(tmp_path: Path, printed: list[bytes], note: str) -> None:
    """What is to be known is a note: the start was measured all the same."""
    (found,) = fetched(tmp_path, *printed)

    assert note in found


def test_a_container_without_python(tmp_path: Path) -> None:
    """Its words are the note."""
    end = (
        b'\x03{"status": "Failure", "message": "no python3", '
        b'"details": {"causes": [{"reason": "ExitCode", "message": "127"}]}}'
    )

    (note,) = fetched(tmp_path, end=end)

    assert note.endswith("could not be read in the container: no python3")


def test_one_who_may_not_run_anything(tmp_path: Path) -> None:
    """The right that it takes is named."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (403, iter([b'{"kind": "Status", "message": "you may not"}']))
        (note,) = ProbeRecords(api).fetch(**ASKED, source="/r", folder=str(tmp_path))

    assert "you may not; grant the verbs get and create on pods/exec" in note


def test_a_disk_that_cannot_be_written_is_no_note(tmp_path: Path) -> None:
    """It is the measuring machine's, and nothing else could be saved either."""
    (tmp_path / "vllm-0").write_text("a file in the way")

    with pytest.raises(OutsideFailed, match="cannot be written"):
        fetched(tmp_path, line("a.jsonl"))
