"""What the probes of one start tell, together."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.probe_events import ProbeEvents, Spawn, read_probe
from tests.readers.probe_text import MS, called, imported, opening, ran, span, text, wait

FRONT = text(
    opening(10, 1, start=0, at=20, program="vllm serve"),
    imported("vllm", 20, 100),
    {"k": "spawn", "child": 11, "n": "EngineCore", "t": 110 * MS},
    span("engine client", "construction", 100, 500),
    span("engine client", "waiting for the engine core", 120, 480) | {"k": "wait"},
)
CORE = text(
    opening(11, 10, start=110, at=130, program="-c spawn_main"),
    called("EngineCore"),
    imported("torch", 130, 200),
    span("engine core", "construction", 200, 470),
    wait(210, 400),
)
FILES = {"10-1.jsonl": FRONT, "11-1.jsonl": CORE}


def told(events: ProbeEvents) -> list[tuple[int, int, int, tuple[str, ...]]]:
    """Activities in milliseconds: start, end, depth, names."""
    return [(a.start_ns // MS, a.end_ns // MS, a.depth, a.path) for a in events.activities]


@given(st.dictionaries(st.text(max_size=20), st.binary(max_size=200), max_size=4))
def test_nothing_makes_it_raise(files: dict[str, bytes]) -> None:
    """Whatever the folder holds."""
    assert all(a.start_ns < a.end_ns for a in read_probe(files, offset_ns=0).activities)


@given(st.data())
def test_damage_anywhere_is_survived(data: st.DataObject) -> None:
    """Bytes of a real file, changed and cut."""
    content = bytearray(data.draw(st.sampled_from([FRONT, CORE])).encode())
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))

    events = read_probe(FILES | {"10-1.jsonl": bytes(content)}, offset_ns=0)

    assert all(a.start_ns < a.end_ns for a in events.activities)


def test_a_start_is_told_process_by_process() -> None:
    """Waiting is left out, so what a child leaves unnamed stays unnamed."""
    assert [
        (0, 20, 0, ("front end: interpreter start",)),
        (20, 100, 0, ("front end: imports", "vllm")),
        (100, 120, 0, ("front end: engine client", "construction")),
        (110, 130, 1, ("engine core: interpreter start",)),
        (130, 200, 1, ("engine core: imports", "torch")),
        (200, 210, 1, ("engine core: engine core", "construction")),
        (400, 470, 1, ("engine core: engine core", "construction")),
        (480, 500, 0, ("front end: engine client", "construction")),
    ] == told(read_probe(FILES, offset_ns=0))


def test_times_are_put_on_the_axis_that_is_asked_for() -> None:
    """The probe knows the monotonic clock; the offset makes it unix time."""
    here, there = read_probe(FILES, offset_ns=0), read_probe(FILES, offset_ns=10**18)

    assert [a.start_ns + 10**18 for a in here.activities] == [a.start_ns for a in there.activities]
    assert [s.started_ns + 10**18 for s in here.spawns] == [s.started_ns for s in there.spawns]


def test_each_activity_has_its_evidence() -> None:
    """File, line, and words with the whole duration and the process."""
    activity = read_probe(FILES, offset_ns=0).activities[4]

    (evidence,) = activity.evidence
    assert ("11-1.jsonl", 3, "import torch 0.070 s (engine core, pid 11)") == (
        evidence.artefact,
        evidence.line,
        evidence.text,
    )


def test_evidence_of_a_span_tells_detail_and_rank() -> None:
    """And that it never ended, where it did not."""
    worker = text(
        opening(12, 11),
        called("VllmWorker-3"),
        span("KV cache", "allocation", 1, 2, x="1 GiB"),
        {"k": "begin", "i": 1, "g": "weights", "n": "reading", "s": 3 * MS},
        imported("zmq", 4, 5),
    )

    events = read_probe({"12-1.jsonl": worker}, offset_ns=0)

    assert [
        "allocation (1 GiB) 0.001 s (worker 3, pid 12)",
        "reading unended (worker 3, pid 12)",
        "import zmq 0.001 s (worker 3, pid 12)",
    ] == [a.evidence[0].text for a in events.activities]


def test_what_never_ended_goes_on_until_it_is_said_to() -> None:
    """On the axis that was asked for."""
    hung = text(opening(9), {"k": "begin", "i": 1, "g": "weights", "n": "reading", "s": 3 * MS})

    events = read_probe({"9-1.jsonl": hung}, offset_ns=100 * MS, until_ns=150 * MS)

    assert [(103, 150)] == [(start, end) for start, end, *_ in told(events)]


def test_spawns_are_told_with_the_report() -> None:
    """From the start of the child until the parent's wait was over."""
    assert (Spawn(parent=10, child=11, started_ns=110 * MS, reported_ns=480 * MS),) == (
        read_probe(FILES, offset_ns=0).spawns
    )


