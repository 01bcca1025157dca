import re
import resource
import signal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from firstlight.edges.engine_log import LONGEST_BYTES, EngineLog, Frames, stamp

_RECORD = re.compile(rb"(\S+Z) (stdout|stderr) ([FP]) (.*)", re.DOTALL)
chunks = st.lists(
    st.lists(
        st.sampled_from([b"\n", b"\r", b"a", b" ", b"\xff", b"loading 50%", b"x" * 20_000]),
        max_size=8,
    ).map(b"".join),
    max_size=6,
)


def records(framed: bytes) -> list[tuple[bytes, ...]]:
    found = [_RECORD.fullmatch(line) for line in framed.split(b"\n")[:-1]]
    return [match.groups() for match in found if match]


def put_together(framed: bytes) -> bytes:
    return b"".join(text + (b"\n" if tag == b"F" else b"") for _, _, tag, text in records(framed))


@given(chunks)
def test_the_records_of_a_stream_put_together_are_its_bytes(arriving: list[bytes]) -> None:
    """Whatever the chunks, nothing is lost or added but the end of an unfinished last line."""
    frames = Frames("stdout")

    framed = b"".join(frames.records(chunk, unix_ns=1) for chunk in arriving)
    framed += frames.end(unix_ns=1)

    printed = b"".join(arriving)
    unfinished = bool(printed) and not printed.endswith(b"\n")
    assert printed + (b"\n" if unfinished else b"") == put_together(framed)


@given(chunks)
def test_no_record_is_longer_than_the_limit(arriving: list[bytes]) -> None:
    """A line of any length becomes records of bounded length."""
    frames = Frames("stdout")

    framed = b"".join(frames.records(chunk, unix_ns=1) for chunk in arriving)

    assert [] == [text for *_, text in records(framed) if len(text) > LONGEST_BYTES]


def test_a_line_is_one_record_with_the_moment_of_its_arrival() -> None:
    """Stamp to the nanosecond, stream, F, text."""
    framed = Frames("stderr").records(b"Hello\n", unix_ns=1_764_444_215_000_000_042)

    assert b"2025-11-29T19:23:35.000000042Z stderr F Hello\n" == framed


def test_a_progress_bar_leaves_a_stamp_for_each_redraw() -> None:
    """
    tqdm writes the carriage return first, and the line end only when it is done.
    """
    frames = Frames("stderr")

    framed = b"".join(
        frames.records(data, unix_ns=at)
        for at, data in enumerate([b"\r 0%", b"\r 50%", b"\r 100%", b"\n"])
    )

    assert [
        (stamp(0), b"stderr", b"P", b"\r 0%"),
        (stamp(1), b"stderr", b"P", b"\r 50%"),
        (stamp(2), b"stderr", b"P", b"\r 100%"),
        (stamp(3), b"stderr", b"F", b""),
    ] == records(framed)


def test_redraws_that_arrive_together_are_records_of_their_own() -> None:
    """Others write the carriage return last."""
    framed = Frames("stdout").records(b"10%\r20%\rdone\r\n", unix_ns=0)

    assert [(b"P", b"10%\r"), (b"P", b"20%\r"), (b"F", b"done\r")] == [
        (tag, text) for *_, tag, text in records(framed)
    ]


def test_a_secret_does_not_get_into_the_log(tmp_path: Path) -> None:
    """An engine that prints its arguments prints its key."""
    log = EngineLog(tmp_path / "engine.log", secrets=["s3cr3t-key"])

    log.write("stdout", log.cleaned(b"args: api_key=s3cr3t-key\n"), unix_ns=0)
    log.close()

    assert (
        b"1970-01-01T00:00:00.000000000Z stdout F args: api_key=***\n"
        == (tmp_path / "engine.log").read_bytes()
    )


def test_what_was_written_is_in_the_file_before_it_is_closed(tmp_path: Path) -> None:
    """Were we killed now, the line would be there."""
    log = EngineLog(tmp_path / "engine.log", secrets=())

    log.write("stdout", b"a line\n", unix_ns=0)
    written = (tmp_path / "engine.log").read_bytes()
    log.close()

    assert b"1970-01-01T00:00:00.000000000Z stdout F a line\n" == written


def test_a_full_disk_is_remembered_and_does_not_stop_the_reading(tmp_path: Path) -> None:
    """The engine would wait for ever on a pipe that nobody reads."""
    log = EngineLog(tmp_path / "engine.log", secrets=())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        for _ in range(10):
            log.write("stdout", b"forty bytes of a line, or thereabouts\n", unix_ns=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
        log.close()

    assert "File too large" == (log.problem.strerror if log.problem else None)
