"""What these tests share: the two folders that are scripts' own, on the path."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in ("engine", "cluster"):
    sys.path.insert(0, str(ROOT / folder))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A register and a cache of this test's own."""
    folder = tmp_path / "home"
    monkeypatch.setenv("FIRSTLIGHT_CLUSTER_HOME", str(folder))
    return folder
