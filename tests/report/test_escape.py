"""Foreign text on a terminal: readable, and without effect."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.evidence import Evidence
from firstlight.report.escape import all_visible, visible
from firstlight.report.words import place, words

_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}

ANYTHING = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("a\x00\x07\x1b[m]\n\r\t\x9b\x9c\u202e\u2066\ufeff\ud800\U000e0041é漢\u0301"),
    max_size=30,
)


@given(ANYTHING)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    """No control character, no surrogate, nothing that turns the reading direction."""
    shown = visible(text)

    assert [] == [c for c in shown if unicodedata.category(c) in {"Cc", "Cs"}]
    assert [] == [c for c in shown if unicodedata.bidirectional(c) in _TURNING]
    assert shown == shown.encode("utf-8").decode()


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """Evidence is verbatim wherever it can be."""
    assert text == visible(text)


@given(ANYTHING, st.integers(1, 40))
def test_a_shortened_text_is_no_longer_than_asked(text: str, most: int) -> None:
    """Spelling out makes a text longer; the bound holds for what is shown."""
    shown = visible(text, most=most)

    assert len(shown) <= most
    assert shown == visible(text) or shown.endswith("…")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\rc\td", "a\\nb\\rc d"),
        ("\x9b\x7f\x00", "\\x9b\\x7f\\x00"),
        ("\u202e\ud800\U000e0041", "\\u202e\\ud800\\U000e0041"),
        ("[bold]\\x1b", "[bold]\\x1b"),
        ("a\u00adb\u200b\u200e\ufeffc", "a\\xadb\\u200b\\u200e\\ufeffc"),
        ("\u2066x\u2069\u2028", "\\u2066x\\u2069\\u2028"),
        ("\U000e0001\U000e0061\U000e01ef", "\\U000e0001\\U000e0061\\U000e01ef"),
    ],
)
def test_it_is_spelled_as_python_would(text: str, shown: str) -> None:
    """So that it can be searched for."""
    assert shown == visible(text)


def test_every_text_of_a_document_is_made_visible() -> None:
    """Names too; lines stay lines, numbers numbers, and what is not foreign is left alone."""
    document = {"a\u202e": ["x\u200b\ny\t", 1.5, None, {"b": ("é", True)}]}

    shown = all_visible(document)

    assert {"a\\u202e": ["x\\u200b\ny ", 1.5, None, {"b": ["é", True]}]} == shown


def test_a_place_names_file_and_line() -> None:
    """And a poll has no line."""
    assert "a\\x1b.log:3" == place(Evidence(artefact="a\x1b.log", line=3, text=""))
    assert "poll" == place(Evidence(artefact="poll", text=""))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(EngineCore pid=7) INFO 03-04 05:06:07 [core.py:1] It is\x07 said", "It is\\x07 said"),
        ("no head", "no head"),
        ("INFO 03-04 05:06:07 [core.py:1] ", "INFO 03-04 05:06:07 [core.py:1] "),
    ],
)
def test_the_words_of_a_line_are_what_stands_behind_its_head(line: str, message: str) -> None:
    """The head is the same everywhere; a line that is all head is shown whole."""
    assert message.rstrip() == words(Evidence(artefact="a", text=line)).rstrip()


def test_words_are_cut_to_the_room_there_is() -> None:
    """With a sign that there was more."""
    assert "said…" == words(Evidence(artefact="a", text="said and done"), most=5)
