"""
What has to be so on this host before a plan's rounds begin, and what is left after them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.clock import SystemClock
from firstlight.edges.http_polls import HttpPolls
from firstlight.edges.interrupts import Interrupts
from firstlight.edges.layers import Layers
from firstlight.experiment.step import Step
from firstlight.measure.command import server_address
from firstlight.measure.failures import port_taken
from firstlight.wiring.experimenting.host_rounds import ProcessRounds
from firstlight.wiring.experimenting.opening import OpenRun

_PORT_WITHIN_NS = NS_PER_S
_ENGINE_GONE_WITHIN_S = 20.0


@contextmanager
def process_rounds(one: OpenRun) -> Iterator[ProcessRounds]:
    """
    Within, its rounds may be carried out, and being told to end raises.

    Raises:
        OutsideFailed: a port is taken, or an engine of it is still there.
    """
    layers = Layers(root=one.folder.layers)
    _wait_for_the_last_engine(layers)
    _refuse_taken_ports(one.prepared.steps)
    with Interrupts().raising():
        yield ProcessRounds(
            folder=one.folder,
            plan=one.prepared.plan,
            layers=layers,
            now_ns=SystemClock().unix_ns,
        )


def _wait_for_the_last_engine(layers: Layers) -> None:
    """After a kill the engine that was on is being ended; it still holds its port."""
    left = layers.wait_until_unused(seconds=_ENGINE_GONE_WITHIN_S)
    if left:
        raise OutsideFailed(
            f"an engine of this run is still there (process {', '.join(map(str, left))})",
            remedy="end it, then `firstlight experiment resume`",
        )


def _refuse_taken_ports(all_steps: Sequence[Step]) -> None:
    urls = {server_address(step.process.command, url=None).url for step in all_steps}
    for url in sorted(urls):
        if HttpPolls().port(url, timeout_ns=_PORT_WITHIN_NS).ok:
            raise port_taken(url)
