"""
A log of any size without the secrets in it.

A start is a few hundred lines; what follows it may be a hundred megabytes. Blocks of
lines are searched for the words that every secret has near it, and only the lines
that hold one are looked at closely. Colours and spelled-out letters are put aside for
that search where a block has any. A private key goes over several lines, so where
one begins, everything goes until it ends. The runtime's stamps stay.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from firstlight.core.named_secrets import HIDDEN
from firstlight.core.plain_text import without_noise
from firstlight.core.secret_names import SECRET_WORDS, is_secret
from firstlight.core.secret_shapes import LITERALS
from firstlight.core.secrets import Known, scrubbed

BLOCK_BYTES = 256 * 1024
_LONGEST_KEY = 200
"""Lines; what has not ended by then is no key."""

# A pattern that is a word is found faster than the word.
_LITERALS = tuple(re.compile(re.escape(literal.encode())) for literal in LITERALS)
_MEETS_ITS_VALUE = (
    rb"[\w.-]{0,64}(?:\\{0,7}[\"']\s{0,8},|(?:\\{0,7}[\"'])?\]?(?:\[\w{0,20}\])?"
    rb"(?:\s?\(\w{1,20}\))?[\s\x80-\xff]{0,48}[\\+?]?"
    rb"(?:[=:|>]|->|\xef\xbc[\x9d\x9a]|\xe2\x94[\x82\x83]|\xe2\x86\x92|\t|[ \t]{2}"
    rb"|[\s,;]{0,40}\\{0,7}[\"']?val))"
)
"""What follows a name, then its value: more than what does, and cheap."""
_NAMES = tuple(re.compile(word.encode() + _MEETS_ITS_VALUE) for word in SECRET_WORDS)
_SETS = (re.compile(rb"env\s{1,8}[\w.-]{1,64}\s"), re.compile(rb"config(?:ure)? set\s"))
_OPTION = re.compile(rb"--?[a-z][\w.-]{1,64}[\"'\s\\]")
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_NAME = re.compile(rb"[\w.-]+")
_LONGEST_NAME = 128
_KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(rb"-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")
_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) ")


class LogRedaction:
    """The secrets of one log, and what was taken out of it."""

    def __init__(self, known: Known) -> None:
        self.removed: Counter[str] = Counter()
        self._known = known
        self._known_words = [
            re.compile(re.escape(one.encode(errors="surrogatepass")))
            for one in (*known.values, *known.names)
        ]
        self._key_lines = 0
        """How many lines of a key have gone; 0 where there is none."""

    def clean(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Blocks of whole lines, without secrets."""
        for block in blocks:
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

    def _suspicious_lines(self, block: bytes) -> Iterator[tuple[int, int]]:
        """Where the lines stand that may hold a secret."""
        lines = set(_lines_at(block, self._known_places(block)))
        # What is put aside is never the end of a line.
        plain = without_noise(block.decode(errors="surrogateescape")).encode(
            errors="surrogateescape"
        )
        lines.update(_lines_at(plain, _suspicious_places(plain)))
        if plain != block:
            lines.update(_lines_at(plain, self._known_places(plain)))
        at = number = 0
        for line in sorted(lines):
            while number < line:
                at = block.index(b"\n", at) + 1
                number += 1
            end = block.find(b"\n", at)
            yield at, len(block) if end < 0 else end

    def _known_places(self, block: bytes) -> list[int]:
        return sorted(found.start() for one in self._known_words for found in one.finditer(block))

    def _line(self, line: bytes) -> bytes:
        stamp = _STAMP.match(line)
        head = stamp[0] if stamp else b""
        text = line[len(head) :].decode(errors="surrogateescape")
        clean, removed = scrubbed(text, self._known)
        self.removed.update(removed)
        return head + clean.encode(errors="surrogateescape") if removed else line

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


def _suspicious_places(block: bytes) -> list[int]:
    low = block.lower()
    places = [found.start() for word in (*_LITERALS, *_SETS) for found in word.finditer(low)]
    places.extend(
        found.start()
        for name in (*_NAMES, _OPTION)
        for found in name.finditer(low)
        if _says_secret(block, found.start())
    )
    return sorted(places)


def _says_secret(block: bytes, at: int) -> bool:
    """Whether the name around a word is one of a secret: `max_tokens` is on every other line."""
    before = block[max(0, at - _LONGEST_NAME) : at]
    begins = at - len(before) + len(before.rstrip(_LETTERS))
    name = _NAME.match(block, begins, at + _LONGEST_NAME)
    if name is None:
        return False
    # "API key: X" is a name too.
    return name[0].lower() in {b"key", b"keys"} or is_secret(name[0].decode(errors="replace"))


def _lines_at(block: bytes, places: Iterable[int]) -> Iterator[int]:
    """The numbers of the lines at these places, which are in order."""
    at = number = 0
    for place in places:
        number += block.count(b"\n", at, place)
        at = place
        yield number
