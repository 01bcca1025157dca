"""What the driver's program says, by one that has its faults."""

import time
from pathlib import Path

import pytest

from firstlight.edges import nvidia_smi
from firstlight.edges.nvidia_smi import compute_capability


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only one on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put(folder: Path, script: str) -> None:
    """A program in its place."""
    place = folder / "nvidia-smi"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 9.0", "9.0"),
        ("echo ' 12.0 '; echo 12.0", "12.0"),
        ("echo 9.0; echo 8.9", None),
        ("echo 9.0; echo; echo 9.0", None),
        ("echo 'No devices were found'", None),
        ("echo '[N/A]'", None),
        ("echo 9.0.1", None),
        ("printf '\\377\\376'", None),
        ("true", None),
        ("echo 9.0; exit 9", None),
        ("echo 9.0; kill -9 $$", None),
        ("echo Warning: old >&2; echo 9.0", "9.0"),
        ('[ "$*" = "--query-gpu=compute_cap --format=csv,noheader" ] && echo 9.0', "9.0"),
    ],
)
def test_only_one_answer_counts(folder: Path, script: str, told: str | None) -> None:
    """Of several cards that are alike it is one; whatever else it prints is none."""
    put(folder, script)

    assert told == compute_capability()


def test_without_it_nothing_is_known(folder: Path) -> None:
    """Nor with something that cannot be started."""
    assert compute_capability() is None
    put(folder, "echo 9.0")
    (folder / "nvidia-smi").chmod(0o644)
    assert compute_capability() is None
    (folder / "nvidia-smi").write_bytes(b"\x7fELF nothing")
    (folder / "nvidia-smi").chmod(0o755)
    assert compute_capability() is None


def test_one_that_hangs_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a card that fell off its bus."""
    monkeypatch.setattr(nvidia_smi, "_WITHIN_S", 0.2)
    put(folder, "echo 9.0; exec /bin/sleep 30")
    begun_s = time.monotonic()

    assert compute_capability() is None
    assert time.monotonic() - begun_s < 1.5