def test_a_child_that_never_reported_is_told_as_such() -> None:
    """A start that failed, or a child that nobody waited for."""
    lone = text(opening(10), {"k": "spawn", "child": 11, "t": 110 * MS})

    assert [None] == [s.reported_ns for s in read_probe({"10-1.jsonl": lone}, offset_ns=0).spawns]


def test_a_helper_counts_where_its_parent_names_nothing_else() -> None:
    """A compile worker warming up beside the tracing is waited for by nobody, until it is."""
    parent = text(
        opening(10, program="vllm serve"),
        span("compile", "inductor", 0, 50),
        ran("python", 20, 80, 120),
    )
    helper = text(opening(20, 10, start=30, at=40, program="-c"), imported("torch", 40, 100))

    assert [
        (0, 50, 0, ("front end: compile", "inductor")),
        (50, 100, 1, ("helper: imports", "torch")),
        (80, 120, 0, ("front end: programs", "run python")),
    ] == told(read_probe({"10-1.jsonl": parent, "20-1.jsonl": helper}, offset_ns=0))


def test_a_helper_that_takes_itself_apart_is_told() -> None:
    """From its last word until its parent had waited for it."""
    parent = text(opening(10, program="vllm serve"), ran("python", 20, 0, 120))
    helper = text(
        opening(20, 10, start=10, at=20, program="-m vllm.model_executor.models.registry"),
        {"k": "exit", "t": 40 * MS},
    )
    early = text(opening(10, program="vllm serve"), ran("python", 20, 50, 120))

    def exits(parent_text: str) -> list[tuple[int, int]]:
        events = read_probe({"10-1.jsonl": parent_text, "20-1.jsonl": helper}, offset_ns=0)
        name = ("model inspection: interpreter exit",)
        return [(start, end) for start, end, _, names in told(events) if names == name]

    assert [(40, 120)] == exits(parent)
    assert [] == exits(early)


def test_the_resource_tracker_and_strangers_are_left_out() -> None:
    """Nobody waits for the one; nobody is known to wait for the others."""
    files = {
        "10-1.jsonl": text(opening(10, program="vllm serve")),
        "11-1.jsonl": text(
            opening(11, 10, program="-c resource_tracker"), imported("signal", 1, 2)
        ),
        "12-1.jsonl": text(opening(12, 777), imported("json", 1, 2)),
    }

    events = read_probe(files, offset_ns=0)

    assert ((), 3) == (events.activities, len(events.processes))


def test_a_launchers_own_work_is_told() -> None:
    """Until it waits for the front end."""
    files = {
        "5-1.jsonl": text(
            opening(5, program="run.py"), imported("yaml", 1, 5), ran("v", 10, 6, 99)
        ),
        "10-1.jsonl": text(opening(10, 5, program="vllm serve"), imported("vllm", 7, 9)),
    }

    assert [
        (1, 5, 0, ("launcher: imports", "yaml")),
        (7, 9, 0, ("front end: imports", "vllm")),
    ] == told(read_probe(files, offset_ns=0))


def test_counters_are_told_with_process_and_place() -> None:
    """What the verdict about the compile cache rests on."""
    values = {"inductor.fxgraph_cache_hit": 3}
    worker = text(
        opening(12),
        called("VllmWorker-0"),
        {"k": "counters", "when": "exit", "t": 7 * MS, "v": values},
    )

    (counters,) = read_probe({"12-1.jsonl": worker}, offset_ns=1).counters

    assert (12, "worker", "exit", 7 * MS + 1, values, "12-1.jsonl", 3) == (
        counters.pid,
        counters.role,
        counters.when,
        counters.at_ns,
        dict(counters.values),
        counters.artefact,
        counters.line,
    )


def test_damaged_lines_are_counted_over_all_files() -> None:
    """Also those of a file that says nothing else."""
    files: dict[str, str | bytes] = {
        "10-1.jsonl": FRONT + '{"k":"imp',
        "99-1.jsonl": b"\xff\x00\n",
    }

    assert 2 == read_probe(files, offset_ns=0).damaged_lines


def test_a_process_id_used_twice_is_told_once() -> None:
    """The file with more to tell."""
    files = {"10-1.jsonl": FRONT, "10-2.jsonl": text(opening(10, 1), imported("json", 1, 2))}

    assert told(read_probe({"10-1.jsonl": FRONT}, offset_ns=0)) == told(
        read_probe(files, offset_ns=0)
    )


def test_nothing_told_is_nothing() -> None:
    """A start without the probe."""
    assert ProbeEvents() == read_probe({}, offset_ns=0)
