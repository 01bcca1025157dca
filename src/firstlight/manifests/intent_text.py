"""
A document into an intent, or into one sentence with the line.

`own_yaml` holds it against the type, `intent_rules` says what the type cannot; this joins them.
"""

from dataclasses import replace

from firstlight.manifests.intent import Intent
from firstlight.manifests.intent_rules import wrong
from firstlight.readers.json_pointer import pointer
from firstlight.readers.marked_yaml import MarkedDocument
from firstlight.readers.own_yaml import OwnYaml

_AMOUNTS = frozenset({"cpu", "memory", "shm"})
_REMEDY = "see docs/intent.md for what an intent may say"


def intent_from(document: MarkedDocument, artefact: str) -> Intent:
    """
    The intent that a document states.

    Args:
        document: one that `is_intent`.
        artefact: what to call it in a sentence.

    Raises:
        BadInput: it is a wrong one; the sentence says the line.
    """
    file = OwnYaml(artefact=artefact, document=_in_words(document), remedy=_REMEDY)
    intent = file.typed(Intent)
    for one in wrong(intent):
        within = () if one.within is None else (one.within,)
        raise file.refusal(pointer(one.field, *within), one.why, remedy=one.remedy)
    return intent


def _in_words(document: MarkedDocument) -> MarkedDocument:
    """`cpu: 6` is an amount as good as `cpu: "6"`, and Kubernetes takes both."""
    if not isinstance(document.value, dict):
        return document
    numbers = {
        name: f"{value:.12g}" if isinstance(value, float) else str(value)
        for name, value in document.value.items()
        if name in _AMOUNTS and isinstance(value, int | float) and not isinstance(value, bool)
    }
    return replace(document, value=document.value | numbers) if numbers else document
