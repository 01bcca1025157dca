"""
Values as YAML that every reader of YAML reads alike.

What is written here goes into people's git and through other people's libraries: kubectl
reads YAML 1.1, kustomize 1.2, and each has its own idea of `yes`, `1e3` and `2020-01-01`. So a
text stands in quotes wherever any of them could take it for something else. The same values
are the same text every time, in the order that they have: blocks and no flow, no line folded,
a text of several lines as a block.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from firstlight.readers.yaml_scalars import is_plain_text

_BLOCK_LINE = re.compile(
    r"(?![ \t]*$)[^\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]*"
)
"""A line that YAML takes as it is; one of blanks alone would get lost in editors."""
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def document_text(value: Any) -> str:
    """One document."""
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    """A value at the left margin."""
    match value:
        case dict() if value:
            for key, inner in value.items():
                yield from _behind(f"{_scalar(key)}:", inner)
        case list() | tuple() if value:
            for inner in value:
                yield from _at_dash(inner)
        case str() if _is_block(value):
            yield from _block(value)
        case _:
            yield _scalar(value)


def _behind(key: str, value: Any) -> Iterator[str]:
    """A value behind its key: what has several lines stands below."""
    match value:
        case dict() if value:
            yield key
            yield from (f"  {line}" if line else "" for line in _lines(value))
        case list() | tuple() if value:
            yield key
            yield from _lines(value)
        case str() if _is_block(value):
            head, *rest = _block(value)
            yield f"{key} {head}"
            yield from rest
        case _:
            yield f"{key} {_scalar(value)}"


def _at_dash(value: Any) -> Iterator[str]:
    """A value as an item of a list."""
    first, *rest = _lines(value)
    yield f"- {first}"
    if isinstance(value, str):
        yield from rest
    else:
        yield from (f"  {line}" if line else "" for line in rest)


def _is_block(text: str) -> bool:
    """Whether a text of several lines can stand as it is."""
    return (
        "\n" in text.rstrip("\n")
        and not text.startswith(("\n", " ", "\t"))
        and all(line == "" or _BLOCK_LINE.fullmatch(line) for line in text.split("\n"))
    )


def _block(text: str) -> Iterator[str]:
    """A text as a block; its head says what becomes of the line ends behind it."""
    bare = text.rstrip("\n")
    ends = len(text) - len(bare)
    yield "|-" if ends == 0 else "|" if ends == 1 else "|+"
    yield from (f"  {line}" if line else "" for line in bare.split("\n"))
    yield from [""] * (ends - 1)


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float():
            return _float(value)
        case int():
            return str(value)
        case str():
            return value if is_plain_text(value) else _quoted(value)
        case dict():
            return "{}"
        case list() | tuple():
            return "[]"
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


def _float(value: float) -> str:
    """A float that stays one to every reader: YAML 1.1 wants a dot, and a sign behind the e."""
    text = json.dumps(value, allow_nan=False)
    mantissa, has_exponent, exponent = text.partition("e")
    if not has_exponent:
        return text
    sign = "" if exponent.startswith(("+", "-")) else "+"
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{sign}{exponent}"


def _quoted(text: str) -> str:
    """In double quotes, with JSON's escapes; in single ones where that reads better."""
    if "\\" not in text and '"' in text and _BLOCK_LINE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"
