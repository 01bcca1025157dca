"""The page about decisions knows every fact there is."""

import re
from pathlib import Path

from firstlight.decisions.meanings import read_meanings
from firstlight.decisions.records import RECORDED
from firstlight.decisions.register import Whose, read_register
from firstlight.edges.decision_files import fact_meanings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "decide.md").read_text()
MEANINGS = read_meanings(fact_meanings(), artefact="facts.yaml")


def test_every_fact_has_its_row() -> None:
    """With its unit, and whether records tell it; and there is no row without a fact."""
    table = PAGE.partition("| fact | what it is |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) \|[^|]*\| (yes)? ?\|$", table, re.MULTILINE)

    assert sorted((n, m.unit, n in RECORDED) for n, m in MEANINGS.items()) == sorted(
        (name, unit, bool(recorded)) for name, unit, recorded in rows
    )


def test_every_fact_that_records_tell_is_said_with_its_place() -> None:
    """Each in the table of places."""
    table = PAGE.partition("| fact | in a start |")[2].partition("\n\n")[0]

    assert set(RECORDED) == set(re.findall(r"`(\w+)`", table)) & RECORDED
    assert set() == set(re.findall(r"`(\w+_s)`", table)) - RECORDED


def test_the_register_of_the_page_can_be_read() -> None:
    """As it stands there."""
    text = PAGE.partition("## The file")[2].partition("```yaml\n")[2].partition("```")[0]

    register = read_register(text, artefact="decide.md", techniques=["ebs-weights"])

    assert [Whose.HERE] == [one.origin for one in register.decisions]
    assert {"ebs_gbps": 5} == {name: fact.value for name, fact in register.facts.items()}
