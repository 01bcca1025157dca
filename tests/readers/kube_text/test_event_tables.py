"""Tables of events, as kubectl and people print them."""

import pytest

from firstlight.core.marks import Clock
from firstlight.readers.kube.model import Event
from tests.readers.kube_text import samples
from tests.readers.kube_text.reading import at, counts_back, event, read, whole

S = 1_000_000_000
NOW = whole("2025-06-10T10:00:00")


def brief(found: Event) -> tuple[str, str, str, str, str]:
    return (found.type, found.reason, found.kind, found.name, found.message)


def test_the_default_table() -> None:
    """LAST SEEN, TYPE, REASON, OBJECT, MESSAGE."""
    seen = read(samples.EVENTS, NOW)

    name = "qwen-6c9d7f5b8-x2k4p"
    message = 'Pulling image "example.com/a:1"'
    assert ["Scheduled", "Pulling", "Pulled", "Unhealthy"] == [e.reason for e in seen.events]
    assert ("Normal", "Pulling", "Pod", name, message) == brief(event(seen, "Pulling"))
    assert NOW - 133 * S == at(event(seen, "Pulling").first)
    assert not counts_back(seen)


def test_a_last_seen_of_what_repeats_is_not_its_beginning() -> None:
    """Without a count nobody knows whether the probe failed once."""
    unhealthy = event(read(samples.EVENTS, NOW), "Unhealthy")

    assert unhealthy.first is None
    assert NOW - 12 * S == at(unhealthy.last)


def test_the_reason_tells_the_clock_where_no_component_does() -> None:
    """Pulling is the kubelet's word, Scheduled the control plane's."""
    seen = read(samples.EVENTS, NOW)
    clocks = {e.reason: e.last.clock for e in seen.events if e.last}

    assert Clock.CONTROL_PLANE == clocks["Scheduled"]
    assert Clock.NODE == clocks["Pulling"]


def test_all_namespaces() -> None:
    """-A puts a column in front."""
    table = (
        "NAMESPACE   LAST SEEN   TYPE     REASON   OBJECT       MESSAGE\n"
        "models      5s          Normal   Pulled   pod/qwen-0   "
        'Container image "a:1" already present on machine\n'
    )
    found = event(read(table, NOW), "Pulled")

    assert ("models", "qwen-0") == (found.namespace, found.name)


def test_the_wide_table_has_a_subsecond_clock() -> None:
    """The event's name agrees with its age, and gives the capture moment to the others."""
    seen = read(samples.WIDE)

    pulling, unhealthy = event(seen, "Pulling"), event(seen, "Unhealthy")
    assert NOW + 1_252_000_000 == at(pulling.first)
    assert pulling.first is not None
    assert 1 == pulling.first.resolution_ns
    assert ("vllm", "kubelet") == (pulling.container, pulling.component)
    assert NOW + 60 * S + S // 4 == at(unhealthy.first)
    assert 4 == unhealthy.count
    assert not counts_back(seen)


def test_a_blank_cell_shifts_nothing() -> None:
    """Scheduled has no SUBOBJECT; its source and its message stay in their columns."""
    scheduled = event(read(samples.WIDE), "Scheduled")

    assert ("", "default-scheduler") == (scheduled.container, scheduled.component)
    assert "Successfully  assigned it" == scheduled.message


def test_a_wide_row_without_a_header() -> None:
    """The event's name at the end proves what stands before it."""
    rows = "\n".join(samples.WIDE.splitlines()[1:])
    seen = read(rows)

    assert [brief(e) for e in read(samples.WIDE).events] == [brief(e) for e in seen.events]
    assert ["default-scheduler", "kubelet", "kubelet"] == [e.component for e in seen.events]
    assert [1, 1, 4] == [e.count for e in seen.events]


def test_a_name_that_contradicts_its_age_is_no_clock() -> None:
    """Somebody else's hexadecimal number: the age stays, the capture is unknown."""
    table = samples.WIDE.replace("1847a617c38d4100", "1800000000000000")
    pulling = event(read(table), "Pulling")

    assert pulling.first is not None
    assert pulling.first.resolution_ns >= S
    assert abs(at(pulling.first) - (NOW + 1_252_000_000)) < 2 * S


def test_custom_columns_have_stamps() -> None:
    """Whatever columns somebody asked for, in any order."""
    table = (
        "TIME                   REASON    MESSAGE                    OBJECT\n"
        '2025-06-10T10:00:00Z   Pulling   Pulling image "a:1"        qwen-0\n'
        "2025-06-10T10:01:00.250000Z   Pulled   Successfully pulled   qwen-0\n"
        "<none>                 Created   Created container vllm     qwen-0\n"
    )
    seen = read(table)

    assert NOW == at(event(seen, "Pulling").first)
    assert NOW + 60 * S + S // 4 == at(event(seen, "Pulled").first)
    assert "qwen-0" == event(seen, "Pulled").name
    assert "vllm" == event(seen, "Created").container
    assert None is event(seen, "Created").first


