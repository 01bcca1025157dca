"""In Markdown, words of others become no link, notify nobody, and stand as they stood."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from firstlight.report.markdown import plain

_LINKED = re.compile(
    r"://|www\.|@|#\d|\bgh-\d|\b(?=\d*[a-f])[0-9a-f]{7,40}\b|(?<!\w):[a-z+-][\w+-]*:", re.IGNORECASE
)
"""What GitHub looks for in text that is neither code nor a link."""


def parts(text: str) -> tuple[str, str]:
    """What a reader sees of a cell: all of it, and what of it is not code."""
    rendered = MarkdownIt("commonmark").enable("table").parse(f"| a |\n|---|\n| {text} |\n")
    cells = [t for t in rendered if t.type == "inline"]
    assert 2 == len(cells)
    inner = cells[1].children or []
    assert {"text", "code_inline", "text_special"} >= {t.type for t in inner}
    return (
        "".join(t.content for t in inner),
        " ".join(t.content if t.type != "code_inline" else " " for t in inner),
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("see https://evil.example/x now", "see `https://evil.example/x` now"),
        ("(www.evil.example)", "`(www.evil.example)`"),
        ("hi @team", "hi `@team`"),
        ("mail me@example.org", "mail `me@example.org`"),
        ("fixes #12", "fixes `#12`"),
        ("org/repo#3 GH-4", "`org/repo#3` `GH-4`"),
        ("at 1a2b3c4d5e", "at `1a2b3c4d5e`"),
        (":tada: 12:34:56 pod.log:12: x", "`:tada:` 12:34:56 pod.log:12: x"),
        ("a & b &lt; $x$", "a \\& b \\&lt; \\$x\\$"),
        ("`@a`|b", "\\``@a`\\`\\|b"),
        ("1 #  2", "1 \\# 2"),
    ],
)
def test_what_would_be_linked_is_code(said: str, shown: str) -> None:
    assert shown == plain(said)


_PIECES = ["@", "#", "1", "`", "|", "\\", " ", "https://", "www.", "a", "f0", ":", "&", "<b>", "*"]
_PIECES += ["$", "_", "[x](y)", "~~", "&amp;", "GH-"]


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=14).map("".join))
def test_a_cell_is_one_cell_of_words(said: str) -> None:
    """A reader of Markdown gives back what was said, and nothing of it can be linked."""
    whole = " ".join(said.split())
    if not whole:
        return
    seen, open_ = parts(plain(said))

    assert whole == seen
    assert not _LINKED.search(open_)
