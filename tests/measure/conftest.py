"""A fake engine for each test, and the real edges to measure it with."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from firstlight.edges.cache_listing import list_caches
from firstlight.edges.clock import SystemClock
from firstlight.edges.engine_process import EngineProcess
from firstlight.edges.host_facts import HostFacts
from firstlight.edges.http_polls import HttpPolls
from firstlight.edges.run_store import RunStore
from firstlight.measure.order import Order
from firstlight.measure.ports import Instruments
from firstlight.measure.round import RoundResult, measure_round
from tests.fakes.processes import FakeEngine, a_fake_engine

_MS = 1_000_000


@pytest.fixture
def fake() -> Iterator[FakeEngine]:
    """Ends in a search for processes left behind."""
    with a_fake_engine() as engine:
        yield engine


@dataclass(kw_only=True)
class Bench:
    """Measures commands with little patience, in a home of its own."""

    home: Path
    said: list[str] = field(default_factory=list)

    @property
    def out(self) -> Path:
        return self.home / "runs"

    @property
    def instruments(self) -> Instruments:
        return Instruments(
            clock=SystemClock(),
            start_engine=EngineProcess.start,
            server=HttpPolls(),
            list_caches=list_caches,
            host=HostFacts(),
            store=RunStore(self.out),
            progress=self.said.append,
        )

    def order(self, command: Sequence[str], **changed: Any) -> Order:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            **changed.pop("env", {}),
        }
        order = Order(
            command=tuple(command),
            environment=environment,
            label="plain",
            home=str(self.home),
            user="u",
            timeout_ns=5000 * _MS,
            poll_every_ns=10 * _MS,
            grace_ns=2000 * _MS,
            elsewhere_ns=100 * _MS,
        )
        return replace(order, **changed)

    def measured(self, command: Sequence[str], **changed: Any) -> RoundResult:
        """One round of a command."""
        return measure_round(self.order(command, **changed), self.instruments)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """With nothing measured yet."""
    return Bench(home=tmp_path)


def record(result: RoundResult) -> dict[str, Any]:
    """round.json of a round."""
    found: dict[str, Any] = json.loads((Path(result.folder) / "round.json").read_text())
    return found
