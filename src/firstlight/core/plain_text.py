"""
Text without what hides its words from a search, and where each letter stood.

Colours cut a name from its value: an escape sequence, one whose first byte was lost, or
one that a formatter spelled out. Invisible characters do the same. JSON, HTML and URLs
write an underscore, a quote or an equals sign in other letters. All of that is put aside
for looking, and what is found is shown in the text as it came.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_GONE = tuple(
    re.compile(pattern)
    for pattern in (
        (
            r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)"
            r"|[()][A-Z0-9]|[78=>@-Z\\^_]?)"
        ),
        r"\x9b[0-?]{0,32}[@-~]",
        r"\\(?:x1[bB]|u001[bB]|033|e)\[[0-9;]{0,32}[A-Za-z]",
        r"\^\[\[[0-9;]{0,32}[A-Za-z]",
        # Whose first byte was lost; after those that have it.
        r"\[\d{1,3}(?:;\d{1,3}){0,5}m",
        (
            r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\xad"
            r"\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
        ),
    )
)
_SPELLED = tuple(
    re.compile(pattern)
    for pattern in (
        r"\\(?:u00|x)(?P<hex>[2-7][0-9a-fA-F])",
        r"%(?:25)?(?P<hex>2[27]|3[aAdD])",
        r"&(?P<entity>quot|apos|#34|#39|#x27|#61);",
    )
)
# One pattern for all would be ten times slower: each of these begins with one letter.
_ENTITIES = {"quot": '"', "#34": '"', "apos": "'", "#39": "'", "#x27": "'", "#61": "="}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """A text to look in."""

    text: str
    _begins: Sequence[int]
    """Where each letter began in the text as it came."""
    _ends: Sequence[int]

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Where something that was found here stands in the text as it came."""
        if begin >= end:
            return 0, 0
        return self._begins[begin], self._ends[end - 1]


def plain_text(text: str) -> PlainText | None:
    """The text to look in; None where the text can be looked at as it is."""
    found = [match for pattern in (*_GONE, *_SPELLED) for match in pattern.finditer(text)]
    if not found:
        return None
    letters: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    at = 0
    for match in sorted(found, key=lambda match: match.start()):
        if match.start() < at:
            continue
        letters.append(text[at : match.start()])
        begins.extend(range(at, match.start()))
        ends.extend(range(at + 1, match.start() + 1))
        meant = _meant(match)
        letters.append(meant)
        begins.extend([match.start()] * len(meant))
        ends.extend([match.end()] * len(meant))
        at = match.end()
    letters.append(text[at:])
    begins.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    return PlainText(text="".join(letters), _begins=begins, _ends=ends)


def without_noise(text: str) -> str:
    """The text to look in, without the way back; quicker."""
    for pattern in _GONE:
        text = pattern.sub("", text)
    for pattern in _SPELLED:
        text = pattern.sub(_meant, text)
    return text


def _meant(match: re.Match[str]) -> str:
    """The letters that something stands for; none for an escape sequence."""
    meant = match.groupdict()
    if "entity" in meant:
        return _ENTITIES[meant["entity"]]
    if "hex" not in meant:
        return ""
    letter = chr(int(meant["hex"], 16))
    # A quote that is spelled out stands inside a value and does not end it.
    return f"\\{letter}" if letter in "\"'\\" else letter
