"""Which pod is the new one, and how far it has come."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.measure.pod.fields import lost_readiness
from firstlight.measure.pod.following import Following, why_replaced
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


def deleted(object_: Object) -> FakeChange:
    return FakeChange(object=object_, type="DELETED")


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
    assert ("vllm-2", "b", 2 * 10**9, 5 * 10**9) == (
        one.current.name,
        one.node,
        one.current.seen_ns,
        one.current.ready_ns,
    )
    assert {"uid-1": 4 * 10**9} == one.gone_ns


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
    assert ("vllm-3", 3 * 10**9, 4 * 10**9) == (
        one.current.name,
        one.current.seen_ns,
        one.current.ready_ns,
    )
    assert [why] == [why_replaced(before) for before in one.replaced]


def test_the_first_of_two_is_followed_while_it_lives() -> None:
    """Then the second, from its own first sight."""
    both = [added(pod(2)), added(pod(3))]

    assert "vllm-2" == getattr(following(*both).current, "name", None)
    after = following(*both, deleted(pod(2)))
    assert after.current is not None
    assert ("vllm-3", 2 * 10**9) == (after.current.name, after.current.seen_ns)


def test_a_pod_that_was_ready_and_is_leaving_is_not_ready() -> None:
    """A list after a broken watch may show both at once."""
    one = following(added(pod(2, ready=True, leaving=True), listed=True))

    assert one.current is not None
    assert None is one.current.ready_ns


def test_what_a_list_tells_is_no_moment() -> None:
    """It happened at some time before."""
    one = following(added(pod(2), listed=True), changed(pod(2, ready=True), listed=True))

    assert one.current is not None
    assert (True, True) == (one.current.listed, one.current.ready_listed)


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
    moment, once seen, does not move.
    """
    one = Following(known=["uid-1"], owns=lambda _: True)
    ready: dict[str, int] = {}
    for second, change in enumerate(changes, start=1):
        one.learn(FakeChange(object=change.object, type=change.type, arrived_ns=second))
        current = one.current
        if current is None:
            continue
        assert "vllm-1" != current.name
        if current.over_ns is not None:
            assert all(other.over_ns is not None for other in one.replaced)
        if current.ready_ns is not None:
            assert current.ready_ns == ready.setdefault(current.name, current.ready_ns)
            assert current.seen_ns <= current.ready_ns


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
