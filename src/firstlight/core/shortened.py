"""
Sentences that name what somebody wrote, kept short enough to be read.

A value in a manifest may be a certificate or a million digits. Whoever looks for it needs how it
begins and where it stands, and the rest of the sentence.
"""

import re

_LONGEST_WORD = 200
_LONGEST = 4_000
_LONG = re.compile(rf"(\S{{{_LONGEST_WORD}}})\S+")


def shortened(sentence: str) -> str:
    """The sentence, words of more than 200 characters cut, and all of it behind 4,000."""
    cut = _LONG.sub(r"\1…", sentence)
    return cut if len(cut) <= _LONGEST else f"{cut[:_LONGEST]}…"
