"""
Joining `measure` to the instruments of this host.
"""

import getpass
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.starts import Start
from firstlight.edges.cache_listing import list_caches
from firstlight.edges.clock import SystemClock
from firstlight.edges.engine_process import EngineProcess
from firstlight.edges.host_facts import HostFacts
from firstlight.edges.http_polls import HttpPolls
from firstlight.edges.interrupts import Interrupts
from firstlight.edges.run_store import RunStore
from firstlight.measure.order import FIRST_TOKEN_NS, AfterAnswer, Order
from firstlight.measure.ports import Instruments, Progress
from firstlight.measure.round import RoundResult, measure_round
from firstlight.probe.environment import with_probe
from firstlight.wiring.explaining import explain_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRound:
    """A round that was carried out, and what explains it."""

    result: RoundResult
    start: Start


def measure_once(
    command: Sequence[str],
    *,
    into: Path,
    label: str,
    progress: Progress,
    environment: Mapping[str, str] | None = None,
    url: str | None = None,
    probe: bool = True,
    timeout_ns: int | None = None,
    grace_ns: int | None = None,
    after_answer: AfterAnswer | None = None,
    page_cache: str | None = None,
) -> MeasuredRound:
    """Start the command once, watch it, stop it, record and explain it.

    Args:
        command: the engine's command line.
        into: the folder that run folders go to.
        label: the run folder's name.
        progress: told what is waited for.
        environment: the engine's; this process's own where None.
        url: where the server will be; read from the command where None.
        probe: whether the engine carries the probe.
        timeout_ns: from the start to an answer; the default of `Order` where None.
        grace_ns: from SIGTERM to SIGKILL; the default of `Order` where None.
        after_answer: asks the engine more, after its first token; None to stop it then.
        page_cache: what was done to the page cache before; None where nobody touched it.

    Raises:
        BadInput: the order makes no sense.
        OutsideFailed: the round's folder cannot be written.
    """
    limits = {"timeout_ns": timeout_ns, "grace_ns": grace_ns}
    if timeout_ns is not None:
        limits["first_token_timeout_ns"] = min(timeout_ns, FIRST_TOKEN_NS)
    order = Order(
        command=tuple(command),
        environment=dict(os.environ if environment is None else environment),
        label=label,
        home=str(Path.home()),
        user=getpass.getuser(),
        url=url,
        add_probe=with_probe if probe else None,
        after_answer=after_answer,
        **{name: limit for name, limit in limits.items() if limit is not None},
    )
    instruments = Instruments(
        clock=SystemClock(),
        start_engine=EngineProcess.start,
        server=HttpPolls(),
        list_caches=list_caches,
        host=HostFacts(page_cache=page_cache),
        store=RunStore(into),
        progress=progress,
    )
    with Interrupts().raising():
        result = measure_round(order, instruments)
    return MeasuredRound(result=result, start=explain_folder(Path(result.folder)))
