"""
JSON in whatever people save it in.

One object, several one after another, an array, one a line (a raw watch), behind a
warning, a prompt or a table: a document begins at a line that opens a brace or bracket
and ends where it ends. A save that was cut still has whole items: they are kept where
the document is a list, and so are the lines of a watch before the last. Anything else
that claims to be a cluster's object and cannot be read is the user's to know.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput

_OPENS = re.compile(r"^[ \t]*+(?=\{|\[\s*[{\]])", re.MULTILINE)
_ITEMS = re.compile(r'"items"\s*:\s*\[')
_NEXT = re.compile(r"[\s,]*")
_WATCHED = re.compile(r'\s*\{\s*"type"\s*:\s*"[A-Z]{1,20}"\s*,\s*"object"')
_LONGEST_INTEGER = 19
"""Digits of the largest that the API has; more are refused by `int` itself at some length."""
_MOST_BROKEN = 200
"""A text in which so many documents begin and none is whole is something else."""
_NEAR_THE_END = 8
"""An escape or a word that was cut in the middle is complained about where it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document, and where in the text it stands."""

    value: Any
    begins: int
    ends: int
    line: int
    """Of its beginning, counted from 1."""


def json_documents(
    artefact: str, text: str, is_claimed: Callable[[str, int], bool]
) -> Iterator[Document]:
    """Every JSON object and array that begins a line.

    Args:
        artefact: what to call the text in an error.
        text: all of it, with plain line ends.
        is_claimed: whether what begins at a place is a cluster's object, by its looks:
            then it must be readable.

    Raises:
        BadInput: such a one is damaged.
    """
    at, line, counted, broken = 0, 1, 0, 0
    while broken < _MOST_BROKEN and (found := _OPENS.search(text, at)):
        begins = found.end()
        line += text.count("\n", counted, begins)
        counted = begins
        if _breaks_off(text, begins) and not is_claimed(text, begins):
            at = begins + 1
            continue
        try:
            value, ends = _DECODER.raw_decode(text, begins)
        except (ValueError, RecursionError) as e:
            broken += 1
            if not is_claimed(text, begins):
                at = begins + 1
                continue
            value, ends = _whole_items(artefact, text, begins, line, e), len(text)
        yield Document(value=value, begins=begins, ends=ends, line=line)
        at = ends


def _breaks_off(text: str, begins: int) -> bool:
    """Whether the first line alone is enough to see that this is no JSON.

    An error counts the lines before it, so that a log with many such lines would take
    its length squared.
    """
    end = text.find("\n", begins)
    first_line = text[begins:end].rstrip() if end >= 0 else text[begins:]
    try:
        _DECODER.raw_decode(first_line)
    except json.JSONDecodeError as e:
        return e.msg.startswith("Unterminated string") or e.pos < len(first_line)
    except (ValueError, RecursionError):
        return False
    return False


def _whole_items(artefact: str, text: str, begins: int, line: int, error: Exception) -> Any:
    """What is whole of a document that was cut.

    Raises:
        BadInput: it was not cut but damaged, or nothing of it is whole.
    """
    if not _is_cut(text, error):
        raise BadInput(
            f"{artefact} is damaged{_place(error, line)}: {_reason(error)}",
            remedy="save it again, with `kubectl get ... -o json > FILE`",
        ) from error
    whole: list[Any] = []
    items = _ITEMS.search(text, begins)
    at = _NEXT.match(text, items.end()).end() if items else len(text)  # type: ignore[union-attr]
    while at < len(text):
        try:
            item, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        whole.append(item)
        at = _NEXT.match(text, at).end()  # type: ignore[union-attr]
    if not whole and not _WATCHED.match(text, begins):
        raise BadInput(
            f"{artefact} ends in the middle of the object that begins in line {line}",
            remedy="save it again, with `kubectl get ... -o json > FILE`",
        ) from error
    return whole


def _is_cut(text: str, error: Exception) -> bool:
    """Whether the text ended too early, rather than holding something that is no JSON."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    left = len(text.rstrip()) - error.pos
    return error.msg.startswith("Unterminated string") or left <= _NEAR_THE_END


def _place(error: Exception, line: int) -> str:
    return f" in line {error.lineno if isinstance(error, json.JSONDecodeError) else line}"


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_INTEGER + 1 else None


def _nothing(_constant: str) -> None:
    """NaN and Infinity are no JSON, and no values here."""


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_nothing)
