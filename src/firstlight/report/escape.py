"""
Foreign text, made safe for a terminal.

A log line may hold anything: colour codes, a sequence that sets the window's
title or writes the clipboard, characters that reverse the reading direction.
Evidence is shown as it stood, with every such character spelled out instead of
obeyed.
"""

import re

_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|[\ud800-\udfff]|[\U000e0000-\U000e007f]"
)


def visible(text: str, *, most: int | None = None) -> str:
    r"""The text with control, format and direction characters spelled out (`\x1b`).

    Args:
        text: foreign words.
        most: characters to give at most; the whole text where it is None.
    """
    shown = _OBEYED.sub(_spelled, text if most is None else text[: most + 1])
    return shown if most is None or len(shown) <= most else f"{shown[: most - 1]}…"


def _spelled(found: re.Match[str]) -> str:
    character = found.group()
    return " " if character == "\t" else character.encode("unicode_escape").decode("ascii")
