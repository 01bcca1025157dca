"""A round's folder, of which somebody damaged anything: an explanation or a sentence."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.core.starts import Start
from firstlight.wiring.explaining import explain_folder
from tests.robustness.explaining import as_json, as_text
from tests.strategies import ANY_BYTES, logs

pytestmark = pytest.mark.timeout(60)
_patient = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)

UNIX_NS = 1_772_600_000_000_000_000
MONOTONIC_NS = 5_000_000_000
S = 1_000_000_000

ROUND = {
    "schema": "firstlight.round/1",
    "label": "run",
    "index": 1,
    "command": ["vllm", "serve", "m"],
    "anchor": {"unix_ns": UNIX_NS, "monotonic_ns": MONOTONIC_NS},
    "probe": True,
    "outcome": "ready",
    "exit_code": None,
    "started_ns": UNIX_NS,
    "ready_ns": 9 * S,
    "first_token_ns": 10 * S,
    "url": "http://127.0.0.1:8000",
    "notes": ["a note"],
    "problem": None,
    "fingerprint": {"vllm": "0.32.0"},
}
MARKS = {
    "schema": "firstlight.marks/1",
    "marks": [
        {"kind": kind, "at_ns": UNIX_NS + at_s * S, "resolution_ns": 1000, "words": kind}
        for kind, at_s in [
            ("process_started", 0),
            ("port_open", 8),
            ("health_200", 9),
            ("first_token", 10),
        ]
    ],
}
LISTING = {
    "schema": "firstlight.listing/1",
    "roots": [
        {
            "root": "/root/.cache/vllm",
            "exists": True,
            "complete": True,
            "files": [{"path": "a/b", "bytes": 5, "mtime_ns": UNIX_NS}],
        }
    ],
}
JSON_FILES: dict[str, Any] = {
    "round.json": ROUND,
    "marks.json": MARKS,
    "cache-before.json": LISTING,
    "cache-after.json": LISTING,
}
LOG = (
    b"2026-03-04T05:06:41.000000000Z stdout F (APIServer pid=1) INFO 03-04 05:06:41 [a.py:1] "
    b"vLLM API server version 0.32.0\n"
    b"2026-03-04T05:06:43.000000000Z stdout F (EngineCore pid=2) INFO 03-04 05:06:43 [a.py:1] "
    b"Starting to load model m...\n"
    b"2026-03-04T05:06:48.000000000Z stdout F (APIServer pid=1) INFO 03-04 05:06:48 [a.py:1] "
    b"Application startup complete.\n"
)


def a_round(folder: Path) -> Path:
    """A complete round."""
    for name, document in JSON_FILES.items():
        (folder / name).write_text(json.dumps(document))
    (folder / "engine.log").write_bytes(LOG)
    (folder / "probe").mkdir()
    return folder


def explained(folder: Path) -> Start | None:
    """The start with all that is made of it; None where it was refused in a sentence."""
    try:
        start = explain_folder(folder)
    except BadInput as refused:
        _a_sentence(refused)
        return None
    as_json([start])
    as_text([start], everything=True)
    return start


def _a_sentence(refused: BadInput) -> None:
    assert refused.message
    assert refused.remedy


def test_a_whole_round_is_explained(tmp_path: Path) -> None:
    """What the damaged ones are held against."""
    start = explained(a_round(tmp_path))

    assert start is not None
    assert start.total is not None
    assert (9 * S, 1 * S) == (start.total.timeline.length_ns, start.first_token_ns)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**63, 10**30, 10**400, -(10**400), UNIX_NS, UNIX_NS + 9 * S])
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["", "ready", "firstlight.round/2", "\ud800", "\x1b[31m", "process_started"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(document: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where anything stands in a document."""
    yield at
    inner = document.items() if isinstance(document, dict) else ()
    for key, value in enumerate(document) if isinstance(document, list) else inner:
        yield from places(value, (*at, key))


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """The document with something replaced, or left out."""
    document = json.loads(json.dumps(document))
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(list(places(document)))) or (None,)
        if last is None:
            document = draw(_VALUES)
            continue
        around = document
        for key in above:
            around = around[key]
        if draw(st.booleans()):
            around[last] = draw(_VALUES)
        else:
            del around[last]
    return document


