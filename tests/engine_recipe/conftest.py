"""What the tests of the recipe share."""

from pathlib import Path

import pytest

from .bench import ENGINE, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A home without any engine."""
    return Bench(folder=tmp_path)


@pytest.fixture(autouse=True)
def _recipe_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe is a folder beside its script, not an installed package."""
    monkeypatch.syspath_prepend(ENGINE)
