"""
An intent's text into an intent, or into one sentence with the line.

The reader of YAML knows the lines, msgspec says where in the value something is wrong
(`$.gpu.count`), and `intent_rules` names the field; this joins them.
"""

import re

import msgspec

from firstlight.core.errors import BadInput
from firstlight.manifests.intent import ONLY_IN_OBJECTS, Intent
from firstlight.manifests.intent_rules import wrong
from firstlight.readers.marked_yaml import MarkedDocument, marked_documents

_REMEDY = "see docs/intent.md for what an intent may say"
_REFUSED = re.compile(r"(?P<what>.*?)(?: - at `\$?(?P<path>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]")
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")


def read_intent(text: str, artefact: str) -> Intent:
    """
    The intent that a text states.

    Args:
        text: YAML or JSON.
        artefact: what to call it in a sentence.

    Raises:
        BadInput: it is none; the sentence says the line.
    """
    documents = marked_documents(artefact, text.encode())
    if len(documents) != 1:
        raise BadInput(
            f"{artefact} holds {len(documents) or 'no'} documents, and an intent is one",
            remedy=_REMEDY,
        )
    return intent_from(documents[0], artefact)


def intent_from(document: MarkedDocument, artefact: str) -> Intent:
    """
    The intent that a document states.

    Raises:
        BadInput: it is none; the sentence says the line.
    """
    value = document.value
    if not isinstance(value, dict):
        raise BadInput(f"{artefact} is no intent: it has no fields", remedy=_REMEDY)
    for key in sorted(ONLY_IN_OBJECTS & value.keys()):
        raise BadInput(
            f"{artefact} line {_line(document, (key,))}: this is a Kubernetes object, no intent",
            remedy="give --technique to change it, or write an intent: docs/intent.md",
        )
    try:
        intent = msgspec.convert(value, Intent)
    except msgspec.ValidationError as e:
        raise _refused(e, document, artefact) from e
    for one in wrong(intent):
        line = _line(document, (one.field,))
        raise BadInput(f"{artefact} line {line}: {one.why}", remedy=one.remedy)
    return intent


def _refused(e: msgspec.ValidationError, document: MarkedDocument, artefact: str) -> BadInput:
    found = _REFUSED.fullmatch(str(e))
    what, path = (found["what"], found["path"] or "") if found else (str(e), "")
    steps = tuple(key or index for key, index in _STEP.findall(path))
    unknown = _UNKNOWN.search(what)
    line = _line(document, (*steps, unknown[1]) if unknown else steps)
    sentence = what.replace("`", "")
    sentence = sentence[:1].lower() + sentence[1:]
    sentence = sentence.replace("object missing", "object is missing", 1)
    place = f"{'.'.join(steps)}: " if steps else ""
    return BadInput(
        f"{artefact} line {line}: {place}{sentence.replace('object ', 'it ', 1)}", remedy=_REMEDY
    )


def _line(document: MarkedDocument, steps: tuple[str, ...]) -> int:
    """The line of the last of these steps that is there."""
    pointer = "".join(f"/{step}" for step in steps)
    while pointer and pointer not in document.lines:
        pointer = pointer.rpartition("/")[0]
    return document.lines[pointer]
