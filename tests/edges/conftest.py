"""A fake engine for each test."""

from collections.abc import Iterator

import pytest

from tests.fakes.processes import FakeEngine, a_fake_engine


@pytest.fixture
def fake() -> Iterator[FakeEngine]:
    """Ends in a search for processes left behind."""
    with a_fake_engine() as engine:
        yield engine
