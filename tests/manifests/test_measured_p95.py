"""The 95th percentile of measured starts, and what is said of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.phases import Phase
from firstlight.core.starts import (
    CacheVerdict,
    CompileCache,
    Outcome,
    Placement,
    ProbeAdvice,
    Start,
    Total,
)
from firstlight.core.timeline import Span, Stretch, Timeline
from firstlight.core.units import NS_PER_S
from firstlight.manifests.measured_p95 import FEWEST, measured_p95

ADVICE = ProbeAdvice(now=(), what="GET :8000/health", period_s=1, failure_threshold=30)


def start(
    seconds: int,
    *,
    outcome: Outcome = Outcome.READY,
    placement: Placement | None = None,
    starts_at: str = "process_started",
) -> Start:
    """One whose container needed so long; a node and a probe's wait lie around it."""
    edges = [0, 100, 110, 110 + seconds, 117 + seconds]
    names = (Phase.NODE_PROVISIONING, Phase.PROCESS_INIT, Phase.API_START, Phase.READINESS_LAG)
    spans = tuple(
        Span(
            name=name,
            stretches=(Stretch(start_ns=begin * NS_PER_S, end_ns=end * NS_PER_S),),
        )
        for name, begin, end in zip(names, edges, edges[1:], strict=False)
    )
    timeline = Timeline(start_ns=0, end_ns=edges[-1] * NS_PER_S, spans=spans)
    return Start(
        source="x",
        engine="v1",
        engine_version=None,
        outcome=outcome,
        failure=None,
        scenario=None,
        total=Total(timeline=timeline, uncertainty_ns=0, starts_at=starts_at, ends_at="pod_ready"),
        phases=spans,
        facts={},
        sleeps=(),
        compile_cache=CompileCache(verdict=CacheVerdict.UNKNOWN, reason="", proof="none"),
        placement=placement,
    )


def test_it_is_measured_from_the_container_to_the_server() -> None:
    """Neither the node before it nor the probe's wait behind it."""
    found = measured_p95([start(300)])

    assert found is not None
    assert 310 == found.seconds


@pytest.mark.parametrize(("count", "rank"), [(1, 1), (19, 19), (20, 19), (40, 38), (100, 95)])
def test_it_is_the_nearest_rank(count: int, rank: int) -> None:
    """Of twenty the nineteenth; of fewer there is none below the longest."""
    found = measured_p95([start(seconds) for seconds in range(1, count + 1)])

    assert found is not None
    assert 10 + rank == found.seconds
    assert (count < FEWEST) == (found.start_ns == found.longest_ns)


def test_a_few_starts_are_said_to_be_few() -> None:
    """With how many they are, and how many it takes."""
    found = measured_p95([start(290), start(300)])

    assert found is not None
    assert (
        "p95 of a start is taken for 310 s, the longest of 2 starts measured: a p95 needs 20"
        == found.says
    )


def test_enough_starts_say_their_number_and_their_range() -> None:
    """A number without them could be anything."""
    found = measured_p95([start(seconds) for seconds in range(1, 21)])

    assert found is not None
    assert "p95 of a start is 29 s, of 20 starts measured (11 to 30 s)" == found.says


@pytest.mark.parametrize(
    "other",
    [
        start(900, outcome=Outcome.FAILED),
        start(900, outcome=Outcome.INCOMPLETE),
        start(900, starts_at="first_log_line"),
        start(900, placement=Placement(), starts_at="pod_created"),
    ],
    ids=["failed", "incomplete", "only its log", "a container whose start nobody saw"],
)
def test_a_start_that_tells_no_such_time_is_left_out_and_counted(other: Start) -> None:
    """A first line comes seconds after the process; a failure takes as long as it takes."""
    found = measured_p95([start(300), other])

    assert found is not None
    assert (310, 1, 1) == (found.seconds, found.count, found.left_out)
    assert found.says.endswith("; 1 more told no such time")
    assert None is measured_p95([other])


def test_a_pod_whose_container_was_seen_to_start_counts() -> None:
    """Its total begins earlier, with the pod."""
    found = measured_p95([start(300, placement=Placement(probe=ADVICE), starts_at="pod_created")])

    assert found is not None
    assert 310 == found.seconds


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=80))
def test_at_least_nineteen_of_twenty_were_no_longer(lengths: list[int]) -> None:
    """And it is one of those that were seen."""
    found = measured_p95([start(seconds) for seconds in lengths])

    assert found is not None
    assert found.seconds - 10 in lengths
    assert 20 * sum(10 + one <= found.seconds for one in lengths) >= 19 * len(lengths)
