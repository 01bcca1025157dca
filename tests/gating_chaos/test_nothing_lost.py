"""Whatever happens to engine, clients and gateway: no request is lost, none is answered twice."""

import asyncio
from pathlib import Path

import pytest

from tests.gating_chaos.plan import LONG, SHORT, Form, cycles
from tests.gating_chaos.run import BOUND_S, running

SEED = 8


@pytest.mark.parametrize(
    ("form", "least"),
    [
        # Half a minute on two cores that others use too.
        pytest.param(SHORT, 20, id="short", marks=pytest.mark.timeout(90)),
        pytest.param(LONG, 200, id="long", marks=[pytest.mark.slow, pytest.mark.timeout(1_800)]),
    ],
)
def test_every_request_ends_and_as_it_may(tmp_path: Path, form: Form, least: int) -> None:
    """Those that no fault touched with their right answers; and the count is exact."""
    asyncio.run(_nothing_is_lost(tmp_path, form, least))


async def _nothing_is_lost(folder: Path, form: Form, least: int) -> None:
    kinds = set()
    async with running(folder) as run:
        for cycle in cycles(SEED, form):
            since = len(run.book.entries)
            await run.carry_out(cycle)
            kinds.add(cycle.kind)
            assert [] == run.book.wrongs(run.engine.received, since=since)[:5], (
                f"seed {SEED}, cycle {cycle.number}: {cycle.kind}"
            )
        await run.until(lambda: run.engine.says_it_sleeps, "asleep")
        state, (_, numbers) = await run.gate.state(), await run.gate.ask("/metrics")
        surplus = await run.book.askers.surplus()
        events, entries = run.gate.events(), run.book.entries
        print(f"seed {SEED}: {run.told()}")  # noqa: T201 - shown where somebody asks for it

        assert form.requests == len(entries) == run.book.counted().total()
        assert form.requests == len({entry.wanted.name for entry in entries})
        assert form.requests == 2 * sum(entry.wanted.stream for entry in entries)
        assert [] == run.book.wrongs(run.engine.received)
        assert max(entry.took_s for entry in entries) <= BOUND_S
        assert (b"", []) == (surplus, run.problems)
        assert (0, 0) == (state["in_flight"], state["waiting"])
        assert "\nfirstlight_gate_waiting_bytes 0.0\n" in numbers
        assert not +run.engine.working_on
        assert min(events["woke"], events["slept"]) >= least
        assert "library" not in events, run.gate.log()
        assert len(kinds) > len(form.faults)
