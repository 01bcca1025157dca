"""
Which names a file in an archive may have.

An archive comes from a store that others can write, and its names become paths. So they are
held against a grammar that is narrower than what a file system takes: parts between single
slashes, none of them a dot name that goes elsewhere, nothing that a terminal would act on.
What a name may not do is decided here once, for the manifest as for the archive.
"""

import unicodedata

MOST_BYTES = 1024
MOST_BYTES_OF_A_PART = 255
MOST_PARTS = 64
_NOT_SHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def refusal(name: str) -> str | None:
    """Why a file may not be called so, in a few words; None where it may."""
    parts = name.split("/")
    if not name or len(name.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return "its name is empty or too long"
    if name.startswith("/"):
        return "its path is absolute"
    if len(parts) > MOST_PARTS:
        return "it lies too deep"
    if any(part in {"", ".", ".."} for part in parts):
        return "its path has an empty part, or one that goes elsewhere"
    if any(len(part.encode("utf-8", "surrogatepass")) > MOST_BYTES_OF_A_PART for part in parts):
        return "a part of its path is too long"
    if "\\" in name or _has_unprintable(name):
        return "its name has a letter that is none"
    return None


def _has_unprintable(name: str) -> bool:
    # What a terminal obeys, what turns the direction of a line, half letters, ends of lines.
    # Python calls more than these unprintable, and says so of a whole name at once.
    return not name.isprintable() and any(
        unicodedata.category(letter) in _NOT_SHOWN for letter in name
    )
