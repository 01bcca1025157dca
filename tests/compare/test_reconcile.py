"""Cold against warm, taken apart."""

from pathlib import Path

import pytest

from firstlight.compare.reconcile import reconcile
from firstlight.compare.sets import Round
from firstlight.core.phases import Phase
from firstlight.wiring.comparing import compare_inputs
from tests.compare.engines import a_set, start

CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"


@pytest.mark.timeout(20)
def test_the_reference_case_is_reconciled() -> None:
    """428 to 314: 114 = 45 + 65 + 4; weights and compilation came back."""
    document = compare_inputs(
        [str(CASE / "cold-baseline")], [str(CASE / "warm-baseline")], scenarios=True
    )

    found = document["scenarios"]
    assert (428, 314, 114) == (found["first_s"], found["second_s"], found["difference_s"])
    node, image = found["went_away"]
    assert (45, 65, 4) == (
        round(node["away_s"]),
        round(image["away_s"]),
        round(found["remainder_s"]),
    )
    assert {"weight_load": 127.6, "engine_init": 93.9} == {
        part["name"]: round(part["second_s"], 1) for part in found["came_back"]
    }


def test_the_parts_add_up_to_the_nanosecond() -> None:
    cold = start(
        {Phase.NODE_PROVISIONING: 30.1, Phase.IMAGE_PULL: 65.123456789, Phase.WEIGHT_LOAD: 7}
    )
    warm = start({Phase.CONTAINER_SETUP: 1.5, Phase.WEIGHT_LOAD: 6.5})

    found = reconcile(
        a_set("cold", [Round(name="c", start=cold)]), a_set("warm", [Round(name="w", start=warm)])
    )

    assert found is not None
    parts = sum(part.away_ns for part in found.away)
    assert found.first_ns - found.second_ns == parts + found.remainder_ns
    assert -1.0 == pytest.approx(found.remainder_ns / 1e9)


def test_nothing_is_reconciled_with_nothing() -> None:
    assert reconcile(a_set("cold", []), a_set("warm", [])) is None
