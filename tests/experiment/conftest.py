"""A fake engine for each test that runs a plan."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.experiment.lab import Lab, a_lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """With nothing run in it yet."""
    with a_lab(tmp_path) as one:
        yield one
