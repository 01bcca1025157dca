import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.ledger_file import LedgerFile, locked

pytestmark = pytest.mark.timeout(20)


def test_lines_come_one_after_the_other(tmp_path: Path) -> None:
    """Each is there when the call is over."""
    file = LedgerFile(tmp_path)
    assert file.read() is None

    for line in (b"one\n", b"two\n"):
        file.append_bytes(line)

    assert b"one\ntwo\n" == file.read()


def test_what_a_kill_left_is_cut_off(tmp_path: Path) -> None:
    """And the next line begins where it should."""
    file = LedgerFile(tmp_path)
    file.append_bytes(b"one\ntw")

    file.cut(4)
    file.append_bytes(b"two\n")

    assert b"one\ntwo\n" == file.read()


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before is whole, and it is said what to do."""
    file = LedgerFile(tmp_path)
    file.append_bytes(b"one\n")
    write = os.write

    def full(to: int, data: bytes) -> int:
        if len(data) > 3:
            return write(to, data[:3])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OutsideFailed, match="No space left on device") as error:
        file.append_bytes(b"three\n")

    assert "make room there, or name a folder with more" == error.value.remedy
    assert b"one\n" == file.read()


def test_one_at_a_time(tmp_path: Path) -> None:
    """Whoever comes second is told who is there, and gets in once that one is gone."""
    code = (
        "import sys, time; from pathlib import Path; "
        "from firstlight.edges.ledger_file import locked\n"
        f"with locked(Path({str(tmp_path)!r})): print('in', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert b"in\n" == other.stdout.readline()
        with (
            pytest.raises(BadInput, match=f"in use by another.*process {other.pid}"),
            locked(tmp_path),
        ):
            pass
        other.kill()

    with locked(tmp_path):
        assert str(os.getpid()) == (tmp_path / ".lock").read_text()
