"""What is read of an event, through either API."""

import json
from typing import Any

import pytest

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.reading import read_cluster
from tests.readers.kube.cluster_objects import (
    at,
    event,
    event_of,
    stamp,
    through_events_api,
)

CORE = event("Pulled", "Successfully pulled image", "09:01:00")


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("09:01:00", ("09:01:00", 1)),
        ("09:01:00.000000001", ("09:01:00.000000001", 1)),
        ("09:01:00.999999999", ("09:01:00.999999999", 1)),
        ("09:01:01", ("09:01:00", NS_PER_S)),
        ("09:00:59.999999999", ("09:01:00", NS_PER_S)),
    ],
)
def test_a_name_within_the_second_of_its_stamp(named: str, expected: tuple[str, int]) -> None:
    """The nanoseconds count only if the second they belong to is the stamp's."""
    for obj in (
        event("Pulled", "x", "09:01:00", suffix=f"{at(named):x}"),
        through_events_api(event("Pulled", "x", "09:01:00", suffix=f"{at(named):x}")),
    ):
        first = event_of(obj).first

        assert first
        assert (at(expected[0]), expected[1]) == (first.at_ns, first.resolution_ns)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("09:01:00.250500001", ("09:01:00.250500001", 1)),
        ("09:01:00.249", ("09:01:00.249", 1)),
        ("09:01:01.25", ("09:01:00.25", 1000)),
        ("08:01:00.25", ("09:01:00.25", 1000)),
    ],
)
def test_a_name_beside_microseconds(named: str, expected: tuple[str, int]) -> None:
    """The scheduler names an event about when it stamps it: a second apart is another event."""
    obj = event("Scheduled", "x", "09:01:00", suffix=f"{at(named):x}") | {
        "eventTime": "2026-03-02T09:01:00.250000Z",
        "firstTimestamp": None,
        "lastTimestamp": None,
        "source": {},
        "reportingComponent": "default-scheduler",
    }
    read = event_of(obj)

    assert read.first
    assert (at(expected[0]), expected[1]) == (read.first.at_ns, read.first.resolution_ns)
    assert Clock.CONTROL_PLANE is read.first.clock


@pytest.mark.parametrize("suffix", ["handmade", "zz", "18ec952e", "0" * 16, "f" * 16, ""])
def test_other_names_say_nothing(suffix: str) -> None:
    """Emitters that do not follow client-go leave the second of the stamp."""
    first = event_of(event("Pulled", "x", "09:01:00", suffix=suffix)).first

    assert first
    assert (at("09:01:00"), NS_PER_S) == (first.at_ns, first.resolution_ns)
    assert 'firstTimestamp: "2026-03-02T09:01:00Z"' == first.evidence.text


def test_a_name_alone_is_no_stamp() -> None:
    """Nothing agrees with it."""
    obj = CORE | {"firstTimestamp": None, "lastTimestamp": None}

    assert None is event_of(obj).first


def test_both_apis_say_the_same() -> None:
    """But for the words of the evidence, which are each API's own."""
    core, other = event_of(CORE), event_of(through_events_api(CORE))
    fields = ("reason", "message", "kind", "name", "namespace", "uid", "container", "type")

    assert [getattr(core, f) for f in (*fields, "component", "count")] == [
        getattr(other, f) for f in (*fields, "component", "count")
    ]
    assert core.first
    assert core.last
    assert other.first
    assert other.last
    assert (core.first.at_ns, core.last.at_ns) == (other.first.at_ns, other.last.at_ns)
    assert 'deprecatedLastTimestamp: "2026-03-02T09:01:00Z"' == other.last.evidence.text


@pytest.mark.parametrize(
    ("fields", "count", "last"),
    [
        ({"count": 3, "lastTimestamp": stamp("09:02:00")}, 3, "09:02:00"),
        (
            {
                "count": 0,
                "series": {"count": 7, "lastObservedTime": "2026-03-02T09:03:00.500000Z"},
            },
            7,
            "09:03:00.5",
        ),
        ({"count": None}, 1, "09:01:00"),
        ({"count": "3", "series": None}, 1, "09:01:00"),
        ({"count": 2.0}, 2, "09:01:00"),
        ({"count": True, "deprecatedCount": 1e400}, 1, "09:01:00"),
    ],
)
def test_repeats(fields: dict[str, Any], count: int, last: str) -> None:
    """Counted by whichever field is used; the first occurrence stays where it was."""
    read = event_of(CORE | fields)

    assert (count, at(last)) == (read.count, read.last and read.last.at_ns)
    assert at("09:01:00.123456789") == (read.first and read.first.at_ns)


def test_a_count_of_five_thousand_digits_is_none() -> None:
    """Python refuses to read it; the event is still there."""
    text = json.dumps(CORE).replace('"count": 1', '"count": ' + "1" * 5000)
    (read,) = read_cluster("a", text.encode()).events

    assert 1 == read.count


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.containers{vllm}", "vllm"),
        ("spec.initContainers{fetch}", "fetch"),
        ("spec.ephemeralContainers{debug}", "debug"),
        ("implicitly required container POD", ""),
        (None, ""),
    ],
)
def test_the_container_it_is_about(path: str | None, expected: str) -> None:
    """By its field path."""
    obj = CORE | {"involvedObject": {"kind": "Pod", "name": "vllm-0", "fieldPath": path}}

    assert expected == event_of(obj).container


@pytest.mark.parametrize(
    ("fields", "component", "clock"),
    [
        ({}, "kubelet", Clock.NODE),
        ({"source": {}, "reportingComponent": "kubelet"}, "kubelet", Clock.NODE),
        ({"source": {"component": "karpenter"}}, "karpenter", Clock.CONTROL_PLANE),
        (
            {"source": None, "reportingController": "job-controller"},
            "job-controller",
            Clock.CONTROL_PLANE,
        ),
    ],
)
def test_whose_clock_it_is(fields: dict[str, Any], component: str, clock: Clock) -> None:
    """The kubelet's is the node's; when the API server took it in is the control plane's."""
    read = event_of(CORE | fields)

    assert read.first
    assert read.recorded
    assert (component, clock, Clock.CONTROL_PLANE) == (
        read.component,
        read.first.clock,
        read.recorded.clock,
    )


def test_evidence_has_the_words_and_the_place() -> None:
    """The event's own name, its reason and its message; of a moment, the field."""
    read = event_of(CORE)
    name = f"vllm-0.{at('09:01:00.123456789'):x}"

    assert ("Pulled: Successfully pulled image", f"Event demo/{name}") == (
        read.evidence.text,
        read.evidence.path,
    )
    assert read.first
    assert (
        f'name: "{name}" (agrees with firstTimestamp: "2026-03-02T09:01:00Z")'
        == read.first.evidence.text
    )
    assert f"Event demo/{name}: metadata.name" == read.first.evidence.path
