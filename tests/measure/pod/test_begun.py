"""A start that somebody else's act begins, once the pods are watched."""

from collections.abc import Mapping
from pathlib import Path

from firstlight.core.errors import OutsideFailed
from firstlight.measure.pod.order import PodReached, Scenario
from tests.measure.pod.conftest import PodBench, a_start, change, record

S = 1_000_000_000


def test_it_is_begun_once_all_is_watched_and_nothing_is_deleted(bench: PodBench) -> None:
    """Nobody is told what is done: that is said by whoever does it."""
    bench.script += a_start()
    begun: list[list[str]] = []

    done = bench.measured(begin=lambda: begun.append(list(bench.cluster.changes)))
    told = record(done.folder)

    assert [[]] == begun
    assert ([], []) == (bench.cluster.changes, bench.said)
    assert ("warm", "ready", "vllm-2", None) == (
        told["scenario"],
        told["outcome"],
        told["pod"],
        told["deleted_ns"],
    )


def test_a_pod_that_went_elsewhere_is_not_warm(bench: PodBench) -> None:
    """The node that it has to go to is the order's to say."""
    bench.script += a_start("b")

    done = bench.measured(begin=lambda: None, node="a")

    why = "not warm: it went to b, the pod before was on a"
    told = record(done.folder)
    assert why in told["notes"]
    assert (None, why, False) == (told["scenario"], told["not_as_asked"], told["cut_off"])


def test_a_cold_one_closes_the_nodes_before(bench: PodBench) -> None:
    """Those that could take a pod of the workload's template; and opens them."""
    bench.script += a_start("new")
    closed: list[list[str]] = []

    done = bench.measured(Scenario.COLD, begin=lambda: closed.append(bench.closed))

    assert [["a", "b", "theirs"]] == closed
    assert ["theirs"] == bench.closed
    assert "cold" == record(done.folder)["scenario"]


def test_where_it_cannot_be_begun_the_nodes_are_open_again(bench: PodBench) -> None:
    """And the record says why."""

    def refused() -> None:
        raise OutsideFailed("you may not", remedy="ask")

    done = bench.measured(Scenario.COLD, begin=refused)

    assert ["theirs"] == bench.closed
    assert "you may not" == record(done.folder)["problem"]["message"]


def test_the_old_pods_end_is_nothing_of_the_new_ones_time(bench: PodBench) -> None:
    """From the new pod on it has its whole time, however long the old one took."""
    bench.script += a_start(at_ms=14_000)

    done = bench.measured(begin=lambda: None, timeout_ns=10 * S, old_ends_within_ns=10 * S)

    assert "ready" == done.record.outcome


def test_a_pod_that_never_comes_is_not_waited_for_beyond_that(bench: PodBench) -> None:
    """Nor one that is never Ready, from when it was made."""
    bench.script += [(14_000, change(2, type_="ADDED")), (15_000, change(2, node="a"))]

    done = bench.measured(begin=lambda: None, timeout_ns=10 * S, old_ends_within_ns=10 * S)

    assert "timeout" == done.record.outcome
    assert 25 * S > bench.clock.now_ns - done.record.anchor.monotonic_ns


def test_what_it_is_asked_more_is_written_beside(bench: PodBench) -> None:
    """With the model's name and the route that brought the token."""
    bench.script += a_start()
    reached: list[PodReached] = []

    def more(one: PodReached) -> Mapping[str, Mapping[str, object]]:
        reached.append(one)
        return {"serving.json": {"requests": 3}}

    done = bench.measured(begin=lambda: None, after_answer=more)

    assert [("ns", "vllm-2", 8000, False, "tiny", False)] == [
        (one.namespace, one.pod, one.port, one.https, one.model, one.chat) for one in reached
    ]
    assert '{\n "requests": 3\n}\n' == (Path(done.folder) / "serving.json").read_text()
