"""The table in DESIGN.md is the truth, and the whole of it."""

from pathlib import Path
from typing import get_args

import pytest

import firstlight.gateway.lifecycle as module
from firstlight.gateway.happenings import Happening, Seen, Sight
from firstlight.gateway.lifecycle import State
from tests.gateway.lines import HAPPENINGS, NEVER, Line, cell, read

HEADS, LINES = read(Path(module.__file__).with_name("DESIGN.md").read_text())


@pytest.mark.parametrize("line", LINES, ids=lambda one: ", ".join((one.happening, *one.before)))
def test_each_line_is_what_follows(line: Line) -> None:
    """In every state: the next one, the orders, or that it cannot be so."""
    assert [cell(state, line) for state in State] == list(line.cells)


def test_no_pair_of_state_and_happening_is_missing() -> None:
    """Each kind of happening has a line for when nothing else is so, and a cell in each state."""
    plain = [line.happening for line in LINES if not line.before]

    assert list(State) == list(HEADS)
    assert list(HAPPENINGS) == list(dict.fromkeys(plain)) == plain
    assert {len(State)} == {len(line.cells) for line in LINES}


def test_every_happening_there_is_has_a_name_in_the_table() -> None:
    """So that a new one cannot be left out."""
    named = HAPPENINGS.values()

    assert set(get_args(Happening)) == {type(one) for one in named}
    assert set(Sight) == {one.sight for one in named if isinstance(one, Seen)}


def test_no_line_is_there_twice_or_for_nothing() -> None:
    """A line that can never be so tells nothing."""
    keys = [(line.happening, line.before) for line in LINES]

    assert len(set(keys)) == len(keys)
    assert [] == [line for line in LINES if set(line.cells) == {NEVER}]
