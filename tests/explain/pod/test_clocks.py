"""Two hosts, two zones, and stamps of whole seconds: nothing is silently moved."""

from datetime import UTC, datetime, timedelta

from firstlight.core.units import NS_PER_S
from tests.explain.pod.cluster import (
    DAY,
    arrival,
    codes,
    engine_log,
    event,
    lengths,
    one,
    parts,
    pod,
    scheduled,
)

LOG = "logs/vllm-0/vllm.log"
ENGINE = engine_log(20.5, load=25, weights=31, ready=37, up=40.5)


def test_the_skew_of_two_clocks_is_bounded_by_what_caused_what() -> None:
    """The API server takes an event in after it was made; the kubelet acts after the binding."""
    start = one(
        pod(started=3, scheduled=1),
        scheduled(1.5),
        event(2.25, "Pulling", "Pulling", container="vllm", recorded=2),
    )

    assert start.placement is not None
    assert -750_000_000 == start.placement.skew_low_ns
    assert 500_000_000 == start.placement.skew_high_ns


def test_a_node_a_minute_ahead_is_found_and_nothing_is_moved() -> None:
    """The kubelet's events reach the API server a minute before they happened."""
    start = one(
        pod(created=0, scheduled=1, started=63, ready=103, status={}),
        scheduled(1),
        event(62, "Pulled", 'Container image "i" already present on machine', container="vllm",
              recorded=2),
        event(63, "Started", "Started container vllm", container="vllm", recorded=3),
    )  # fmt: skip

    (finding,) = (f for f in start.findings if f.code == "clock-skew")
    assert "59 s ahead of" in finding.what
    assert 61.0 == lengths(start)["container_setup"] - 1
    assert start.total is None


def test_a_node_a_minute_behind_is_found_too() -> None:
    """It acts on a pod before the scheduler has bound it."""
    start = one(
        pod(created=100, scheduled=101, started=43, status={"startTime": None}),
        scheduled(101),
        event(42, "Pulling", "Pulling image", container="vllm", recorded=102),
    )

    (finding,) = (f for f in start.findings if f.code == "clock-skew")
    assert "59 s behind" in finding.what


def test_an_event_whose_name_is_no_clock_is_read_by_its_stamp() -> None:
    """Other emitters name events as they like."""
    start = one(
        pod(started=20),
        scheduled(1),
        event(2, "Pulling", "Pulling", container="vllm", exact=False),
        event(12, "Pulled", "Successfully pulled image", container="vllm", exact=False),
    )

    assert 10.0 == lengths(start)["image_pull"]


def test_two_clocks_that_are_far_apart_prove_no_total() -> None:
    """The node is a minute behind: from the pod's creation to its Ready there are 2 s, or 62."""
    start = one(
        pod(created=0, scheduled=1, started=-40, ready=2, status={"startTime": None}),
        scheduled(1),
        event(-50, "Pulling", "Pulling image", container="vllm", recorded=10),
    )

    assert start.total is None
    assert "clock-skew" in codes(start)


def without_outer_stamps(log: str, zone: timedelta) -> str:
    """The same lines as a container in another zone would have printed them, uncollected."""
    lines = []
    for line in log.splitlines():
        outer, _, rest = line.partition(" ")
        at = datetime.fromisoformat(outer[:26]).replace(tzinfo=UTC)
        lines.append(rest.replace(at.strftime("%m-%d %H:%M:%S"), f"{at + zone:%m-%d %H:%M:%S}"))
    return "\n".join(lines)


def test_vllms_own_stamps_are_placed_behind_the_containers_start() -> None:
    """They have no year and no zone: both follow from the container's start, and that is said."""
    log = without_outer_stamps(ENGINE, timedelta(hours=5, minutes=30))
    start = one(pod(started=20, ready=43), scheduled(1), arrival(10, 19, 19.5, 20), logs={LOG: log})

    assert {"process_init": 5.0, "weight_load": 6.0, "engine_init": 6.0} == {
        name: length
        for name, length in lengths(start).items()
        if name in ("process_init", "weight_load", "engine_init")
    }
    (finding,) = (f for f in start.findings if f.code == "own-stamps-placed")
    assert "a zone +5.5 h from UTC" in finding.what


def test_a_log_that_was_rotated_away_has_no_beginning_and_the_rest_is_still_known() -> None:
    """The kubelet keeps ten megabytes: the first lines of a talkative engine are gone."""
    late = ENGINE.splitlines(keepends=True)[2:]
    start = one(
        pod(started=20, ready=43),
        scheduled(1),
        arrival(10, 19, 19.5, 20),
        logs={LOG: "".join(late)},
    )

    assert 6.0 == lengths(start)["engine_init"]
    assert 11.0 == lengths(start)["unexplained"]
    assert "log-begins-late" in codes(start)


TABLE = """\
LAST SEEN   TYPE     REASON    OBJECT       MESSAGE
25s         Normal   Pulling   pod/vllm-0   Pulling image "vllm:1"
15s         Normal   Pulled    pod/vllm-0   Successfully pulled image "vllm:1" in 10s
14s         Normal   Started   pod/vllm-0   Started container vllm
"""


def test_ages_beside_stamps_count_from_the_capture_where_it_is_told() -> None:
    """A table that `kubectl get events` printed 45 s into the day."""
    captured_ns = DAY * NS_PER_S + 45 * NS_PER_S
    start = one(pod(started=31), beside={"events.txt": TABLE}, captured_ns=captured_ns)

    assert 10.0 == lengths(start)["image_pull"]


def test_ages_beside_stamps_are_placed_by_the_containers_start() -> None:
    """It is told both ways: as a stamp in the pod, as an age in the table."""
    start = one(pod(started=31), beside={"events.txt": TABLE})

    assert 10.0 == lengths(start)["image_pull"]
    assert 19.0 == parts(start, "container_setup")["volumes, network and sandbox"]


def test_ages_beside_stamps_are_left_out_where_nobody_tells_when_they_were_read() -> None:
    """Laid at the beginning of time they would make a pod that is years old."""
    table = TABLE.replace("Started", "Killing")
    start = one(pod(started=31), beside={"events.txt": table})

    assert "image_pull" not in lengths(start)
    assert "ages-not-placed" in codes(start)


def test_stamps_of_ones_own_that_fit_nowhere_are_not_placed() -> None:
    """A first line long after the container's start, and Ready before its last: no zone helps."""
    log = without_outer_stamps(
        engine_log(400, load=410, weights=420, ready=430, up=440), timedelta()
    )
    start = one(pod(started=20, ready=43), scheduled(1), arrival(10, 19, 19.5, 20), logs={LOG: log})

    assert "weight_load" not in lengths(start)
    assert "log-not-placed" in codes(start)
