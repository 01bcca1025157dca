"""The same things, seen several times, once."""

import json
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import ClusterSeen, Event, NodeClaim, Stamp
from firstlight.readers.kube.reading import join, read_cluster
from tests.readers.kube.cluster_objects import (
    at,
    condition,
    event,
    pod,
    seen,
    stamp,
    through_events_api,
)

PULLED = event("Pulled", "Successfully pulled image", "09:01:00")


def moment(clock: str, resolution_ns: int = NS_PER_S, artefact: str = "table.txt") -> Stamp:
    """A stamp as a table or a log gives it."""
    words = Evidence(artefact=artefact, text=clock, line=1)
    return Stamp(
        at_ns=at(clock), resolution_ns=resolution_ns, clock=Clock.CONTROL_PLANE, evidence=words
    )


def row(clock: str, **fields: Any) -> Event:
    """The event as a table with three columns gives it."""
    words = Evidence(artefact="table.txt", text="...", line=2)
    row = Event(
        reason="Pulled",
        message="Successfully pulled image",
        first=moment(clock),
        evidence=words,
    )
    return replace(row, **fields)


def test_the_later_of_two_views_of_a_pod_counts() -> None:
    """Whichever is given first: its stamps tell."""
    views = [seen(pod(), artefact="before"), seen(pod(ready="09:02:00"), artefact="after")]

    for order in permutations(views):
        (read,) = join(order).pods

        assert ("after", "Running") == (read.artefact, read.phase)


def test_of_two_equal_views_the_one_given_last_counts() -> None:
    """Nothing else tells."""
    views = [seen(pod(), artefact="a"), seen(pod(), artefact="b")]

    assert ["b"] == [p.artefact for p in join(views).pods]
    assert ["a"] == [p.artefact for p in join(reversed(views)).pods]


@pytest.mark.parametrize(
    ("versions", "expected"),
    [(("9", "10"), "Running"), (("10", "9"), "Pending"), (("10", "x"), "Running")],
)
def test_within_an_artefact_the_version_decides(versions: tuple[str, str], expected: str) -> None:
    """As a number; the place in the artefact where it is none."""
    first, second = pod(version=versions[0]), pod(version=versions[1])
    second["status"]["phase"] = "Running"

    assert [expected] == [p.phase for p in seen(first, second).pods]


def test_a_pod_made_anew_under_its_name_is_another() -> None:
    """A StatefulSet's: the uid tells."""
    cluster = seen(pod(uid="u1", ready="09:02:00"), pod(uid="u2"))

    assert ["u1", "u2"] == [p.uid for p in cluster.pods]


def test_a_view_without_a_uid_is_of_the_pod_of_its_name() -> None:
    """What it lacks and cannot have changed comes from the other view."""
    described = pod(ready="09:02:00")
    del described["metadata"]["uid"], described["metadata"]["creationTimestamp"]
    views = [seen(pod(), artefact="before"), seen(described, artefact="after")]

    for order in permutations(views):
        (read,) = join(order).pods

        assert ("u1", "after", at("09:00:00")) == (
            read.uid,
            read.artefact,
            read.created and read.created.at_ns,
        )


def test_both_copies_of_an_event_are_one() -> None:
    """Through core/v1 and events.k8s.io/v1: in one artefact, and in two."""
    other = through_events_api(PULLED)

    assert 1 == len(seen(PULLED, other).events)
    assert 1 == len(join([seen(PULLED), seen(other)]).events)


def test_the_higher_count_is_the_later_view() -> None:
    """An event that repeats is one object that changes."""
    later = PULLED | {"count": 3, "lastTimestamp": stamp("09:03:00")}

    for order in permutations([seen(PULLED), seen(later)]):
        (read,) = join(order).events

        assert (3, at("09:03:00")) == (read.count, read.last and read.last.at_ns)


def test_events_of_one_second_stay_apart() -> None:
    """The same words about the same pod, twice in a second: the names tell."""
    second = event("Pulled", "Successfully pulled image", "09:01:00", suffix=f"{at('09:01:00'):x}")

    assert 2 == len(join([seen(PULLED), seen(second)]).events)


