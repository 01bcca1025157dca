"""Whatever an object looks like, it is read or passed over; what is exact stays exact."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import ClusterSeen
from firstlight.readers.kube.reading import join, looks_like_cluster, read_cluster
from tests.readers.kube.cluster_objects import SAVED, at, event, event_of, pod, pod_of, seen

HANDLED = [
    item
    for name in ("1.20-start.json", "karpenter-1.x.json")
    for item in json.loads((SAVED / name).read_text())["items"]
] + [json.loads(line) for line in (SAVED / "1.33-watch.jsonl").read_text().splitlines()]

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.just(10**400),
    st.text(max_size=8),
    st.sampled_from(["", "True", "0001-01-01T00:00:00Z", "9999999-01-01T00:00:00Z", "\ud800"]),
    st.lists(st.integers() | st.none(), max_size=2),
    st.dictionaries(st.text(max_size=4), st.none() | st.integers(), max_size=2),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every map and list in it with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    inner = [
        place for key in keys if isinstance(value[key], dict | list) for place in places(value[key])
    ]
    return [*((value, key) for key in keys), *inner]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A real object with some of its values replaced, moved or gone."""
    obj = json.loads(json.dumps(draw(st.sampled_from(HANDLED))))
    for _ in range(draw(st.integers(1, 4))):
        choices = places(obj)
        if not choices:
            break
        holder, key = draw(st.sampled_from(choices))
        how = draw(st.sampled_from(["odd", "wrapped", "moved", "gone"]))
        if how == "odd":
            holder[key] = draw(odd)
        elif how == "wrapped":
            holder[key] = [holder[key]]
        elif how == "moved":
            other, place = draw(st.sampled_from(choices))
            holder[key] = json.loads(json.dumps(other[place]))
        else:
            del holder[key]
    return obj


def read(data: bytes) -> ClusterSeen | None:
    """What is in it; None where it is said to be damaged, in words and with a remedy."""
    looks_like_cluster(data[: 64 * 1024])
    try:
        return read_cluster("a", data)
    except BadInput as e:
        said = e
    assert said.message.startswith("a ")
    assert said.remedy
    return None


@given(mutated())
@settings(max_examples=60, deadline=None)
def test_any_shape_is_read_or_passed_over(obj: Any) -> None:
    """Whole JSON is never damaged, whatever stands in it; the values can be written out."""
    cluster = read(json.dumps(obj).encode())

    assert cluster is not None
    assert json.dumps(asdict(cluster), ensure_ascii=False).encode()
    assert join([cluster, cluster]) == join([cluster])


@given(mutated())
@settings(max_examples=20, deadline=None)
def test_any_shape_in_yaml(obj: Any) -> None:
    """The same through the other reader."""
    text = yaml.dump(obj, Dumper=yaml.SafeDumper)

    read(text.encode("utf-8", "replace"))


@given(st.sampled_from(HANDLED), st.data())
@settings(max_examples=40, deadline=None)
def test_any_damage_is_read_or_said(obj: Any, data: st.DataObject) -> None:
    """Cut, with a piece gone, or with bytes in it that do not belong there."""
    whole = json.dumps(obj, indent=data.draw(st.sampled_from([None, 2]))).encode()
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.sampled_from([begin, begin + 1, begin + 40, len(whole)]))
    read(whole[:begin] + data.draw(st.binary(max_size=6)) + whole[end:])


@given(st.binary(max_size=200) | st.text(alphabet='{}[]":, \n-a&*kind:apiVersion', max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_bytes(data: bytes | str) -> None:
    """Nothing but a sentence comes of it."""
    read(data if isinstance(data, bytes) else data.encode())


@settings(max_examples=50, deadline=None)
@given(
    st.datetimes(datetime(2014, 1, 1), datetime(2099, 12, 31)),  # noqa: DTZ001  # naive bounds
    st.sampled_from([0, 6]),
)
def test_stamps_are_exact(moment: datetime, digits: int) -> None:
    """To the unit they are written in, over all the years there are clusters."""
    moment = moment.replace(tzinfo=UTC, microsecond=moment.microsecond if digits else 0)
    written = moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{moment:%f}Z" if digits else "Z")
    obj = pod()
    obj["metadata"]["creationTimestamp"] = written
    created = pod_of(obj).created

    since_1970 = moment - datetime(1970, 1, 1, tzinfo=UTC)
    exact_ns = (since_1970.days * 86400 + since_1970.seconds) * NS_PER_S
    exact_ns += since_1970.microseconds * 1000
    assert created
    assert (exact_ns, NS_PER_S // 10**digits) == (created.at_ns, created.resolution_ns)


@given(st.integers(-2 * NS_PER_S, 3 * NS_PER_S))
@settings(max_examples=50, deadline=None)
def test_an_event_begins_within_the_second_it_is_stamped_with(offset_ns: int) -> None:
    """Whatever its name says."""
    named_ns = at("09:01:00") + offset_ns
    first = event_of(event("Pulled", "x", "09:01:00", suffix=f"{named_ns:x}")).first

    assert first
    assert at("09:01:00") <= first.at_ns < at("09:01:01")
    assert (0 <= offset_ns < NS_PER_S) == (first.resolution_ns == 1)


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_the_order_of_artefacts_does_not_matter_where_stamps_tell(data: st.DataObject) -> None:
    """Pods that became ready at different times, events with different counts."""
    seconds = data.draw(st.lists(st.integers(10, 59), min_size=1, max_size=3, unique=True))
    views = [
        seen(
            pod(ready=f"09:02:{second}"),
            event("Unhealthy", "x", "09:01:00", count=second),
            artefact=f"{second}",
        )
        for second in seconds
    ]
    joined = [join(order) for order in permutations(views)]

    assert [joined[0]] * len(joined) == joined
    assert (1, max(seconds)) == (len(joined[0].pods), joined[0].events[0].count)
    assert f"{max(seconds)}" == joined[0].pods[0].artefact


@given(st.lists(st.sampled_from(HANDLED), max_size=12), st.integers(0, 12))
@settings(max_examples=25, deadline=None)
def test_joining_twice_changes_nothing(objects: list[Any], cut: int) -> None:
    """Nor does what was joined before."""
    views = [seen(*objects[:cut], artefact="a"), seen(*objects[cut:], artefact="b")]
    once = join(views)

    assert once == join([once])
    assert once == join([once, once])
