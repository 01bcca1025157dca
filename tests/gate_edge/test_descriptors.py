"""Connections against the descriptors that there are."""

import resource
import subprocess
import sys

import pytest

from firstlight.edges.gate.descriptors import bounded
from firstlight.edges.gate.limits import Limits

ALONE = """
import resource
from firstlight.edges.gate.descriptors import fitted
from firstlight.edges.gate.limits import Limits
resource.setrlimit(resource.RLIMIT_NOFILE, (100, {hard}))
said = []
limits = fitted(Limits(), lambda event, **more: said.append((event, more)))
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], limits.connections, said)
"""
"""Bounds are of a process, and a hard one cannot be taken back."""


@pytest.mark.parametrize(
    ("descriptors", "connections", "reserved"),
    [(1_000_000, 4096, 64), (8288, 4096, 64), (8286, 4095, 64), (64, 12, 8), (20, 1, 0)],
)
def test_connections_are_as_many_as_descriptors_carry(
    descriptors: int, connections: int, reserved: int
) -> None:
    fit = bounded(Limits(), descriptors)
    assert (connections, reserved) == (fit.connections, fit.reserved_connections)


def test_the_soft_bound_is_raised_and_the_hard_one_said_where_it_binds() -> None:
    said = alone(1000)
    assert said == (
        "1000 452 [('fewer_connections', {'descriptors': 1000, 'wanted': 4096, 'at_most': 452})]"
    )


def test_nothing_is_said_where_it_does_not_bind() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 8288:
        pytest.skip("this process may not open enough")
    assert alone(8288) == "8288 4096 []"


def alone(hard: int) -> str:
    return subprocess.run(
        [sys.executable, "-c", ALONE.format(hard=hard)],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    ).stdout.strip()
