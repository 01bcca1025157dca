"""Which pod is the new one, and how far it has come."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.measure.pod.fields import lost_readiness
from firstlight.measure.pod.following import Following, Sight, why_replaced
from tests.measure.pod.fake_cluster import FakeChange, Object, pod


def following(*changes: FakeChange, owns: Callable[[Object], bool] = lambda _: True) -> Following:
    """Pod 1 was there before; each change comes a second after the last."""
    one = Following(known=["uid-1"], owns=owns)
    for second, change in enumerate(changes, start=1):
        one.learn(
            FakeChange(
                object=change.object,
                type=change.type,
                listed=change.listed,
                arrived_ns=second * 10**9,
            )
        )
    return one


def added(object_: Object, *, listed: bool = False) -> FakeChange:
    return FakeChange(object=object_, type="ADDED", listed=listed)


def changed(object_: Object, *, listed: bool = False) -> FakeChange:
    return FakeChange(object=object_, listed=listed)


def deleted(object_: Object, *, listed: bool = False) -> FakeChange:
    return FakeChange(object=object_, type="DELETED", listed=listed)


def at(second: int) -> Sight:
    """Seen to happen at that second."""
    return Sight(at_ns=second * 10**9, listed=False)


def test_the_next_pod_is_followed_to_ready() -> None:
    """From its first sight, whatever happens to the old one meanwhile."""
    one = following(
        changed(pod(1, leaving=True)),
        added(pod(2)),
        changed(pod(2, node="b")),
        deleted(pod(1)),
        changed(pod(2, node="b", ready=True)),
    )

    assert one.current is not None
    assert ("vllm-2", "b", at(2), at(5)) == (
        one.current.name,
        one.node,
        one.current.made,
        one.current.ready,
    )
    assert {"uid-1": at(4)} == one.gone


def test_pods_of_others_are_nobodys_start() -> None:
    """The same labels do not make a pod one of the workload's."""
    one = following(added(pod(2)), owns=lambda _: False)

    assert None is one.current


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (changed(pod(2, node="b", phase="Failed")), "Evicted"),
        (deleted(pod(2, node="b")), "it was deleted"),
        (changed(pod(2, node="b", leaving=True)), "it was deleted"),
    ],
)
def test_the_newest_that_lives_is_followed(end: FakeChange, why: str) -> None:
    """One that is evicted or deleted is not waited for; the moments are the next one's."""
    one = following(added(pod(2, node="b")), end, added(pod(3)), changed(pod(3, ready=True)))

    assert one.current is not None
    assert ("vllm-3", at(3), at(4)) == (one.current.name, one.current.made, one.current.ready)
    assert [why] == [why_replaced(before) for before in one.replaced]


def test_the_first_of_two_is_followed_while_it_lives() -> None:
    """Then the second, from its own first sight."""
    both = [added(pod(2)), added(pod(3))]

    assert "vllm-2" == getattr(following(*both).current, "name", None)
    after = following(*both, deleted(pod(2)))
    assert after.current is not None
    assert ("vllm-3", at(2)) == (after.current.name, after.current.made)


def test_a_pod_that_was_ready_and_is_leaving_is_not_ready() -> None:
    """A list after a broken watch may show both at once."""
    one = following(added(pod(2, ready=True, leaving=True), listed=True))

    assert one.current is not None
    assert None is one.current.ready


def test_what_a_list_tells_is_no_moment() -> None:
    """It happened at some time before: made, Ready, or gone."""
    one = following(
        added(pod(2), listed=True),
        changed(pod(2, ready=True), listed=True),
        deleted(pod(1), listed=True),
    )

    assert one.current is not None
    assert one.current.ready is not None
    assert [None] * 3 == [
        sight.moment_ns for sight in (one.current.made, one.current.ready, one.gone["uid-1"])
    ]


def test_a_start_that_is_under_way_is_found() -> None:
    """When its pod was made was not seen; that it becomes Ready may be."""
    one = Following(known=["uid-1"], owns=lambda _: True)

    one.find(pod(2, node="b"), at_ns=7)
    one.learn(FakeChange(object=pod(2, node="b", ready=True), arrived_ns=9))

    assert one.current is not None
    assert (None, Sight(at_ns=9, listed=False)) == (one.current.made.moment_ns, one.current.ready)


def test_it_says_what_is_waited_for() -> None:
    """In the words of whoever is to blame."""
    steps = [
        added(pod(2)),
        changed(pod(2, why="0/1 nodes are available")),
        changed(pod(2, node="b")),
        changed(pod(2, node="b", waits="CrashLoopBackOff")),
        deleted(pod(2)),
    ]

    assert [
        "waiting for a new pod",
        "vllm-2 waits for a node",
        "vllm-2 waits for a node: 0/1 nodes are available",
        "vllm-2 starts on b",
        "vllm-2 starts on b: vllm waits (CrashLoopBackOff); 2 restarts",
        "vllm-2 ended; waiting for the next pod",
    ] == [following(*steps[:count]).words for count in range(len(steps) + 1)]


kinds = st.sampled_from(["ADDED", "MODIFIED", "DELETED"])
states = st.builds(
    pod,
    st.integers(1, 4),
    node=st.sampled_from([None, "a", "b"]),
    ready=st.booleans(),
    leaving=st.booleans(),
    phase=st.sampled_from(["Pending", "Running", "Failed"]),
)


@given(st.lists(st.builds(FakeChange, object=states, type=kinds, listed=st.booleans())))
def test_no_order_of_changes_confuses_it(changes: list[FakeChange]) -> None:
    """
    The pod of before is never the new one; one that lives is preferred to one that ended; a
    moment, once seen, does not move; what a list told first never gets one.
    """
    one = Following(known=["uid-1"], owns=lambda _: True)
    ready: dict[str, Sight] = {}
    first_listed: dict[str, bool] = {}
    for second, change in enumerate(changes, start=1):
        if change.type != "DELETED":
            first_listed.setdefault(change.object["metadata"]["name"], change.listed)
        one.learn(replace(change, arrived_ns=second))
        current = one.current
        if current is None:
            continue
        assert "vllm-1" != current.name
        if current.over_ns is not None:
            assert all(other.over_ns is not None for other in one.replaced)
        assert first_listed[current.name] == (current.made.moment_ns is None)
        if current.ready is not None:
            assert current.ready == ready.setdefault(current.name, current.ready)
            assert current.made.at_ns <= current.ready.at_ns
            if current.ready.at_ns == second:
                assert change.listed == (current.ready.moment_ns is None)


def test_a_pod_that_served_and_stumbled_is_not_starting() -> None:
    """It lost readiness after its container began; one that never had it, did not."""
    stumbled = pod(2, node="b")
    stumbled["status"]["conditions"][0]["lastTransitionTime"] = "2026-01-01T00:10:00Z"
    running = {"running": {"startedAt": "2026-01-01T00:00:05Z"}}
    stumbled["status"]["containerStatuses"] = [{"name": "vllm", "state": running}]
    starting = pod(3, node="b")
    starting["status"]["conditions"][0]["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    starting["status"]["containerStatuses"] = [{"name": "vllm", "state": running}]

    assert (True, False) == (lost_readiness(stumbled), lost_readiness(starting))
