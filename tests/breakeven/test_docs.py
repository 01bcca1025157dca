"""The page about break-even knows every option, field and fact, and its numbers are the code's."""

import re
from pathlib import Path

import click

from firstlight.breakeven.answer import USUAL_WINDOW_S
from firstlight.breakeven.bootstrap import DRAWS
from firstlight.breakeven.choices import Choice
from firstlight.breakeven.document import document
from firstlight.breakeven.facts_text import facts_text
from firstlight.cli.breakeven import command
from firstlight.core.intervals import fewest_rounds
from tests.breakeven.givens import answered, question

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "breakeven.md").read_text()


def test_every_option_is_on_the_page() -> None:
    """And none that is not there."""
    options = {
        name
        for one in command.params
        if isinstance(one, click.Option)
        for name in one.opts
        if name.startswith("--")
    }
    elsewhere = {"--scenario"}

    assert options == set(re.findall(r"--[a-z][a-z-]+", PAGE)) - elsewhere


def test_every_field_of_the_answer_is_on_the_page() -> None:
    """In the part for machines."""
    one = question()
    fields = document(one, answered(one), arrivals="", notes=()).keys() - {"schema"}
    machines = PAGE.partition("## For machines")[2]

    assert fields <= set(re.findall(r"`(\w+)`", machines))


def test_every_fact_and_choice_is_on_the_page() -> None:
    """Facts by name, choices as a row."""
    one = question()
    names = re.findall(r"^(\w+):", facts_text(one, answered(one), arrivals=""), flags=re.MULTILINE)
    part = PAGE.partition("## Facts for `decide`")[2]

    assert set(names) <= set(re.findall(r"`(\w+)`", part))
    assert [c.value for c in Choice] == re.findall(
        r"^\| (\w[\w ]+) \| the node", PAGE, re.MULTILINE
    )


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    """Rounds needed, draws, and the window without a better one."""
    assert 4 == fewest_rounds()
    assert "needs **four** start times" in PAGE
    assert f"{DRAWS} draws" in PAGE
    assert 600 == USUAL_WINDOW_S
