"""The head that nine records of ten have is read in one look, and as the dialects are."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.log_line import LogLine, read_line

WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=300)


def told(line: LogLine) -> LogLine:
    """Without the text itself, in which the two differ by a blank."""
    return line._replace(text="")


@given(
    st.sampled_from(["APIServer", "EngineCore", "Worker-0", "EngineCore_DP0"]),
    st.integers(0, 10**11 - 1),
    st.sampled_from(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]),
    st.tuples(*[st.integers(0, 99)] * 5),
    st.tuples(st.sampled_from(["core.py:1", "a/b-c.py:12345", "x" * 220 + ".py:7"]), WORDS),
)
def test_one_look_sees_what_several_see(
    who: str,
    pid: int,
    level: str,
    moment: tuple[int, ...],
    ending: tuple[str, str],
) -> None:
    """A second blank before the date is a dialect of an older version."""
    place, message = ending
    month, day, hour, minute, second = moment
    clock = f"{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
    usual = f"({who} pid={pid}) {level} {clock} [{place}] {message}"
    dialect = f"({who} pid={pid}) {level}  {clock} [{place}] {message}"

    assert told(read_line(1, dialect)) == told(read_line(1, usual))
