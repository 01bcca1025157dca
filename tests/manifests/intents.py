"""The example intents, and the smallest that is one."""

from functools import cache
from pathlib import Path
from typing import Any

from firstlight.manifests.intent import Intent
from firstlight.manifests.intent_text import intent_from
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.marked_yaml import marked_documents

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "render"
NAMES = ("intent", "bottlerocket")
SMALLEST = """\
model: s3://example-models/tiny
image: vllm/vllm-openai:v0.26.0
cluster: inference
region: us-east-1
instance_types: [g6e.2xlarge]
"""


def read_intent(text: str, artefact: str = "intent.yaml") -> Intent:
    """The intent that a text states."""
    (document,) = marked_documents(artefact, text.encode())
    return intent_from(document, artefact)


def smallest(*lines: str) -> Intent:
    """The smallest intent and what these lines add; nodes of theirs replace its own."""
    given = "".join(f"{line}\n" for line in lines)
    text = SMALLEST
    if any(named in given for named in ("instance_types:", "instance_families:", "type: ")):
        text = text.replace("instance_types: [g6e.2xlarge]\n", "")
    return read_intent(text + given)


@cache
def example(name: str) -> Intent:
    """An example, as it stands beside the code."""
    return read_intent((EXAMPLES / f"{name}.yaml").read_text(), f"{name}.yaml")


def one(objects: ObjectSet, kind: str) -> dict[str, Any]:
    """The value of the only object of a kind."""
    (found,) = objects.of_kind(kind)
    return found.value
