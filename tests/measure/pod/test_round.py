"""One start in a cluster, on a cluster that goes wrong at will."""

from typing import Any

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.measure.pod.cordons import ANNOTATION, Signature
from firstlight.measure.pod.order import Scenario
from tests.measure.pod.conftest import PodBench, a_start, change, record
from tests.measure.pod.fake_cluster import pod

COLD = Scenario.COLD
S = 1_000_000_000


def test_a_warm_start(bench: PodBench) -> None:
    """Delete, watch, ask, save: every moment by one clock."""
    bench.script += a_start()

    done = bench.measured()
    told = record(done.folder)

    assert ["delete pods vllm-1"] == bench.cluster.changes
    assert ["going to delete pod vllm-1 in namespace ns and expect the new one on a again"] == (
        bench.said
    )
    assert ("warm", "ready", "vllm-2", "uid-2", "a", "vllm") == (
        told["scenario"],
        told["outcome"],
        told["pod"],
        told["pod_uid"],
        told["node"],
        told["container"],
    )
    assert 1 * S == told["created_seen_ns"] - told["deleted_ns"]
    assert 9 * S == told["ready_seen_ns"] - told["created_seen_ns"]
    assert 40_000_000 == told["first_token_ns"]
    assert ([], [], None) == (told["cordoned"], told["notes"], told["problem"])
    assert ["vllm-2"] == bench.captured
    assert bench.changes.stopped
    assert [
        ("models of vllm-2", 8000, False, None),
        ("completions", 8000, False, "tiny"),
    ] == bench.server.asked


def test_a_cold_start(bench: PodBench) -> None:
    """
    The open nodes are closed before the deletion, and opened when the pod has a node, not
    later; a node that somebody else closed is left alone.
    """
    bench.script += a_start("new")

    done = bench.measured(COLD)

    assert [
        "patch nodes a",
        "patch nodes b",
        "delete pods vllm-1",
        "patch nodes a",
        "patch nodes b",
    ] == bench.cluster.changes
    waited = bench.progress.index("vllm-2 waits for a node")
    assert waited < bench.progress.index("the new pod has a node; uncordoning")
    assert ["theirs"] == bench.closed
    assert (True, ["a", "b"], "cold") == (
        done.record.as_asked,
        record(done.folder)["cordoned"],
        record(done.folder)["scenario"],
    )


def test_the_nodes_are_open_before_the_pod_is_ready(bench: PodBench) -> None:
    """Everybody else's pods wait no longer than this one does for its node."""
    bench.script += a_start("new")
    closed: list[list[str]] = []
    bench.changes.on_next = lambda: closed.append(bench.closed)

    bench.measured(COLD)

    everything = ["a", "b", "theirs"]
    assert [everything, everything, ["theirs"]] == closed


@pytest.mark.parametrize(
    ("call", "before"),
    [
        ("get deployments", True),
        ("list pods", True),
        ("get replicasets", True),
        ("list nodes", True),
        ("create", False),
        ("patch nodes b", False),
        ("delete pods", False),
    ],
)
def test_forbidden_at_any_verb(bench: PodBench, call: str, *, before: bool) -> None:
    """
    Refused before anything is changed, it is an error and no folder; after, it is a problem of
    the round, and the nodes are open again. A review that is refused decides nothing.
    """
    bench.cluster.refusals[call] = 403
    bench.script += a_start("new")
    if before:
        with pytest.raises(OutsideFailed, match=r"you may not .*: is forbidden") as refused:
            bench.measured(COLD)
        assert "roles in docs/rbac" in refused.value.remedy
        assert not bench.out.exists()
    else:
        problem = bench.measured(COLD).record.problem
        assert (call == "create") == (problem is None)
    bench.cluster.refusals.clear()
    assert ["theirs"] == bench.closed


