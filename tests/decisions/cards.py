"""A small deck, and facts about it: three techniques that were decided differently."""

from collections.abc import Mapping

from firstlight.decisions.facts import Fact, Standing
from firstlight.decisions.truth import Value
from firstlight.techniques.deck import Deck, read_deck

_CARD = """\
id: {id}
title: {title}
says: Nothing that matters here.
claim: {{says: Something shrinks., phases: [weight_load], sources: []}}
change: {{kubernetes: {{}}, process: {{}}}}
proof: []
decision:
  status: {status}
  reason: {reason}
  origin: {origin}
  sources: [{{origin: {origin}, where: step one}}]
  look_again: {{when: {when}, says: {says}, origin: ours}}
"""


def deck() -> Deck:
    """`disk` is excluded, `streaming` recommended, `retention` conditional."""
    told = [
        {
            "id": "disk",
            "title": "Weights on a disk",
            "status": "excluded",
            "reason": "slower than the stream",
            "origin": "reference-case",
            "when": "disk_gbps > stream_gbps",
            "says": "a disk is faster",
        },
        {
            "id": "retention",
            "title": "Nodes that are kept",
            "status": "conditional",
            "reason": "pays where starts are many",
            "origin": "ours",
            "when": "hit_rate * saved_s > cost",
            "says": "keeping pays",
        },
        {
            "id": "streaming",
            "title": "Weights as a stream",
            "status": "recommended",
            "reason": "six times as fast",
            "origin": "reference-case",
            "when": "stream_gbps < 2",
            "says": "the stream is slow",
        },
    ]
    return read_deck({f"{one['id']}.yaml": _CARD.format(**one) for one in told})


def facts(standing: Standing, values: Mapping[str, Value], source: str = "") -> dict[str, Fact]:
    """Facts of one standing."""
    said = source or standing.name.lower()
    return {
        name: Fact(name=name, value=value, source=said, standing=standing)
        for name, value in values.items()
    }


def built_in(values: Mapping[str, Value]) -> dict[str, Fact]:
    return facts(Standing.BUILT_IN, values, "reference case")
