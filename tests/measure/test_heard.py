import pytest

from firstlight.measure.heard import Heard

_PREFIX = "(APIServer pid=4727) INFO 11-29 19:23:35 [api_utils.py:347] "


def heard(*lines: str) -> Heard:
    listener = Heard()
    listener.take(enumerate(lines, start=1))
    return listener


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("Starting vLLM API server on http://0.0.0.0:8000", "http://0.0.0.0:8000"),
        ("Starting vLLM API server 0 on http://0.0.0.0:8000", "http://0.0.0.0:8000"),
        (_PREFIX + "Starting vLLM server on http://127.0.0.1:8001", "http://127.0.0.1:8001"),
        ("Starting vLLM server on unix:/tmp/s", "unix:/tmp/s"),
        (
            "INFO:     Uvicorn running on http://127.0.0.1:9 (Press CTRL+C to quit)",
            "http://127.0.0.1:9",
        ),
        ("\x1b[32mINFO\x1b[0m Starting vLLM server on http://h:1\x1b[0m", "http://h:1"),
        ("INFO:     Uvicorn running on socket ('0.0.0.0', 8000)", None),
        ("Starting vLLM soon", None),
    ],
)
def test_the_engine_says_where_it_listens(line: str, url: str | None) -> None:
    """In the wordings of vLLM 0.7 to 0.33, and uvicorn's."""
    assert heard(line).url == url


def test_the_moment_of_that_line_is_kept() -> None:
    """Nobody listened before it."""
    assert heard("other", "Starting vLLM server on http://h:1", "other").url_ns == 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("vLLM server version 0.32.0", True),
        ("/x/site-packages/vllm/a.py:1: FutureWarning", True),
        ("(EngineCore_DP0 pid=1) INFO hello", True),
        ("llama_server: starting", False),
    ],
)
def test_vllm_is_known_by_its_name(line: str, *, expected: bool) -> None:
    """Its inner ports must not be disturbed."""
    assert heard(line).is_vllm == expected


def test_the_last_lines_are_kept_without_blanks_colours_and_controls() -> None:
    """They are quoted on a terminal."""
    listener = heard("\x1b[31mred\x1b[0m", "", "  ", "bell\x07 and \x1b", "x" * 1000)

    assert listener.last_lines == ("red", "bell and", "x" * 300)
    assert listener.count == 5


def test_only_the_last_twenty_are_kept() -> None:
    """A crash says why at its end."""
    assert heard(*map(str, range(100))).last_lines == tuple(map(str, range(80, 100)))


def test_words_are_quoted_without_the_loggers_prefix() -> None:
    """The sentence is for people."""
    listener = heard(
        _PREFIX + "RuntimeError: boom", "ERROR 06-19 23:05:01 loader.py:447] old", "plain"
    )

    assert listener.last_words == ("RuntimeError: boom", "old", "plain")