def test_uncordoning_is_forbidden(bench: PodBench) -> None:
    """Which nodes stay closed is said, with what to type; the start is measured all the same."""
    bench.script += a_start("new")
    bench.cluster.on_delete = lambda: bench.cluster.refusals.update({"patch nodes a": 403})

    done = bench.measured(COLD)

    assert any("kubectl uncordon a" in line for line in bench.said)
    assert done.record.problem is not None
    assert "node a is still cordoned" in done.record.problem.message
    assert ["a", "theirs"] == bench.closed
    assert 9 * S == (done.record.ready_seen_ns or 0) - (done.record.created_seen_ns or 0)


@pytest.mark.parametrize("end", [KeyboardInterrupt("SIGINT"), OutsideFailed("gone", remedy="")])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_whatever_ends_it_opens_the_nodes(bench: PodBench, end: BaseException, after: int) -> None:
    """At any moment of the wait."""
    bench.script += [*a_start("new")[:after], (2500, end)]

    if isinstance(end, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            bench.measured(COLD)
        told = record(str(bench.out / "run" / "round-01"))
        assert "the measurement was interrupted" == told["problem"]["message"]
    else:
        done = bench.measured(COLD)
        assert end is done.record.problem
        assert (["vllm-2"] if after else []) == bench.captured

    assert ["theirs"] == bench.closed
    assert bench.changes.stopped


def test_interrupted_in_the_middle_of_putting_back(bench: PodBench) -> None:
    """Then it is put back again."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    bench.cluster.quicker["get nodes"] = [interrupted]

    with pytest.raises(KeyboardInterrupt):
        bench.measured(COLD)

    assert ["theirs"] == bench.closed


@pytest.mark.parametrize("replaced", [False, True])
def test_the_pod_went_away_before(bench: PodBench, *, replaced: bool) -> None:
    """Another pod of its name, or none: nothing is deleted by mistake."""

    def somebody() -> None:
        bench.cluster.drop("pods", "vllm-1")
        if replaced:
            another = pod(1)
            another["metadata"]["uid"] = "uid-another"
            bench.cluster.put("pods", another)

    bench.cluster.quicker["delete"] = [somebody]

    problem = bench.measured(COLD).record.problem

    assert problem is not None
    assert "went away before it was deleted" in problem.message
    assert ["theirs"] == bench.closed


def test_an_answer_to_the_deletion_is_lost(bench: PodBench) -> None:
    """It was carried out, as a look shows; the start goes on."""
    bench.cluster.lost_answers = ["delete pods vllm-1"]
    bench.script += a_start()

    assert None is bench.measured().record.problem


def test_a_pod_that_is_evicted_is_replaced(bench: PodBench) -> None:
    """The newest counts, and it is said."""
    bench.script += [
        *a_start("a")[:2],
        (3000, change(2, node="a", phase="Failed")),
        *a_start("a", 3, 3000),
    ]

    told = record(bench.measured().folder)

    assert "vllm-3" == told["pod"]
    assert 9 * S == told["ready_seen_ns"] - told["created_seen_ns"]
    assert ["vllm-2 came before this pod and was replaced: Evicted"] == told["notes"]


def test_a_pod_that_fails_and_is_not_replaced(bench: PodBench) -> None:
    """It is not waited for until the time is up; what there is of it is saved."""
    bench.script += [*a_start()[:2], (3000, change(2, node="a", phase="Failed"))]

    done = bench.measured(replaced_within_ns=5 * S)

    assert "failed" == done.record.outcome
    assert "vllm-2 ended and was not replaced: Evicted" == getattr(
        done.record.problem, "message", ""
    )
    assert ["vllm-2"] == bench.captured
    assert 9 * S == bench.clock.now_ns


@pytest.mark.parametrize(
    ("scenario", "script", "words", "remedy"),
    [
        (COLD, [], "deployment/vllm made no new pod within 20 s", "quota"),
        (
            COLD,
            [(1000, change(2, why="0/3 nodes are available"))],
            "vllm-2 got no node within 20 s, pending because: 0/3 nodes are available",
            "autoscaler",
        ),
        (
            Scenario.WARM,
            [(1000, change(2, why="Insufficient nvidia.com/gpu"))],
            "vllm-2 got no node within 20 s, pending because: Insufficient nvidia.com/gpu",
            "old pod",
        ),
        (
            COLD,
            [(1000, change(2, node="new", waits="CrashLoop"))],
            "vllm-2 on new was not Ready within 20 s, after 2 restarts: vllm waits (CrashLoop)",
            "--timeout",
        ),
        (
            COLD,
            [(1000, change(2)), (2000, change(2, type_="DELETED"))],
            "vllm-2 was deleted within 20 s, and no other pod of deployment/vllm became Ready",
            "describe",
        ),
        (None, [], "no start of deployment/vllm was seen within 20 s", "--scenario"),
    ],
)
def test_the_time_is_up(
    bench: PodBench, scenario: Scenario | None, script: list[Any], words: str, remedy: str
) -> None:
    """What was waited for last is said, and what helps."""
    bench.script += script

    done = bench.measured(scenario, timeout_ns=20 * S)

    assert "timeout" == done.record.outcome
    assert done.record.problem is not None
    assert words == done.record.problem.message
    assert remedy in done.record.problem.remedy
    assert ["theirs"] == bench.closed


@pytest.mark.parametrize(
    ("scenario", "node", "note"),
    [
        (Scenario.WARM, "b", "not warm: it went to b, the pod before was on a"),
        (COLD, "a", "not cold: it went to a, which was there before"),
        (COLD, "theirs", "not cold: it went to theirs, which was there before"),
    ],
)
def test_a_start_that_is_not_as_asked(
    bench: PodBench, scenario: Scenario, node: str, note: str
) -> None:
    """It is measured, and it is no start of that scenario."""
    bench.script += a_start(node)

    done = bench.measured(scenario)

    assert (False, None) == (done.record.as_asked, record(done.folder)["scenario"])
    assert [note] == done.record.notes


def test_a_start_of_somebody_else(bench: PodBench) -> None:
    """Nothing is changed; the pod that is there is not the one."""
    bench.script += [(500, change(1, node="a", ready=True)), *a_start("b")]

    told = record(bench.measured(None).folder)

    assert [] == bench.cluster.changes
    assert (True, None, None) == (told["followed"], told["scenario"], told["deleted_ns"])
    assert 9 * S == told["ready_seen_ns"] - told["created_seen_ns"]


def test_a_start_that_is_under_way(bench: PodBench) -> None:
    """It is followed to its end; when it began was not seen."""
    bench.cluster.put("pods", pod(2, node="b"))
    bench.script.append((4000, change(2, node="b", ready=True)))

    told = record(bench.measured(None).folder)

    assert ("vllm-2", None) == (told["pod"], told["created_seen_ns"])
    assert told["ready_seen_ns"]
    assert "was there before it was watched" in told["notes"][0]


def test_an_old_pod_that_is_slow_to_end_is_noted(bench: PodBench) -> None:
    """On one GPU the new one waits for it."""
    bench.script += a_start()
    bench.script.insert(2, (8000, change(1, node="a", type_="DELETED")))

    (note,) = bench.measured().record.notes

    assert "vllm-1 ended 7.0 s after vllm-2 was made" in note


def test_a_cordon_that_was_left_behind_is_noted(bench: PodBench) -> None:
    """By a measurement that was killed."""
    signature = Signature(run="run-0", at="then", target="ns/deployment/vllm")
    left = {"name": "old", "annotations": {ANNOTATION: signature.text}}
    bench.cluster.put("nodes", {"metadata": left, "spec": {"unschedulable": True}})
    bench.script += a_start("new")

    (note,) = bench.measured(COLD).record.notes

    assert "node old is cordoned" in note
    assert "--restore" in note
