"""
From bytes to documents.

PowerShell redirects into UTF-16, Windows tools put a byte order mark in front and CRLF
behind, and some people save colours. Then YAML documents are found, and JSON ones in
what is left: an annotation inside YAML is often a whole object in JSON, which is what
somebody applied and not what is there. The rest stays text, every line where it was.
"""

import codecs
import re
from dataclasses import dataclass

from firstlight.readers.kube.json_documents import Document, json_documents
from firstlight.readers.kube.objects import (
    Found,
    is_claimed_json,
    is_claimed_yaml,
    is_object,
    objects_in,
)
from firstlight.readers.kube.yaml_documents import blocks, yaml_documents

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_SAMPLE_BYTES = 64
"""So many bytes tell UTF-16 without its mark: ASCII has a NUL in every pair."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_NOT_A_LINE_END = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The objects of an artefact, and the text beside them."""

    objects: tuple[Found, ...]
    rest: str
    """As many lines as the artefact; those of objects are blank."""


def as_text(data: bytes) -> str:
    """The bytes as text with plain line ends and without colours."""
    mark = next((m for m in _MARKS if data.startswith(m)), b"")
    decoded = data[len(mark) :].decode(_MARKS[mark] if mark else _unmarked(data), "replace")
    if "\r" in decoded:
        decoded = decoded.replace("\r\n", "\n")
    return _COLOUR.sub("", decoded) if "\x1b" in decoded else decoded


def decoded(artefact: str, data: bytes) -> Decoded:
    """Everything in the artefact that is an object.

    Raises:
        BadInput: something that claims to be one is damaged.
    """
    text = as_text(data)
    taken: list[Found] = []
    for read, is_claimed in ((yaml_documents, is_claimed_yaml), (json_documents, is_claimed_json)):
        blanked: list[str] = []
        at = 0
        for document in read(artefact, text, is_claimed):
            found = list(objects_in(document.value, _own_line(text, document)))
            if found or is_object(document.value):
                taken += found
                blanked += [text[at : document.begins], _blank(text, document)]
                at = document.ends
        text = "".join([*blanked, text[at:]])
    return Decoded(objects=tuple(taken), rest=text)


def holds_objects(head: str) -> bool:
    """Whether a beginning of a text has an object, or a piece of one."""
    claimed = False

    def is_claimed(document: str, at: int) -> bool:
        # A head ends anywhere: what is claimed there need not be whole.
        nonlocal claimed
        claimed = claimed or is_claimed_json(document, at)
        return False

    for document in json_documents("", head, is_claimed):
        claimed = claimed or any(objects_in(document.value, None))
    if claimed:
        return True
    return any(is_claimed_yaml(head[begins:ends], 0) for begins, ends, _ in blocks(head))


def _own_line(text: str, document: Document) -> int | None:
    is_one_line = text.find("\n", document.begins, document.ends) < 0
    return document.line if is_one_line else None


def _blank(text: str, document: Document) -> str:
    return _NOT_A_LINE_END.sub("", text[document.begins : document.ends])


def _unmarked(data: bytes) -> str:
    sample = data[:_SAMPLE_BYTES]
    evens, odds = sample[::2], sample[1::2]
    if len(sample) == _SAMPLE_BYTES and not any(odds) and all(evens):
        return "utf-16-le"
    if len(sample) == _SAMPLE_BYTES and not any(evens) and all(odds):
        return "utf-16-be"
    return "utf-8"
