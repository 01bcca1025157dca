"""A fake engine for each test that runs a plan, and what comes of a run that nobody disturbs."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.experiment.lab import CACHE, Lab, a_lab


@dataclass(frozen=True, slots=True, kw_only=True)
class Undisturbed:
    """A run of the module's `STEPS`, or of the compile cache alone."""

    ledger: list[dict[str, Any]]
    """Its lines without times and places."""
    seconds: float


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """With nothing run in it yet."""
    with a_lab(tmp_path) as one:
        yield one


@pytest.fixture(scope="module")
def undisturbed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Undisturbed:
    """What whoever is killed, interrupted or out of room has to come to in the end."""
    steps = getattr(request.module, "STEPS", ({"technique": CACHE},))
    with a_lab(tmp_path_factory.mktemp("undisturbed")) as one:
        began = time.monotonic()
        done = one.say("run", one.plan(steps=steps), "--into", one.run, "--yes")
        seconds = time.monotonic() - began
        assert 0 == done.returncode, done.stderr
        return Undisturbed(ledger=one.placeless(), seconds=seconds)
