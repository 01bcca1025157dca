"""The facts that go to `decide`: its own reader reads them, by names that it knows."""

import pytest

from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.course import Rule
from firstlight.breakeven.facts_text import facts_text
from firstlight.breakeven.sample import Sample
from firstlight.decisions.facts import Fact, read_facts
from firstlight.decisions.meanings import read_meanings, units_of
from firstlight.edges.package_data import fact_meanings
from tests.breakeven.givens import ALL, COLD, WARM, answered, law, prices, question, stated

MEANINGS = read_meanings(fact_meanings(), artefact="facts.yaml")


def facts_of(given: dict[Scenario, Sample]) -> dict[str, Fact]:
    """What is read out of the file that is written."""
    one = question(law(2), given=given, priced_by=prices(penalty_per_s=0.00002), retention_s=900)
    text = facts_text(one, answered(one), arrivals='2 "an hour"')
    return read_facts(text.encode(), artefact="f.yaml", units=units_of(MEANINGS))


def test_the_facts_are_read_back_by_names_that_decide_knows() -> None:
    """Each with the value of the answer, small ones too."""
    facts = facts_of(ALL)
    course = law(2).course(Rule(idle_s=300, retention_s=900), cold=COLD.seconds, warm=WARM.seconds)

    assert {
        "penalty_per_s": 0.00002,
        "hit_rate": course.hit_rate,
        "retention_cost_per_start": course.kept_s / course.returns / 1000,
        "node_saved_s": 93,
        "warm_pool_cost_per_start": 86.4 / returns_from_zero(),
        "warm_restart_s": 133,
        "wake_s": 0.99,
    } == pytest.approx({name: fact.value for name, fact in facts.items()}, abs=1e-8)
    assert facts.keys() < MEANINGS.keys()


def returns_from_zero() -> float:
    return law(2).course(Rule(idle_s=300), cold=COLD.seconds, warm=()).returns


def test_each_says_where_it_is_from() -> None:
    """Estimates and statements are called so."""
    facts = facts_of({Scenario.COLD: stated(226.0), Scenario.WARM: WARM})

    assert 'f.yaml: breakeven, estimate: 2 "an hour", window 15.0 min' == facts["hit_rate"].source
    assert (
        "f.yaml: breakeven: mean of cold (stated, not measured) less mean of warm (4 measured)"
        == facts["node_saved_s"].source
    )
    assert "f.yaml: breakeven: mean, 4 measured" == facts["warm_restart_s"].source


def test_what_has_no_price_is_no_fact() -> None:
    """Without warm starts nothing is known about keeping a node; what costs seconds is known."""
    slow = {Scenario.COLD: stated(100.0), Scenario.WARM: stated(133.0)}

    assert {"penalty_per_s", "warm_pool_cost_per_start"} == facts_of({Scenario.COLD: COLD}).keys()
    assert -33 == facts_of(slow)["node_saved_s"].value