def test_coarse_events_are_told_apart_by_their_words() -> None:
    """Two failures of one second, by an emitter that makes up names."""
    first, second = (
        event("Failed", message, "09:01:00", suffix=message) for message in ("this", "that")
    )

    assert 2 == len(join([seen(first), seen(second)]).events)


def test_a_series_may_change_its_words() -> None:
    """An event that stands for many takes the words of the last; the name is the same."""
    changed = PULLED | {"message": "(combined from similar events): x", "count": 12}
    (read,) = join([seen(changed), seen(PULLED)]).events

    assert (12, "(combined from similar events): x") == (read.count, read.message)


def test_a_later_table_counts_on() -> None:
    """The moment stays the exact one."""
    table = ClusterSeen(events=(row("09:01:00", count=5, last=moment("09:04:00")),))
    (read,) = join([seen(PULLED), table]).events

    assert (5, at("09:04:00")) == (read.count, read.last and read.last.at_ns)
    assert 1 == (read.first and read.first.resolution_ns)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 1),
        ({"kind": "Pod", "name": "vllm-0"}, 1),
        ({"kind": "Pod", "name": "vllm-1"}, 2),
        ({"kind": "Node"}, 2),
        ({"namespace": "prod"}, 2),
        ({"message": "Container image already present"}, 2),
        ({"reason": "Pulling"}, 2),
        ({"first": moment("09:01:01")}, 2),
        ({"first": moment("09:00:59")}, 2),
        ({"first": None}, 2),
    ],
)
def test_a_row_of_a_table_is_the_event_it_fits(fields: dict[str, Any], expected: int) -> None:
    """Reason, object, first occurrence and message: what it says must agree."""
    table = ClusterSeen(events=(row("09:01:00", **fields),))
    exact = seen(PULLED)

    for order in permutations([table, exact]):
        events = join(order).events

        assert expected == len(events)
        assert exact.events[0].first in [e.first for e in events]


def test_ages_of_two_tables_are_not_compared() -> None:
    """They count back from two moments that nobody knows."""
    age = replace(moment("09:01:00"), at_ns=-90 * NS_PER_S)
    tables = [
        ClusterSeen(
            events=(
                row("09:01:00", first=age, evidence=Evidence(artefact=name, text="90s", line=1)),
            ),
        )
        for name in ("a.txt", "b.txt")
    ]

    assert 2 == len(join(tables).events)
    assert 1 == len(join([tables[0], tables[0]]).events)


def test_a_log_fills_in_what_the_claim_does_not_say() -> None:
    """Of the object the conditions count, of the log what was later, and how far it goes."""
    obj = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": "gpu-1", "creationTimestamp": stamp("08:59:00")},
        "status": {"conditions": [condition("Launched", "08:59:03")]},
    }
    log = ClusterSeen(
        node_claims=(
            NodeClaim(
                artefact="karpenter.log",
                name="gpu-1",
                launched=moment("08:59:03.4", 1_000_000),
                instance_type="g7e.2xlarge",
                last_seen=moment("09:10:00"),
            ),
        )
    )

    for order in permutations([seen(obj), log]):
        (claim,) = join(order).node_claims

        assert ("a.json", "g7e.2xlarge") == (claim.artefact, claim.instance_type)
        assert at("08:59:03") == (claim.launched and claim.launched.at_ns)
        assert at("09:10:00") == (claim.last_seen and claim.last_seen.at_ns)


def test_parts_without_a_name_are_not_thrown_together() -> None:
    """Two different ones are two, the same one twice is one."""
    objects = [
        {"status": {"conditions": [condition("PodScheduled", clock)]}}
        for clock in ("09:00:00", "09:30:00")
    ]
    parts = [seen(obj) for obj in objects]

    assert 2 == len(seen(*objects).pods)
    assert 2 == len(join(parts).pods)
    assert 1 == len(join([parts[0], parts[0]]).pods)


def test_many_events_of_one_second_take_no_time() -> None:
    """Thousands of pods that say the same at once: each is told by its name, not by
    looking through all."""
    text = "\n".join(
        json.dumps(PULLED | {"metadata": {"name": f"e{n}"}, "involvedObject": {"name": f"p{n}"}})
        for n in range(2_500)
    )

    assert 2_500 == len(read_cluster("a", text.encode()).events)
