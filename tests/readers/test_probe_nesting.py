"""Each instant goes to the innermost interval."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.probe_lines import Interval, ProbeFile, read_file
from firstlight.readers.probe_nesting import Piece, outside, own_time
from tests.readers.probe_text import MS, imported, opening, ran, span, text, wait

LAST = 30

intervals = st.lists(
    st.builds(
        lambda start, length, kind, number: Interval(
            line=number, kind=kind, group="g", name="n", start_ns=start, end_ns=start + length
        ),
        st.integers(0, LAST),
        st.integers(0, LAST),
        st.sampled_from(["import", "span", "wait"]),
        st.integers(1, 9),
    ),
    max_size=8,
)


def names(file: ProbeFile) -> list[tuple[int, int, str]]:
    """The pieces in milliseconds."""
    return [
        (p.start_ns // MS, p.end_ns // MS, p.interval.name)
        for p in own_time(file, waited_for=set())
    ]


@given(intervals)
def test_every_instant_goes_to_the_interval_begun_last(given_intervals: list[Interval]) -> None:
    """Whatever crosses whatever; an instant over which a wait is innermost goes to nobody."""
    file = ProbeFile(name="f", pid=1, intervals=given_intervals)

    pieces = own_time(file, waited_for=set())

    for at in range(2 * LAST):
        over = [i for i in given_intervals if i.start_ns <= at < i.end_ns]
        begun = max(((i.start_ns, -i.end_ns) for i in over), default=None)
        candidates = [i for i in over if (i.start_ns, -i.end_ns) == begun]
        won = [p.interval for p in pieces if p.start_ns <= at < p.end_ns]
        if won:
            assert won[0] in candidates
            assert ["wait"] != [won[0].kind]
        else:
            assert not candidates or any(i.kind == "wait" for i in candidates)


@given(intervals, intervals)
def test_outside_is_what_the_others_do_not_cover(
    mine: list[Interval], theirs: list[Interval]
) -> None:
    """Instant by instant, and in order."""
    pieces, others = (
        own_time(ProbeFile(name="f", pid=1, intervals=some), waited_for=set())
        for some in (mine, theirs)
    )

    left = outside(pieces, others)

    def covered(some: list[Piece], at: int) -> bool:
        return any(p.start_ns <= at < p.end_ns for p in some)

    for at in range(2 * LAST):
        assert (covered(pieces, at) and not covered(others, at)) == covered(left, at)
    assert left == sorted(left, key=lambda p: p.start_ns)


def test_a_package_keeps_what_its_inner_imports_leave() -> None:
    """vllm imports torch, which imports numpy."""
    file = read_file(
        "1-1.jsonl",
        text(imported("numpy", 30, 40), imported("torch", 20, 60), imported("vllm", 10, 90)),
    )

    assert [
        (10, 20, "vllm"),
        (20, 30, "torch"),
        (30, 40, "numpy"),
        (40, 60, "torch"),
        (60, 90, "vllm"),
    ] == names(file)


def test_waiting_is_nobodys_work_and_work_inside_it_is() -> None:
    """A lazy import while the workers start is still an import."""
    file = read_file(
        "1-1.jsonl",
        text(span("executor", "construction", 0, 100), wait(10, 90), imported("zmq", 40, 50)),
    )

    assert [(0, 10, "construction"), (40, 50, "zmq"), (90, 100, "construction")] == names(file)


def test_the_interpreters_start_is_the_first_piece() -> None:
    """From what the kernel says until the probe was loaded; a fork has no such time."""
    started = read_file("1-1.jsonl", text(opening(1, start=10, at=40)))
    forked = read_file("1-1.jsonl", text(opening(1, start=10, at=40, forked=True)))

    assert [(10, 40, "interpreter start")] == names(started)
    assert [] == names(forked)


def test_an_interpreter_that_replaced_another_starts_where_that_left_off() -> None:
    """`exec` keeps the process and its start: two openings in one file."""
    file = read_file(
        "1-1.jsonl",
        text(opening(1, start=0, at=10), imported("os", 12, 20), opening(1, start=0, at=50)),
    )

    assert [(0, 10, "interpreter start"), (12, 20, "os"), (20, 50, "interpreter start")] == names(
        file
    )


def test_what_a_fork_inherited_begins_with_the_fork() -> None:
    """The child ends calls that its parent began."""
    file = read_file(
        "2-1.jsonl",
        text(opening(2, start=50, at=51, forked=True), span("weights", "reading", 10, 80)),
    )

    assert [(50, 80, "reading")] == names(file)


def test_what_never_ended_goes_on_until_it_is_said_to() -> None:
    """Until the last word of its process, or as long as the start was watched."""
    begin = {"k": "begin", "i": 1, "g": "weights", "n": "reading", "s": 10 * MS}
    file = read_file("1-1.jsonl", text(begin, imported("late", 20, 30)))

    assert 30 * MS == own_time(file, waited_for=set())[-1].end_ns
    assert 99 * MS == own_time(file, waited_for=set(), until_ns=99 * MS)[-1].end_ns


def test_other_threads_do_not_count() -> None:
    """Nobody waits for them, as far as they say."""
    assert [] == names(read_file("1-1.jsonl", text(imported("aside", 1, 9, th=5))))


def test_a_program_that_tells_its_own_start_is_waited_for() -> None:
    """An engine core run as a program; a compiler is work."""
    file = read_file("1-1.jsonl", text(ran("python", 77, 0, 50), ran("g++", 78, 60, 90)))

    pieces = own_time(file, waited_for={77})

    assert ["g++"] == [p.interval.detail for p in pieces]


def test_programs_and_collections_know_what_they_interrupted() -> None:
    """The innermost interval around them that is neither."""
    file = read_file(
        "1-1.jsonl",
        text(
            span("compile", "inductor", 0, 100),
            imported("triton", 5, 8),
            ran("sh", 7, 10, 60),
            ran("g++", 8, 20, 50),
            span("garbage collection", "garbage collection", 30, 40),
            span("garbage collection", "garbage collection", 200, 210),
        ),
    )

    within = [
        (p.start_ns // MS, p.within.name if p.within else None)
        for p in own_time(file, waited_for=set())
    ]

    assert [
        (0, None),
        (5, None),
        (8, None),
        (10, "inductor"),
        (20, "inductor"),
        (30, "inductor"),
        (40, "inductor"),
        (50, "inductor"),
        (60, None),
        (200, None),
    ] == within
