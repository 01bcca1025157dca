"""The table holds every rule, and what each rule says of itself is whole."""

from pathlib import Path

import pytest

import firstlight.lint.rules as package
from firstlight.lint.rule import Rule
from firstlight.lint.rules.table import RULES
from firstlight.wiring.cards import deck

IDS = [rule.code for rule in RULES]
FOLDER = Path(package.__file__).parent


def test_each_file_is_a_rule_of_the_table() -> None:
    """A rule that nobody listed is never judged."""
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "table"}

    assert files == {code.replace("-", "_") for code in IDS}


def test_they_stand_in_order() -> None:
    """Each once."""
    assert sorted(set(IDS)) == IDS


def test_a_card_names_the_rules_that_guard_it() -> None:
    """And each rule that guards a technique is named by its card."""
    by_cards = {(card.id, code) for card in deck() for code in card.lint}
    by_rules = {(technique, rule.code) for rule in RULES for technique in rule.techniques}

    assert by_cards == by_rules


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_a_rule_says_everything(rule: Rule) -> None:
    """One sentence what, some why, what to do, and who found it; a card's way of writing."""
    assert rule.title[0].isupper() or not rule.title[0].isalpha()
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert rule.remedy
    assert not rule.remedy.endswith(".")
    assert rule.sources
    assert all(source.where for source in rule.sources)


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_a_code_fits_an_annotation(rule: Rule) -> None:
    """The name of an annotation has at most 63 letters, and `ignore-` stands before the code."""
    assert len(f"ignore-{rule.code}") <= 63
    assert rule.code == rule.code.lower()
