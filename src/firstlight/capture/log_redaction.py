"""
A log of any size without the secrets in it.

A start is a few hundred lines; what follows it may be a hundred megabytes. Blocks of
lines are searched for the words that every secret has near it, and only the lines
that hold one are looked at closely. A private key goes over several lines, so where
one begins, everything goes until it ends.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from firstlight.core.secrets import HIDDEN, LITERALS, SECRET_WORDS, scrubbed

BLOCK_BYTES = 256 * 1024
_LONGEST_KEY = 200
"""Lines; what has not ended by then is no key."""

_LITERALS = tuple(literal.encode() for literal in LITERALS)
_NAMES = tuple(
    re.compile(word.encode() + rb"[\w.-]{0,64}\\?[\"']?\s{0,8}[=:]") for word in SECRET_WORDS
)
_OPTION = re.compile(rb"--[\w.-]{1,64}\s")
_KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(rb"-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")
_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\S{8,32} ")


class LogRedaction:
    """The secrets of one log, and what was taken out of it."""

    def __init__(self, known: Sequence[str]) -> None:
        self.removed: Counter[str] = Counter()
        self.lines = 0
        self._known = tuple(known)
        self._known_bytes = [secret.encode(errors="surrogateescape") for secret in known]
        self._key_lines = 0
        """How many lines of a key have gone; 0 where there is none."""

    def clean(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Blocks of whole lines, without secrets."""
        for block in blocks:
            self.lines += block.count(b"\n") + (not block.endswith(b"\n"))
            if self._key_lines or _KEY_BEGINS.search(block):
                yield b"".join(map(self._line_of_keys, block.splitlines(keepends=True)))
            else:
                yield self._block(block)

    def _block(self, block: bytes) -> bytes:
        """Only the lines that may hold a secret are taken apart."""
        pieces, at = [], 0
        for begin, end in self._suspicious_lines(block):
            pieces += [block[at:begin], self._line(block[begin:end])]
            at = end
        return b"".join([*pieces, block[at:]]) if pieces else block

    def _suspicious_lines(self, block: bytes) -> list[tuple[int, int]]:
        low = block.lower()
        places: list[int] = []
        for literal in _LITERALS:
            places.extend(_places(low, literal))
        for secret in self._known_bytes:
            places.extend(_places(block, secret))
        for pattern in _NAMES:
            places.extend(found.start() for found in pattern.finditer(low))
        places.extend(found.start() for found in _OPTION.finditer(low))
        lines: list[tuple[int, int]] = []
        for place in sorted(places):
            if not lines or place >= lines[-1][1]:
                end = block.find(b"\n", place)
                lines.append((block.rfind(b"\n", 0, place) + 1, len(block) if end < 0 else end))
        return lines

    def _line(self, line: bytes) -> bytes:
        clean, removed = scrubbed(line.decode(errors="surrogateescape"), self._known)
        self.removed.update(removed)
        return clean.encode(errors="surrogateescape") if removed else line

    def _line_of_keys(self, line: bytes) -> bytes:
        """A line of, or between, keys that go over several lines."""
        text = line.rstrip(b"\r\n")
        end = line[len(text) :]
        if self._key_lines:
            stamp = _STAMP.match(text)
            head = stamp[0] if stamp else b""
            over = _KEY_ENDS.search(text)
            self._key_lines = 0 if over or self._key_lines >= _LONGEST_KEY else self._key_lines + 1
            if not over:
                return head + HIDDEN.encode() + end
            return head + HIDDEN.encode() + self._line(text[over.start() :]) + end
        begins = [found.end() for found in _KEY_BEGINS.finditer(text)]
        if not begins or _KEY_ENDS.search(text, begins[-1]):
            return self._block(text) + end
        self._key_lines = 1
        self.removed["private key"] += 1
        return self._line(text[: begins[-1]]) + HIDDEN.encode() + end


def in_blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines put together to blocks that are worth searching."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= BLOCK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _places(text: bytes, word: bytes) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))
