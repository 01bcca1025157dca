"""Who took part and what was counted is the same, whether or not what they did is read."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.probe_events import read_probe, read_witnesses
from tests.readers.probe_text import MS, called, imported, opening, ran, span, text, wait

COUNTED = {"k": "counters", "when": "exit", "t": 700 * MS, "v": {"inductor.fxgraph_cache_hit": 3}}
MODULES = {"k": "modules", "t": 600 * MS, "read": 300, "compiled": 2}
FRONT = text(
    opening(10, 1, at=20, program="vllm serve"),
    imported("vllm", 20, 100),
    {"k": "spawn", "child": 11, "n": "EngineCore", "t": 110 * MS},
    MODULES,
)
BY_ITS_WORK = text(
    opening(11, 10, start=110, at=130, program="-c spawn_main"),
    imported("torch", 130, 200),
    span("engine core", "construction", 200, 470),
    wait(210, 400),
)
BEGUN = text(
    opening(12, 11, start=210, at=215),
    {"k": "begin", "i": 1, "g": "construction", "n": "worker", "s": 220 * MS},
    imported("torch", 230, 300),
    COUNTED,
)
NAMED = text(opening(13, 11), called("Worker_TP1"), ran("g++", 14, 1, 9), MODULES, COUNTED)
NAMELESS = text(imported("json", 1, 2), span("warm-up", "dummy run", 3, 4), COUNTED)
AGAIN = text(opening(10, 1, program="python"), imported("json", 1, 2))
FILES = {
    "10-1.jsonl": FRONT,
    "11-1.jsonl": BY_ITS_WORK,
    "12-1.jsonl": BEGUN,
    "13-1.jsonl": NAMED,
    "14-1.jsonl": NAMELESS,
    "10-2.jsonl": AGAIN,
}


def same(files: dict[str, bytes]) -> bool:
    """Whether both readings tell of the same processes and counters."""
    whole, short = read_probe(files, offset_ns=5), read_witnesses(files, offset_ns=5)
    return (whole.processes, whole.counters) == (short.processes, short.counters)


def test_roles_are_known_without_what_was_done() -> None:
    """By name, by program, by the spans that tell a role, and by what a stranger did."""
    told = read_witnesses(FILES, offset_ns=0)

    assert {10: "front end", 11: "engine core", 12: "worker", 13: "worker", 14: "helper"} == {
        one.pid: one.role for one in told.processes
    }
    assert [12, 13, 14] == [one.pid for one in told.counters]
    assert () == told.activities


@given(st.sets(st.sampled_from(sorted(FILES))), st.permutations(range(5)))
def test_both_readings_agree(names: set[str], order: list[int]) -> None:
    """Whichever files there are, and in whatever order their lines came."""
    files = {}
    for name in names:
        lines = FILES[name].splitlines(keepends=True)
        files[name] = "".join(lines[at] for at in order if at < len(lines)).encode()

    assert same(files)


@given(st.sampled_from(sorted(FILES)), st.integers(0, 400), st.integers(0, 255))
def test_they_agree_where_a_file_is_cut(name: str, at: int, byte: int) -> None:
    """A process may be killed in the middle of a line."""
    cut = FILES[name].encode()[:at] + bytes([byte])

    assert same({n: t.encode() for n, t in FILES.items()} | {name: cut})
