"""Lines made to cost time or memory cost neither."""

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from tests.robustness.explaining import as_json, as_text, check, explain

MIB = 1024 * 1024
BANNER = b"(APIServer pid=1) INFO 03-04 05:06:07 [api.py:1] vLLM API server version 0.26.0\n"
HEAD = b"(EngineCore pid=7) INFO 03-04 05:06:09 [core.py:12] "
LINE = 10 * MIB
MOST_CPU_S = 2.0

# CPU time is what is asserted; the wall clock belongs to everybody on the machine.
pytestmark = pytest.mark.timeout(20)


def in_chunks(line: bytes, repeat: int = 1) -> Iterator[bytes]:
    """A log around the line, a mebibyte at a time and never whole in memory."""
    yield BANNER
    for _ in range(repeat):
        yield from (line[at : at + MIB] for at in range(0, len(line), MIB))
    yield b"\n" + HEAD + b"Loading weights took 19.80 seconds\n"


HOSTILE = {
    "one letter": b"x",
    "digits": b"1",
    "open brackets": b"(",
    "JSON that only opens": b'{"a":',
    "JSON in JSON": b'{"log":"{\\"log\\":',
    "arrays that only open": b"[",
    "NULs": b"\0",
    "no UTF-8": b"\xff\xfe",
    "half characters": b"\xe2\x96",
    "colour codes": b"\x1b[31m",
    "colour codes that never end": b"\x1b[0",
    "titles that never end": b"\x1b]0;",
    "redraws": b"Loading safetensors checkpoint shards:   0% Completed | 0/4\r",
    "stamps": b"2026-03-04T05:06:07.123456789Z ",
    "records of a runtime": b"2026-03-04T05:06:07.123456789Z stdout P ",
    "boxes": "│".encode(),
    "errors": b"ValueError: ",
    "dotted names": b"a.B",
    "statements": b"; Loading weights took 1.5 seconds",
    "statements that never end": b"; Loading weights took ",
    "parts": b"; ",
    "banner": "█".encode(),
    "banner in parts": "; █".encode(),
    "dots": b".",
    "tags": b"[a] ",
    "spaces": b" ",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_ten_megabytes_in_one_line(what: str) -> None:
    """The line is read past at once, and the fact after it is still found."""
    unit = HOSTILE[what]
    line = unit * (LINE // len(unit))
    before = time.thread_time()

    starts = explain(b"", list(in_chunks(line)))
    took_s = time.thread_time() - before

    assert [19.8] == as_json(starts)["starts"][0]["facts"]["weights_s"][-1:]
    assert took_s < MOST_CPU_S


@pytest.mark.parametrize(
    "line",
    [
        HEAD + b"; " * 30_000 + b'"POST /slee"',
        HEAD + b"; " * 30_000 + b"/sleep",
        HEAD + b"; " * 20_000 + b"See the root causd; root cause",
        HEAD + b"; " * 20_000 + b"Failed core proc",
        HEAD + "█".encode() * 20_000,
        HEAD + "█ ".encode() * 10_000 + b"version",
        HEAD + b"Starting to load model " + b"." * 60_000 + b"x",
        HEAD + b"Capturing CUDA graph" + b"1" * 60_000,
        HEAD + b"CuMemAllocator: sleep freed 1.0 GiB " + b"1" * 60_000,
        HEAD + b"Loading " + b"a " * 30_000 + b"shards",
        HEAD + b"ValueError: " + b"1" * 60_000 + b" GiB KV cache is needed",
        HEAD + b"ValueError: " + b"Free memory on device " * 3_000,
        HEAD + b"ValueError: " + b"Available memory on node " * 2_500,
        HEAD + b"Free memory on device (1/1 GiB) on startup. Desired GPU memory utilization is "
        b"(0.9, 1 GiB)" + b"-1" * 30_000,
        HEAD + b"RuntimeError: " + b"Cannot find any a model weight " * 2_000,
        HEAD + b"A" * 60_000 + b"Error",
        HEAD + b"a." * 30_000 + b"Error",
        HEAD + b"usage: " + b"error: " * 8_000,
    ],
    ids=lambda line: line[len(HEAD) : len(HEAD) + 30].decode("utf-8", "replace"),
)
def test_lines_that_a_pattern_could_get_lost_in(line: bytes) -> None:
    """Ten lines of 64 kB that almost match, again and again: no pattern goes back and forth."""
    log = BANNER + b"Traceback (most recent call last):\n" + (line + b"\n") * 10
    before = time.thread_time()

    starts = explain(log)
    as_text(starts)
    took_s = time.thread_time() - before

    assert len(starts) >= 1
    assert took_s < MOST_CPU_S


def test_memory_does_not_grow_with_the_line() -> None:
    """Of a line of forty megabytes no more is kept than a few pieces of what was read."""
    piece = b"y" * MIB
    tracemalloc.start()
    try:
        starts = explain(b"", in_chunks(piece, repeat=40))  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert 1 == len(starts)
    assert peak < 8 * MIB


def test_memory_does_not_grow_with_the_log() -> None:
    """A serving engine prints for days; what it prints is not kept."""
    served = b'(APIServer pid=1) INFO: 10.0.0.1:1 - "POST /v1/completions HTTP/1.1" 200 OK\n'
    ready = b"(APIServer pid=1) INFO 03-04 05:06:59 [api.py:1] Application startup complete.\n"
    piece = ready + served * (MIB // len(served))
    tracemalloc.start()
    try:
        explain(b"", in_chunks(piece, repeat=40))  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 16 * MIB


@pytest.mark.parametrize("depth", [900, 5_000, 100_000])
@pytest.mark.parametrize("key", ["log", "message", "x"])
def test_json_nested_deeper_than_any_stack(key: str, depth: int) -> None:
    """A record that a parser gives up on is a line like any other."""
    line = b'{"%s":' % key.encode() + b"[" * depth + b"]" * depth + b"}"

    starts = check(BANNER + line + b"\n" + HEAD + b"Loading weights took 19.80 seconds\n")

    assert [19.8] == as_json(starts)["starts"][0]["facts"]["weights_s"]


@pytest.mark.parametrize(
    "record",
    [
        b'{"message":"x","process":1e999,"asctime":5,"levelname":[1],"processName":{}}',
        b'{"message":"x","process":%s}' % (b"9" * 5000),
        b'{"message":"\\ud800 \\u0000 \\n\\n","time":"2026-99-99T99:99:99Z"}',
        b'{"message":null,"log":7,"msg":[],"line":"x","time":"0000-00-00T00:00:00Z"}',
        b'{"log":"x","time":"9999-12-31T23:59:59-23:59"}',
        b'{"log":"x","time":"0001-01-01T00:00:00+23:59"}',
        b'{"log":"{\\"log\\":\\"{}\\"}"}',
        b"NaN",
        b'{"message":NaN}',
    ],
)
def test_json_records_with_anything_in_their_fields(record: bytes) -> None:
    """A shipper's fields may have any type and any value."""
    starts = check(BANNER + record + b"\n" + HEAD + b"Loading weights took 19.80 seconds\n")

    assert [19.8] == as_json(starts)["starts"][0]["facts"]["weights_s"]
