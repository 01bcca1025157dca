"""
A document that firstlight printed and somebody kept, before it is shown again.

It was a file in the meantime, and may have been cut, merged or edited. What a page is made of is
looked at here: that it is there and of its kind. Documents of earlier versions lack fields that
came later, so only what a document always had must be there; what it has beyond that is left
as it is.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.records import Form
from firstlight.readers.manifest_text import LARGEST_BYTES

EXPERIMENT, EXPLAIN = Form(name="experiment"), Form(name="explain")
_REMEDY = "print it again with --output json, or give the folder it was made from"
_OURS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"firstlight\.(?:experiment|explain)/')
"""How every one of them begins."""
Text = str | None
Seconds = float | None


class _Evidence(msgspec.Struct):
    artefact: str
    text: str
    line: int | None = None


class _Span(msgspec.Struct):
    name: str
    seconds: float
    from_s: Seconds = None
    to_s: Seconds = None
    uncertainty_s: float = 0.0
    stretches: int = 1
    pieces_s: list[tuple[float, float]] | None = None
    evidence: list[_Evidence] | None = None
    children: list["_Span"] | None = None


class _Start(msgspec.Struct):
    source: str
    outcome: str
    phases: list[_Span]
    compile_cache: dict[str, Any]
    scenario: Text = None
    total_s: Seconds = None
    total_uncertainty_s: Seconds = None
    facts: dict[str, list[Any]] = {}


class _Round(msgspec.Struct):
    slot: str
    outcome: str
    purpose: str
    counts: bool
    order: int
    attempt: int = 1
    total_s: Seconds = None
    uncertainty_s: Seconds = None
    folder: str = ""
    cause: Text = None
    phases: list[_Span] = []
    facts: dict[str, list[Any]] = {}
    effect: dict[str, Any] | None = None
    serving: dict[str, Any] | None = None


class _Scenario(msgspec.Struct):
    rounds: list[_Round]
    shown: int | None = None
    serving: dict[str, Any] | None = None
    summary: dict[str, Any] | None = None
    effect: dict[str, int] | None = None


class _Metric(msgspec.Struct):
    name: str
    verdict: Text = None
    claimed: bool = False
    difference_s: Seconds = None
    low_s: Seconds = None
    high_s: Seconds = None
    smallest_effect_s: Seconds = None


class _Comparison(msgspec.Struct):
    metrics: list[_Metric]
    verdict: Text = None
    verdict_words: Text = None
    against: list[str] = []
    also_moved: list[str] = []
    notes: list[str] = []


class _Step(msgspec.Struct):
    number: int
    name: str
    scenarios: dict[str, _Scenario]
    title: Text = None
    says: Text = None
    status: Text = None
    reason: Text = None
    look_again: Text = None
    change: list[str] = []
    claims: list[str] = []
    against_previous: dict[str, _Comparison] | None = None


class _Stopped(msgspec.Struct):
    why: str
    slot: str


class _Experiment(msgspec.Struct):
    steps: list[_Step]
    name: Text = None
    began: int | None = None
    rounds_planned: int | None = None
    environment: dict[str, str] | None = None
    method: list[str] = []
    limits: list[str] = []
    notes: list[str] = []
    stopped: _Stopped | None = None
    totals: dict[str, dict[str, dict[str, Any]]] | None = None
    estimates: list[dict[str, Any]] = []
    no_totals: list[dict[str, Any]] = []
    progress: dict[str, int] | None = None
    drift: dict[str, Any] | None = None


class _Explained(msgspec.Struct):
    starts: list[_Start]


def read_saved(artefact: str, data: bytes) -> Mapping[str, Any] | None:
    """
    The document in a file.

    Args:
        artefact: what to call it in an error.
        data: the file.

    Returns:
        None where it is no document of firstlight.

    Raises:
        BadInput: it is damaged.
        NewerRecord: a newer firstlight printed it.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as broken:
        if _OURS.match(data):
            how = "it is too large" if len(data) > LARGEST_BYTES else "it is not whole"
            raise damaged(artefact, how) from broken
        return None
    if not isinstance(document, dict):
        return None
    schema = document.get("schema")
    try:
        if EXPERIMENT.reads(schema, artefact=artefact):
            shown: list[Any] = msgspec.convert(document, _Experiment).steps
        elif EXPLAIN.reads(schema, artefact=artefact):
            shown = msgspec.convert(document, _Explained).starts
        else:
            return None
    except (msgspec.ValidationError, OverflowError, RecursionError) as broken:
        raise damaged(artefact, str(broken)) from broken
    if not shown:
        raise damaged(artefact, "it has nothing to show")
    return document


def damaged(artefact: str, how: str) -> BadInput:
    """What to raise for a document that cannot be shown."""
    return BadInput(f"{artefact} is damaged: {how}", remedy=_REMEDY)