def test_first_last_count_and_creation_have_columns_of_their_own() -> None:
    """None of them stands for another."""
    table = (
        "FIRST                  LAST                   CREATED                COUNT   REASON\n"
        "2025-06-10T10:00:00Z   2025-06-10T10:05:00Z   2025-06-10T10:00:01Z   7       BackOff\n"
    )
    found = event(read(table), "BackOff")

    assert (NOW, NOW + 300 * S, 7) == (at(found.first), at(found.last), found.count)
    assert NOW + S == at(found.recorded)
    assert found.recorded is not None
    assert Clock.CONTROL_PLANE == found.recorded.clock


def test_a_header_that_its_rows_do_not_keep_to() -> None:
    """Cut and pasted until nothing stands under its heading: the gaps decide."""
    table = (
        "LAST_SEEN            TYPE      REASON             MESSAGE\n"
        "2025-06-10T10:00:00Z   Normal    Started                Started container vllm\n"
    )

    assert ("Normal", "Started", "", "", "Started container vllm") == brief(
        event(read(table), "Started")
    )


@pytest.mark.parametrize(
    "line",
    [
        "5m49s       Warning   Unhealthy   pod/qwen-0   Liveness probe failed: refused",
        "models   5m49s   Warning   Unhealthy   pod/qwen-0   Liveness probe failed: refused",
        "2025-06-10T10:00:00Z   Warning   Unhealthy   pod/qwen-0   Liveness probe failed: refused",
        "2025-06-10T10:00:00Z   Unhealthy   pod/qwen-0   Liveness probe failed: refused",
        (
            "2025-06-10T12:00:00.9070309Z 5m49s   Warning   Unhealthy   pod/qwen-0   "
            "Liveness probe failed: refused"
        ),
        "5m49s\tWarning\tUnhealthy\tpod/qwen-0\tLiveness probe failed: refused",
    ],
)
def test_rows_without_a_header(line: str) -> None:
    """By their shape; also behind a CI system's stamp."""
    (found,) = read(line).events

    expected = ("Unhealthy", "qwen-0", "Liveness probe failed: refused")
    assert expected == (found.reason, found.name, found.message)


def test_a_ci_stamp_is_not_the_events() -> None:
    """The stamp in front is of the printing: the age counts."""
    seen = read('2025-06-10T12:00:00.9070309Z 9s   Normal   Pulling   pod/a-0   Pulling image "a"')

    assert counts_back(seen)
    assert -9 * S == at(seen.events[0].last)


@pytest.mark.parametrize(
    "cell", ["4m13s", "25m (x3 over 28m)", "<unknown>", "<invalid> (x2 over 3m)", "2d3h"]
)
def test_rows_of_a_description(cell: str) -> None:
    """Type, Reason, Age, From, Message, with any age."""
    (found,) = read(f"  Warning  BackOff  {cell}  kubelet  Back-off restarting").events

    assert ("BackOff", "kubelet", "Back-off restarting") == (
        found.reason,
        found.component,
        found.message,
    )


def test_the_newer_events_command_counts() -> None:
    """`kubectl events` writes both ends into LAST SEEN."""
    table = (
        "LAST SEEN            TYPE      REASON      OBJECT       MESSAGE\n"
        "3m (x5 over 10m)     Warning   Unhealthy   Pod/qwen-0   Startup probe failed\n"
    )
    found = event(read(table, NOW), "Unhealthy")

    assert (NOW - 600 * S, NOW - 180 * S, 5) == (at(found.first), at(found.last), found.count)
    assert "Pod" == found.kind


@pytest.mark.parametrize(
    "line",
    [
        "2025-06-10 10:00:00   Loading   model weights   now",
        "2025-06-10T10:00:00Z   Info   main   Started",
        "2025-06-10T10:00:00Z   INFO   main   Started",
        "5s   Started   pod/a   no type",
        "one  two  three  four  five",
        "Normal  Started",
        "9s   Normal   lower   pod/a   text",
        "REASON:  none  given",
    ],
)
def test_other_columns_are_no_events(line: str) -> None:
    """A log with columns, prose with gaps."""
    assert () == read(line).events


def test_the_message_names_what_no_column_does() -> None:
    """The pod of Scheduled and BackOff, the container of Created."""
    rows = (
        "TIME                   REASON      MESSAGE\n"
        "2025-06-10T10:00:00Z   Scheduled   Successfully assigned models/qwen-0 to n1\n"
        "2025-06-10T10:00:09Z   BackOff     "
        "Back-off restarting failed container vllm in pod qwen-0_models(ab-12)\n"
    )
    seen = read(rows)

    scheduled, back_off = event(seen, "Scheduled"), event(seen, "BackOff")
    assert ("Pod", "qwen-0", "models") == (scheduled.kind, scheduled.name, scheduled.namespace)
    assert ("vllm", "ab-12") == (back_off.container, back_off.uid)
    assert "qwen-0" == back_off.name


def test_evidence_is_the_row_and_its_line() -> None:
    """Verbatim."""
    row = '5s   Normal   Pulling   pod/qwen-0   Pulling image "a:1"'
    (found,) = read(f"\n\n{row}\n").events

    assert ("saved.txt", 3, row) == (
        found.evidence.artefact,
        found.evidence.line,
        found.evidence.text,
    )