@_patient
@pytest.mark.parametrize("name", JSON_FILES)
@given(data=st.data())
def test_a_record_with_anything_in_it(name: str, data: st.DataObject) -> None:
    """A field missing, of another kind, of no sense: named, or read for what it says."""
    document = data.draw(damaged(JSON_FILES[name]))
    with TemporaryDirectory() as made:
        folder = a_round(Path(made))
        (folder / name).write_text(json.dumps(document))

        explained(folder)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", ["process_started", "health_200", "first_token"])
def test_a_moment_that_no_clock_tells_is_damage(tmp_path: Path, kind: str, sign: int) -> None:
    """A whole number of four hundred digits is no time: seconds could not even say it."""
    folder = a_round(tmp_path)
    document = json.loads(json.dumps(MARKS))
    (mark,) = (mark for mark in document["marks"] if mark["kind"] == kind)
    mark["at_ns"] = sign * 10**400
    (folder / "marks.json").write_text(json.dumps(document))

    assert explained(folder) is None


@_patient
@given(st.sampled_from([*JSON_FILES, "engine.log"]), ANY_BYTES)
def test_a_file_of_any_bytes(name: str, data: bytes) -> None:
    """Half written, overwritten, empty."""
    with TemporaryDirectory() as made:
        folder = a_round(Path(made))
        (folder / name).write_bytes(data)

        explained(folder)


@pytest.mark.parametrize("name", [*JSON_FILES, "engine.log"])
def test_a_file_that_is_missing(name: str, tmp_path: Path) -> None:
    """Each of them."""
    folder = a_round(tmp_path)
    (folder / name).unlink()

    explained(folder)


PROBE: tuple[dict[str, Any], ...] = (
    {
        "k": "process",
        "schema": "firstlight.probe/1",
        "pid": 2,
        "ppid": 1,
        "start_ns": MONOTONIC_NS,
        "start_resolution_ns": 10_000_000,
        "at_ns": MONOTONIC_NS + S // 10,
        "forked": False,
        "program": "vllm",
    },
    {"k": "import", "n": "torch", "s": MONOTONIC_NS + S, "e": MONOTONIC_NS + 2 * S, "x": "torch"},
    {"k": "span", "g": "worker", "n": "load", "s": MONOTONIC_NS + S, "e": MONOTONIC_NS + 4 * S},
    {"k": "wait", "g": "executor", "n": "wait", "s": MONOTONIC_NS, "e": MONOTONIC_NS, "child": 3},
    {"k": "name", "n": "Worker", "by": "multiprocessing", "t": 0},
)
_PROBE_LINE = (
    st.sampled_from(PROBE).flatmap(damaged).map(json.dumps)
    | st.sampled_from(PROBE).map(json.dumps)
    | st.sampled_from(["[]", "null", "{", "", "[" * 5000, "\x00\x1b", '{"k":1e999}'])
)
_PROBE_FILE = st.lists(_PROBE_LINE, max_size=8).map(lambda lines: "\n".join(lines).encode())


@_patient
@given(
    st.dictionaries(
        st.sampled_from(["2-1.jsonl", "3-1.jsonl", "x.jsonl", "9999999999-1.jsonl"]),
        _PROBE_FILE | st.binary(max_size=200) | logs(),
        max_size=3,
    )
)
def test_probe_files_of_any_bytes(files: dict[str, bytes]) -> None:
    """A process may die in the middle of a line, or write into another's file."""
    with TemporaryDirectory() as made:
        folder = a_round(Path(made))
        for name, data in files.items():
            (folder / "probe" / name).write_bytes(data)

        start = explained(folder)

    assert start is not None
    assert start.total is not None
    assert 9 * S == sum(span.length_ns for span in start.phases)
