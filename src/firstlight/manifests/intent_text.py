"""
A document into an intent, or into one sentence with the line.

`own_yaml` holds it against the type, `intent_rules` says what the type cannot; this joins them.
"""

from firstlight.manifests.intent import Intent
from firstlight.manifests.intent_rules import wrong
from firstlight.readers.json_pointer import pointer
from firstlight.readers.marked_yaml import MarkedDocument
from firstlight.readers.own_yaml import OwnYaml

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
    file = OwnYaml(artefact=artefact, document=document, remedy=_REMEDY)
    intent = file.typed(Intent)
    for one in wrong(intent):
        raise file.refusal(pointer(one.field), one.why, remedy=one.remedy)
    return intent
