"""Bytes to lines."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.raw_lines import LONGEST_BYTES, Block, blocks


def lines(chunks: list[bytes]) -> list[tuple[int, bytes]]:
    """Each line with its number."""
    found = []
    for block in blocks(chunks):
        for at, text in enumerate(block.data.splitlines(keepends=True)):
            found.append((block.first_line + at, text))
    return found


@given(st.binary(max_size=300).filter(lambda b: b"\0" not in b), st.integers(1, 50))
def test_nothing_is_lost_between_chunks(data: bytes, size: int) -> None:
    """Blocks put together are the bytes that came, whatever pieces they came in."""
    data = data.replace(b"\xff", b"").replace(b"\xfe", b"").replace(b"\xef", b"")
    chunks = [data[at : at + size] for at in range(0, len(data), size)]

    assert data == b"".join(block.data for block in blocks(chunks))


def test_numbers_count_from_one_and_go_on() -> None:
    """Each block knows the number of its first line."""
    assert [(1, b"a\n"), (2, b"b\n"), (3, b"c")] == lines([b"a\nb", b"\nc"])


def test_a_carriage_return_ends_no_line() -> None:
    """A progress bar redraws itself inside one line."""
    assert [Block(first_line=1, data=b"10%\r20%\rdone\n")] == list(blocks([b"10%\r20%\rdone\n"]))


def test_an_overlong_line_keeps_its_head_and_its_tail() -> None:
    """The head has the stamp and the tail the last state; the middle goes."""
    (block,) = blocks([b"head " + b"x" * 200_000, b"y" * 200_000 + b" tail"])

    assert block.data.startswith(b"head x")
    assert block.data.endswith(b"y tail")
    assert len(block.data) <= 2 * LONGEST_BYTES + 10


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
    ],
)
def test_a_windows_shells_encoding_becomes_utf_8(encoding: str, mark: bytes, size: int) -> None:
    """With a byte order mark, and without one where the text is plain."""
    text = "Loading weights took 3.22 seconds\n" * 3
    data = mark + text.encode(encoding)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]

    assert text.encode() == b"".join(block.data for block in blocks(chunks))


def test_no_bytes_are_no_lines() -> None:
    """An empty artefact has no block, or an empty one has no line."""
    assert [] == lines([])
    assert [] == lines([b"", b""])
