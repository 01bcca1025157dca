"""
Foreign text, made safe to be shown.

A log line may hold anything: colour codes, a sequence that sets a terminal's title or writes
its clipboard, characters that reverse the reading direction or are not seen at all. Evidence
is shown as it stood, with every such character spelled out instead of obeyed: in a terminal,
and in pages, tables and pictures, which obey the latter kind too.
"""

import re
from collections.abc import Mapping
from typing import Any

_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|[\ud800-\udfff]|[\U0001bca0-\U0001bca3]|[\U0001d173-\U0001d17a]|[\U000e0000-\U000e0fff]"
)


def visible(text: str, *, most: int | None = None) -> str:
    r"""The text with control, format and direction characters spelled out (`\x1b`).

    Args:
        text: foreign words.
        most: characters to give at most; the whole text where it is None.
    """
    shown = _OBEYED.sub(_spelled, text if most is None else text[: most + 1])
    return shown if most is None or len(shown) <= most else f"{shown[: most - 1]}…"


def all_visible(value: Any) -> Any:
    """What becomes JSON with every text in it made visible, names too; its lines stay lines."""
    match value:
        case str():
            if value.isascii() and value.isprintable():
                return value
            return "\n".join(map(visible, value.split("\n")))
        case Mapping():
            return {all_visible(name): all_visible(inner) for name, inner in value.items()}
        case list() | tuple():
            return [all_visible(inner) for inner in value]
        case _:
            return value


def _spelled(found: re.Match[str]) -> str:
    character = found.group()
    return " " if character == "\t" else character.encode("unicode_escape").decode("ascii")
