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


def visible(text: str) -> str:
    r"""The text with control, format and direction characters spelled out (`\x1b`)."""
    return _OBEYED.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code == ord("\t"):
        return " "
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )  # noqa: E501, PLR2004
