"""The register that comes with firstlight: the reference case's judgements, word for word."""

import pytest

from firstlight.core.errors import BadInput
from firstlight.decisions.condition import names, read_condition
from firstlight.decisions.evaluation import Evaluated, Verdict, evaluate
from firstlight.decisions.facts import Fact, merged, read_assignment
from firstlight.decisions.meanings import Meaning, built_in_facts, read_meanings, units_of
from firstlight.decisions.register import Register, Whose, from_deck, read_register
from firstlight.decisions.register_text import register_text
from firstlight.edges.package_data import fact_meanings
from firstlight.wiring.cards import deck

DECK = deck()
BUILT_IN = from_deck(DECK)
MEANINGS = read_meanings(fact_meanings(), artefact="facts.yaml")

JUDGED = {
    "recommended": {
        "stream-weights",
        "compile-cache-local",
        "compile-cache-published",
        "sleep-wake",
    },
    "conditional": {"image-prepull", "warm-pool", "node-retention"},
    "excluded": {"soci-lazy", "ebs-weights", "ebs-compile-cache"},
}
"""What the reference case judged, all of it."""


def judged(*assignments: str) -> dict[str, Evaluated]:
    units = units_of(MEANINGS)
    given = [read_assignment(one, units=units) for one in assignments]
    own: dict[str, Fact] = {fact.name: fact for fact in given}
    facts = merged(built_in_facts(MEANINGS), own)
    return {one.technique: evaluate(one, facts) for one in BUILT_IN.decisions}


def flipped(*assignments: str) -> set[str]:
    return {name for name, one in judged(*assignments).items() if one.verdict is Verdict.FLIPS}


def test_the_reference_cases_judgements_are_in_it_exactly() -> None:
    """No more and no fewer, each with the status it was given."""
    inherited = [one for one in BUILT_IN.decisions if one.origin is Whose.REFERENCE_CASE]

    assert JUDGED == {
        status: {one.technique for one in inherited if one.status == status} for status in JUDGED
    }


def test_each_reads_as_the_reference_cases_and_not_tested() -> None:
    """Until a record of the user's supports it."""
    assert {"from the reference case, not tested here"} == {
        one.standing for one in judged().values() if one.decision.origin is Whose.REFERENCE_CASE
    }


def test_nothing_flips_by_the_reference_cases_own_facts() -> None:
    """It would have judged otherwise."""
    assert set() == flipped()


def test_a_faster_disk_brings_up_the_weights_on_it_and_not_the_cache() -> None:
    """One decision hangs on the disk's rate, the other on the download's seconds."""
    assert {"ebs-weights"} == flipped("ebs_gbps=20")
    assert Verdict.STANDS is judged("ebs_gbps=20")["ebs-compile-cache"].verdict


def test_a_disk_as_fast_as_the_stream_brings_up_nothing() -> None:
    """More is asked for, not as much."""
    assert set() == flipped("ebs_gbps=13.6")


@pytest.mark.parametrize(("seconds", "expected"), [("20", False), ("20.1", True)])
def test_a_slow_download_brings_up_the_cache_on_a_disk(seconds: str, expected: bool) -> None:
    """Above the bound that its condition states."""
    assert "cache_pull_s > 20" == judged()["ebs-compile-cache"].decision.look_again.when
    assert expected is ("ebs-compile-cache" in flipped(f"cache_pull_s={seconds}"))


def test_keeping_a_node_is_judged_by_what_it_saves_and_costs() -> None:
    """Hit rate, 93 seconds and the penalty against the cost."""
    known = ("hit_rate=0.5", "penalty_per_s=0.01", "retention_cost_per_start=0.4")

    assert {"node-retention"} == flipped(*known)
    assert set() == flipped(*known[:2], "retention_cost_per_start=0.5")
    missing = judged()["node-retention"].missing
    assert ("hit_rate", "penalty_per_s", "retention_cost_per_start") == missing


def test_every_technique_is_decided() -> None:
    """With a reason, a source and a condition that can be read."""
    assert list(DECK.cards) == [one.technique for one in BUILT_IN.decisions]
    for one in BUILT_IN.decisions:
        assert one.reason
        assert one.evidence
        assert names(read_condition(one.look_again.when))


def test_every_fact_that_is_asked_for_has_a_meaning() -> None:
    """Its unit, and how to come by it; and none is explained that nobody asks for."""
    asked = {n for d in BUILT_IN.decisions for n in names(read_condition(d.look_again.when))}

    assert asked == set(MEANINGS)
    assert all(m.says and m.unit and m.how for m in MEANINGS.values())


def test_a_value_without_a_source_is_nobodys() -> None:
    """And a source without a value says nothing."""
    assert [] == [name for name, m in MEANINGS.items() if (m.value is None) != (m.source is None)]


def test_an_estimate_is_not_called_the_reference_cases() -> None:
    """What the case does not give is said to be an estimate."""
    measured = Meaning(says="s", unit="u", how="h", value=1, source=MEANINGS["ebs_gbps"].source)

    facts = built_in_facts({"a": MEANINGS["cache_pull_s"], "b": measured})

    assert ["2 (an estimate)", "1 (reference case)"] == [fact.said for fact in facts.values()]


def test_the_built_in_register_is_read_back_as_it_was_written() -> None:
    """That is what `--new` puts into git."""
    again = read_register(
        register_text(BUILT_IN).encode(), artefact="d.yaml", techniques=DECK.cards, units={}
    )

    assert Register(artefact="d.yaml", decisions=BUILT_IN.decisions) == again


def test_a_broken_table_of_facts_is_refused() -> None:
    """With what is wrong in it."""
    with pytest.raises(BadInput, match=r"facts\.yaml line 1: it contains unknown field sais"):
        read_meanings("a:\n  sais: x\n", artefact="facts.yaml")
