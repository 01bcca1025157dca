"""What a comparison says of the technique it is about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from firstlight.compare.comparison import compare
from firstlight.compare.document import comparison_document
from firstlight.compare.effects import with_effect
from firstlight.compare.sets import Round
from firstlight.core.evidence import Evidence
from firstlight.core.phases import Phase
from firstlight.core.signs import Sign
from firstlight.wiring.cards import deck
from tests.compare.engines import a_set, rounds

QUOTE = Evidence(artefact="engine.log", text="the engine's own line", line=7)


def showing(signs: Sequence[Sign | None]) -> list[Round]:
    """Rounds with a much shorter engine init, each with one sign or none."""
    faster = rounds(len(signs), seed=2, name="b", factors={Phase.ENGINE_INIT: 0.3})
    return [
        replace(one, start=replace(one.start, signs={sign: (QUOTE,)} if sign else {}))
        for one, sign in zip(faster, signs, strict=True)
    ]


def held(signs: Sequence[Sign | None]) -> dict[str, Any]:
    second = a_set("b", showing(signs))
    card = deck().card("compile-cache-local")
    found = compare(a_set("a", rounds(6, seed=1)), second, claimed=card.claim.phases)
    return with_effect(comparison_document(found), card, second)


@pytest.mark.parametrize("missed", [1, 6])
def test_one_round_that_missed_is_enough(missed: int) -> None:
    """All of it is faster, and it was not the technique."""
    found = held([Sign.CACHE_MISSED] * missed + [Sign.CACHE_HIT] * (6 - missed))

    assert ("not applied", True) == (found["verdict"], found["not_applied"])
    assert ["cache-missed"] == found["effect"]["says"]
    assert missed == found["effect"]["rounds"]["not applied"]
    assert "faster" == found["metrics"][0]["verdict"]


def test_what_took_effect_keeps_its_verdict() -> None:
    found = held([Sign.CACHE_HIT] * 6)

    assert ("faster", False) == (found["verdict"], found["not_applied"])
    assert {
        "technique": "compile-cache-local",
        "rounds": {"applied": 6},
        "says": ["cache-hit"],
    } == found["effect"]


def test_what_shows_nothing_is_not_called_not_applied() -> None:
    """A log that was cut off shows no sign; that is no evidence of the contrary."""
    found = held([None] * 6)

    assert ("faster", False) == (found["verdict"], found["not_applied"])
    assert {"unknown": 6} == found["effect"]["rounds"]
