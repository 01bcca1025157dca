"""What is saved of a start, whatever goes wrong while it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.measure.pod.order import Scenario
from tests.measure.pod.conftest import PodBench, a_start, change, record

FULL = OutsideFailed("the disk is full", remedy="make room")
NEWER = BadInput("there is a bundle already", remedy="name another folder")


@pytest.mark.parametrize("problem", [FULL, NEWER])
def test_a_bundle_that_cannot_be_saved(bench: PodBench, problem: OutsideFailed) -> None:
    """What was seen is kept, and what went wrong is said; the probe's records are still had."""
    bench.script += a_start()
    bench.capture_fails = problem

    done = bench.measured(probe_from="/records")

    assert problem is done.record.problem
    assert not done.captured
    assert [
        f"no bundle could be saved: {problem.message}",
        "fetched /records of vllm in vllm-2 into probe",
    ] == done.record.notes
    assert record(done.folder)["ready_seen_ns"]
    assert ["vllm-2"] == bench.captured


def test_the_probe_is_fetched(bench: PodBench) -> None:
    """From the container that the engine runs in."""
    bench.script += a_start()

    assert ["fetched /records of vllm in vllm-2 into probe"] == (
        bench.measured(probe_from="/records").record.notes
    )


@pytest.mark.parametrize("problem", [FULL, NEWER])
def test_records_of_the_probe_that_cannot_be_saved(bench: PodBench, problem: OutsideFailed) -> None:
    """The bundle is saved once, the record is written, and what went wrong is said."""
    bench.script += a_start()
    bench.probe_fails = problem

    done = bench.measured(probe_from="/records")
    told = record(done.folder)

    assert problem is done.record.problem
    assert done.captured
    assert ["vllm-2"] == bench.captured
    assert [f"no records of the probe could be saved: {problem.message}"] == told["notes"]
    assert ("ready", problem.message) == (told["outcome"], told["problem"]["message"])


def in_capture(bench: PodBench, end: BaseException) -> None:
    bench.capture_fails = end


def in_probe(bench: PodBench, end: BaseException) -> None:
    bench.probe_fails = end


def in_watch(bench: PodBench, end: BaseException) -> None:
    bench.script[2] = (2500, end)


@pytest.mark.parametrize("hazard", [in_capture, in_probe, in_watch])
@pytest.mark.parametrize(
    ("end", "words"),
    [
        (ZeroDivisionError("of ours"), "the measurement broke off: ZeroDivisionError: of ours"),
        (KeyboardInterrupt("SIGTERM"), "the measurement was interrupted"),
    ],
)
def test_what_nobody_foresaw_leaves_a_record(
    bench: PodBench,
    hazard: Callable[[PodBench, BaseException], None],
    end: BaseException,
    words: str,
) -> None:
    """A bug of ours too: the nodes are open, nothing is saved twice, and it is not hidden."""
    bench.script += a_start("new")
    hazard(bench, end)

    with pytest.raises(type(end)):
        bench.measured(Scenario.COLD, probe_from="/records")

    told = record(str(bench.out / "run" / "round-01"))
    assert (words, True) == (told["problem"]["message"], told["cut_off"])
    assert (None, "vllm-2") == (told["scenario"], told["pod"])
    assert ["theirs"] == bench.closed
    assert len(bench.captured) <= 1


def test_a_node_that_stays_closed_is_in_the_record_of_an_interrupted_start(
    bench: PodBench,
) -> None:
    """Beside that it was interrupted."""
    bench.script += [(2500, KeyboardInterrupt())]
    bench.cluster.on_delete = lambda: bench.cluster.refusals.update({"patch nodes a": 403})

    with pytest.raises(KeyboardInterrupt):
        bench.measured(Scenario.COLD)

    told = record(str(bench.out / "run" / "round-01"))
    assert "the measurement was interrupted" == told["problem"]["message"]
    assert ["node a is still cordoned: is forbidden"] == told["notes"]


def test_the_record_is_written_before_an_interrupt_counts(bench: PodBench) -> None:
    """Being told to end in the very last moment does not leave half a round."""
    bench.script += a_start()
    there: list[bool] = []
    bench.on_undisturbed = lambda: there.append(
        (Path(bench.out) / "run" / "round-01" / "measured.json").exists()
    )

    bench.measured()

    assert [False, True] == there


def test_a_ready_that_a_list_told_has_no_moment(bench: PodBench) -> None:
    """Nor has the token a length; that the server can generate is asked all the same."""
    bench.script += [*a_start()[:2], (10000, change(2, node="a", ready=True, listed=True))]

    told = record(bench.measured().folder)

    assert "ready" == told["outcome"]
    assert told["created_seen_ns"]
    assert (None, None) == (told["ready_seen_ns"], told["first_token_ns"])
    assert told["first_token_problem"] is None
    assert "so when is not known from outside" in told["notes"][0]
    assert "how long after Ready is not known" in told["notes"][1]
    assert ["models of vllm-2", "completions"] == [one[0] for one in bench.server.asked]


def test_an_old_pod_that_a_list_missed_ended_at_no_moment(bench: PodBench) -> None:
    """How long it lived beside the new one is then not said."""
    bench.script += a_start()
    bench.script.insert(2, (8000, change(1, node="a", type_="DELETED", listed=True)))

    assert [] == bench.measured().record.notes
