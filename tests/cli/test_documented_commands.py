"""What README, documentation, pages and `--help` tell to type is something that can be typed."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from firstlight.cli.main import COMMANDS, firstlight
from firstlight.decisions.register import from_deck
from firstlight.decisions.register_text import register_text
from firstlight.wiring.cards import deck
from tests.cli.command_lines import ours, shown, taken_apart

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


def told() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each command line with where it stands."""
    for page in PAGES:
        for words in shown(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), words
    for name in COMMANDS:
        command = firstlight.get_command(click.Context(firstlight), name)
        assert command is not None
        for words in ours((command.epilog or "").replace("\b", "")):
            yield f"{name} --help", words
    for line in register_text(from_deck(deck())).splitlines():
        if line.startswith("#   firstlight "):
            yield from (("a new register", words) for words in ours(line.removeprefix("#")))


TOLD = sorted({(where, words) for where, words in told() if "..." not in words})
"""Without those that leave words out, as people see."""


@pytest.mark.parametrize(("where", "words"), TOLD, ids=[f"{w}: {' '.join(c)}" for w, c in TOLD])
def test_what_is_told_can_be_typed(where: str, words: tuple[str, ...]) -> None:
    """Every command, option and choice is there, and technique and parameters are a card's."""
    name, *rest = words

    told = taken_apart(name, rest)

    if name == "render":
        cards = [deck().card(technique) for technique in told["techniques"]]
        known = {parameter for card in cards for parameter in card.parameters}
        assert {one.partition("=")[0] for one in told["parameters"]} <= known, where
    if name == "decide" and told["technique"]:
        assert deck().card(told["technique"])


def test_every_page_that_shows_commands_was_read() -> None:
    """And each technique's page shows how its decision is looked up."""
    places = {where for where, _ in TOLD}

    assert {"README.md", "docs/decide.md", "docs/render.md", "a new register"} <= places
    assert {f"{name} --help" for name in COMMANDS} <= places
    assert {f"docs/techniques/{card.id}.md" for card in deck()} <= places


def test_a_command_that_is_not_there_is_found() -> None:
    """So that the test above can fail."""
    page = "```sh\nmake | kubectl firstlight render a.yaml --technik x  # no such option\n```\n"
    (words,) = shown(page)

    assert ("render", "a.yaml", "--technik", "x") == words
    with pytest.raises(click.UsageError):
        taken_apart(words[0], [*words[1:]])
