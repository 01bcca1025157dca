"""What one probe file says, however damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.probe_lines import Begetting, Interval, ProbeFile, read_file
from tests.readers.probe_text import MS, called, imported, opening, span, text, wait

NAME = "12-345.jsonl"

junk = st.one_of(
    st.binary().map(lambda b: b.decode("utf-8", "replace")),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=5,
    ).map(json.dumps),
    st.fixed_dictionaries(
        {"k": st.sampled_from(["process", "import", "span", "wait", "begin", "counters", "spawn"])},
        optional={
            key: st.one_of(st.integers(), st.text(), st.none(), st.booleans(), st.just({"a": 1}))
            for key in ("n", "s", "e", "t", "i", "pid", "ppid", "start_ns", "at_ns", "v", "child")
        },
    ).map(json.dumps),
)


@given(st.lists(junk).map("\n".join), st.text())
def test_nothing_makes_it_raise(content: str, name: str) -> None:
    """Whatever is in a file, or what it is called, there is an answer."""
    file = read_file(name, content)

    assert file.damaged <= content.count("\n") + 1
    assert all(i.start_ns <= i.end_ns for i in file.intervals)


@given(st.data())
def test_a_cut_file_keeps_its_whole_lines(data: st.DataObject) -> None:
    """A process that is killed in the middle of a write loses that record alone."""
    records = [opening(12), *(imported(f"m{n}", n, n + 1) for n in range(5))]
    whole = text(*records)
    cut = data.draw(st.integers(len(text(records[0])), len(whole)))

    file = read_file(NAME, whole[:cut])

    lines = whole[:cut].count("\n")
    assert [f"m{n}" for n in range(lines - 1)] == [i.name for i in file.intervals][: lines - 1]
    assert file.damaged <= 1


def test_every_kind_is_read() -> None:
    """One of each, with its line."""
    file = read_file(
        NAME,
        text(
            opening(12, 3, start=5, at=9, program="vllm serve"),
            called("EngineCore"),
            imported("torch", 10, 20, x="torch.nn"),
            span("compile", "inductor", 20, 30, th=99),
            {"k": "spawn", "child": 44, "n": "Worker", "t": 31 * MS},
            {"k": "counters", "when": "exit", "t": 40 * MS, "v": {"hits": 1, "odd": "x"}},
            {"k": "exit", "t": 41 * MS},
        ),
    )

    (first,) = file.openings
    assert (12, 3, 5 * MS, 9 * MS, "vllm serve", False) == (
        file.pid,
        first.ppid,
        first.start_ns,
        first.at_ns,
        first.program,
        first.forked,
    )
    assert ["EngineCore"] == file.called
    assert [
        Interval(
            line=3,
            kind="import",
            group="",
            name="torch",
            start_ns=10 * MS,
            end_ns=20 * MS,
            detail="torch.nn",
        ),
        Interval(
            line=4,
            kind="span",
            group="compile",
            name="inductor",
            start_ns=20 * MS,
            end_ns=30 * MS,
            main_thread=False,
        ),
    ] == file.intervals
    assert [Begetting(child=44, at_ns=31 * MS)] == file.begetting
    assert [("exit", {"hits": 1})] == [(c.when, dict(c.values)) for c in file.counting]
    assert (41 * MS, 41 * MS, 0) == (file.exited_ns, file.last_ns, file.damaged)


def test_an_announced_span_that_ended_is_one_interval() -> None:
    """Its beginning and its end are the same thing."""
    begin = {"k": "begin", "i": 1, "g": "weights", "n": "reading", "s": 10 * MS}

    file = read_file(NAME, text(begin, span("weights", "reading", 10, 20, i=1)))

    assert [(10 * MS, 20 * MS, True)] == [
        (i.start_ns, i.end_ns, i.finished) for i in file.intervals
    ]


def test_an_announced_span_that_never_ended_is_told() -> None:
    """It is the answer to where a start hangs; a wait stays a wait."""
    begin = {"k": "begin", "i": 1, "g": "weights", "n": "reading", "s": 10 * MS}
    waits = {"k": "begin", "i": 2, "g": "executor", "n": "waiting", "s": 12 * MS, "w": 1}

    file = read_file(NAME, text(begin, waits))

    assert [("span", "reading", False), ("wait", "waiting", False)] == [
        (i.kind, i.name, i.finished) for i in file.intervals
    ]


@pytest.mark.parametrize(
    "record",
    [
        imported("", 1, 2),
        imported("torch", 3, 2),
        imported("torch", 1, 2) | {"s": "1"},
        imported("torch", 1, 2) | {"s": True},
        imported("torch", 1, 2) | {"e": 10**30},
        {"k": "begin", "i": 1, "n": "reading", "g": "", "s": None},
        {"k": "begin", "n": "reading", "g": "", "s": 1},
        opening(12, start=3, at=2),
        opening(12) | {"ppid": -1},
        {"k": "name", "n": 5, "t": 1},
        {"k": "spawn", "child": None, "t": 1},
        {"k": "spawn", "child": 4},
        {"k": "counters", "v": [], "t": 1},
        {"k": "counters", "v": {}},
        {"k": "exit"},
    ],
)
def test_a_record_that_breaks_its_promise_is_counted(record: dict[str, object]) -> None:
    """It is skipped whole: half a fact is none."""
    file = read_file(NAME, text(record))

    assert 1 == file.damaged
    assert ([], [], [], []) == (file.intervals, file.openings, file.counting, file.begetting)


def test_an_unknown_kind_is_skipped_in_silence() -> None:
    """A newer probe may say more."""
    assert 0 == read_file(NAME, text({"k": "weather", "t": 1 * MS}, {"no": "kind"})).damaged


def test_the_name_gives_the_process_where_the_record_is_lost() -> None:
    """The file is called after its process."""
    assert 12 == read_file("probe/12-345.jsonl", text(wait(1, 2))).pid
    assert ProbeFile(name="other", pid=0) == read_file("other", "")
