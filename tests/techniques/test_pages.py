"""The pages of docs/techniques are the cards, all of them and nothing else."""

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it comes without
import pytest
import yaml
from click.testing import CliRunner

from firstlight.cli.main import firstlight
from firstlight.techniques.card import Card
from tests.techniques.own_cards import DECK, TEXTS

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = DOCS / "techniques"


def made() -> Mapping[str, str]:
    """What `make docs` would write."""
    spec = importlib.util.spec_from_file_location("make_pages", DOCS / "make_pages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: Mapping[str, str] = module.pages()
    return pages


def test_every_card_has_its_page_and_every_page_its_card() -> None:
    """A page that is left over tells of something that is gone."""
    expected = {f"{card.id}.md" for card in DECK} | {"README.md", "card.schema.json"}

    assert expected == {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("name", sorted(made()))
def test_a_page_says_what_its_card_says(name: str) -> None:
    """Whoever changes a card runs `make docs`."""
    assert made()[name] == (FOLDER / name).read_text(encoding="utf-8"), "run `make docs`"


@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: str(card.id))
def test_a_page_leaves_nothing_of_its_card_out(card: Card) -> None:
    """Claim, change, signs, needs, risks, decision and condition are all on it."""
    page = (FOLDER / f"{card.id}.md").read_text(encoding="utf-8").replace("\\", "")

    said = [card.title, card.says, card.claim.says, card.decision.reason]
    said += [card.decision.look_again.when, card.decision.look_again.says]
    said += [sign.says for sign in card.proof] + [need.says for need in card.requires]
    said += [word for risk in card.risks for word in (risk.says, risk.remedy)]
    said += [card.change.kubernetes.refused or card.title, *card.change.kubernetes.prerequisites]
    said += [name for one in card.parameters for name in (one, card.parameters[one].says)]
    assert [] == [one for one in said if one.replace("\\", "") not in page]


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_the_schema_takes_every_card(name: str) -> None:
    """The exported form is the one that the cards have."""
    schema = json.loads((FOLDER / "card.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(yaml.safe_load(TEXTS[name]), schema)


def test_the_schema_refuses_what_is_no_card() -> None:
    """An editor that knows the schema marks an unknown field."""
    schema = json.loads((FOLDER / "card.schema.json").read_text(encoding="utf-8"))
    card = yaml.safe_load(TEXTS["startup-plan.yaml"]) | {"more": 1}

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(card, schema)


@pytest.mark.parametrize("command", ["render", "decide"])
def test_the_commands_of_the_pages_are_there(command: str) -> None:
    """What a page tells to type is something that can be typed."""
    helped = CliRunner().invoke(firstlight, [command, "--help"])

    assert 0 == helped.exit_code
    assert "--technique" in helped.output
