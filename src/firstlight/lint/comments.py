"""
Suppressions in comments of a YAML text.

`# firstlight: ignore CODE: why`, behind the line that it is about or above it. Comments are
no part of an object: kustomize and a cluster drop them, and an annotation stays.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from firstlight.lint.suppression import Suppression, Written
from firstlight.manifests.objects import Manifest

_COMMENT = re.compile(
    r"^(?P<before>.*?)(?:^|(?<=\s))#\s*firstlight:\s*ignore\s+(?P<code>[^\s:]+)\s*(?::(?P<why>.*))?$",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(?:^|(?<=\s))#\s*firstlight\s*:\s*ignore(?![\w-])", re.IGNORECASE)
"""What somebody wrote to set a finding aside, whether it can be read or not."""
_MARK = "firstlight"


def commented(text: str, manifests: Sequence[Manifest]) -> Iterator[Suppression]:
    """
    Every suppression in the comments of a text.

    Args:
        text: YAML.
        manifests: the objects of this text, in order.
    """
    if _MARK not in text.lower():
        return
    begins = [min(m.lines.values(), default=1) for m in manifests]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        found = _COMMENT.match(line) if _MARK in line.lower() else None
        if found is None:
            if _BEGINS.search(line):
                yield _unread(number, manifests, begins)
            continue
        covers = _covered(lines, number, alone=not found["before"].strip())
        at = bisect_right(begins, max(covers, default=number)) - 1
        yield Suppression(
            code=found["code"],
            reason=(found["why"] or "").strip(),
            written=Written.COMMENT,
            manifest=manifests[at] if at >= 0 else None,
            line=number,
            covers=covers,
        )


def _unread(number: int, manifests: Sequence[Manifest], begins: Sequence[int]) -> Suppression:
    """A comment that was to set something aside, and does not say what."""
    at = bisect_right(begins, number) - 1
    return Suppression(
        code="",
        reason="",
        written=Written.COMMENT,
        # Above all objects it belongs to the first.
        manifest=manifests[max(at, 0)] if manifests else None,
        line=number,
    )


def _covered(lines: Sequence[str], number: int, *, alone: bool) -> frozenset[int]:
    """The lines that a comment is about; empty for one after which nothing follows."""
    first = _next(lines, number) if alone else number
    if first is None:
        return frozenset()
    said = _COMMENT.sub(r"\g<before>", lines[first - 1]).split(" #")[0].rstrip()
    # A map or a list begins in the line after its key.
    inner = _next(lines, first) if said.endswith(":") else None
    return frozenset({first} | ({inner} if inner else set()))


def _next(lines: Sequence[str], number: int) -> int | None:
    """The next line that says something; None where there is none."""
    for at in range(number, len(lines)):
        said = lines[at].strip()
        if said and not said.startswith("#"):
            return at + 1
    return None
