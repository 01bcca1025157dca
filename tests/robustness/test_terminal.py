"""Foreign words are shown as they stand and never obeyed: not by a terminal, not by rich."""

import pytest

from tests.robustness.explaining import as_json, as_text, check, explain

BANNER = "(APIServer pid=1) INFO 03-04 05:06:07 [api.py:1] vLLM API server version 0.26.0\n"
HEAD = "(EngineCore pid=7) INFO 03-04 05:06:{second:02} [core.py:12] "

MARKUP = "[bold red]x[/] [/] [/nope] [link=file:///etc]y[/link] :skull: [@click=quit()]z"


def start_that_says(words: str) -> bytes:
    """A start that quotes the words in every place that quotes a line."""
    return (
        BANNER
        + HEAD.format(second=9)
        + f"Initializing a V1 LLM engine (v0.26.0) with config: model='{words}'\n"
        + HEAD.format(second=20)
        + f"Starting to load model {words}...\n"
        + HEAD.format(second=30)
        + f"Model loading took 3.00 GiB memory and 9.5 seconds {words}\n"
        + HEAD.format(second=50)
        + "init engine (profile, create kv cache, warmup model) took 19.50 seconds\n"
        + f"(APIServer pid=1) INFO 03-04 05:06:58 [api.py:1] Supported tasks: ['{words}']\n"
        + "(APIServer pid=1) INFO 03-04 05:06:59 [api.py:1] Application startup complete.\n"
    ).encode("utf-8", "surrogatepass")


def failure_that_says(words: str) -> bytes:
    """A start that fails with the words."""
    return (
        BANNER
        + HEAD.format(second=9)
        + f"Starting to load model {words}...\n"
        + HEAD.format(second=10).replace("INFO", "ERROR")
        + "Traceback (most recent call last):\n"
        + HEAD.format(second=10).replace("INFO", "ERROR")
        + f"ValueError: {words}\n"
    ).encode("utf-8", "surrogatepass")


def test_markup_of_the_table_library_is_text() -> None:
    """A model may be called `[bold red]`: the brackets are printed, and nothing is closed."""
    text = as_text(check(start_that_says(MARKUP)), width=400, everything=True)

    assert f"Starting to load model {MARKUP}..." in text
    assert f"Model loading took 3.00 GiB memory and 9.5 seconds {MARKUP}" in text


def test_markup_in_a_failure_is_text() -> None:
    """The cause is the engine's own words."""
    text = as_text(check(failure_that_says(MARKUP)), width=400)

    assert f"failed: ValueError: {MARKUP}  [a.log:" in text


@pytest.mark.parametrize("name", [MARKUP.replace("/", "_"), "[", "[/]", "[red]", "\\[x]"])
def test_markup_in_a_file_name_is_text(name: str) -> None:
    """A file may be called anything too."""
    starts = explain(failure_that_says("x"), name=name)

    text = as_text(starts, width=400)

    assert text.startswith(f"{name} · vLLM 0.26.0 · failed")
    assert f"[{name}:4]" in text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("a\x07b", "a\\x07b"),
        ("a\x08b", "a\\x08b"),
        ("a\x00b", "a\\x00b"),
        ("a\x7fb", "a\\x7fb"),
        ("a\x0bb\x0cc", "a\\x0bb\\x0cc"),
        ("a\x9b31mb", "a\\x9b31mb"),
        ("a\x9d0;title\x9cb", "a\\x9d0;title\\x9cb"),
        ("a\u202eb\u2066c\u2069", "a\\u202eb\\u2066c\\u2069"),
        ("a\u200bb\ufeffc", "a\\u200bb\\ufeffc"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("a\tb", "a b"),
    ],
)
def test_what_a_terminal_would_obey_is_spelled_out(said: str, shown: str) -> None:
    """Bells, C1 controls, characters that turn the reading direction or hide."""
    text = as_text(check(failure_that_says(said)), width=400)

    assert f"failed: ValueError: {shown}  [" in text


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[31m",
        "\x1b[2J\x1b[H",
        "\x1b]0;owned\x07",
        "\x1b]52;c;Zm9v\x1b\\",
        "\x1b]8;;http://x\x1b\\",
        "\x1bP0;1|17/ab\x1b\\",
        "\x1b",
        "\x1b[",
        "\x1b]0;never ended",
        "\x1bc",
    ],
)
def test_no_escape_sequence_reaches_the_output(sequence: str) -> None:
    """Colours, window titles, the clipboard, links, a reset: in words, causes and file names."""
    for log in (start_that_says(f"a{sequence}b"), failure_that_says(f"a{sequence}b")):
        starts = explain(log, name=f"a{sequence}b.log")
        text = as_text(starts, width=400, everything=True)

        assert "\x1b" not in text
        assert "\x07" not in text
        assert "a\\x1b" in text


def test_a_file_name_that_is_no_utf8_is_printed() -> None:
    """Linux allows any bytes in a name; Python hands them over as lone surrogates."""
    name = b"\xff\xfe.log".decode("utf-8", "surrogateescape")
    starts = explain(failure_that_says("x"), name=name)

    text = as_text(starts, width=400)

    assert "\\udcff\\udcfe.log · vLLM" in text
    assert text.encode("utf-8")
    assert name == as_json(starts)["starts"][0]["source"]


def test_a_cause_of_many_kilobytes_does_not_flood_the_screen() -> None:
    """Text gets the head of an endless message; JSON has it whole."""
    starts = check(failure_that_says("y" * 50_000))

    text = as_text(starts)
    (start,) = as_json(starts)["starts"]

    assert len(text) < 3_000
    assert "y" * 900 in text.replace("\n", "")
    assert len(start["failure"]["message"]) > 5_000


def test_words_stand_in_json_as_they_were() -> None:
    """Escaping is the terminal's business: a machine gets the very characters."""
    said = f"a\x07b\u202ec {MARKUP}"
    (start,) = as_json(check(failure_that_says(said)))["starts"]

    assert f"ValueError: {said}" == start["failure"]["message"]
