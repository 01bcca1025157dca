"""The pages that `make docs` makes are their data, all of it and nothing else."""

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it comes without
import pytest
import yaml

from firstlight.techniques.card import Card
from firstlight.techniques.parameters import REFERENCE
from tests.techniques.own_cards import DECK, TEXTS

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = DOCS / "techniques"


def made() -> Mapping[Path, str]:
    """What `make docs` would write."""
    spec = importlib.util.spec_from_file_location("make_pages", DOCS / "make_pages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: Mapping[Path, str] = module.pages()
    return pages


def test_every_card_has_its_page_and_every_page_its_card() -> None:
    """A page that is left over tells of something that is gone."""
    expected = {f"{card.id}.md" for card in DECK} | {"README.md", "card.schema.json"}

    assert expected == {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("page", sorted(made()), ids=lambda page: str(page.name))
def test_a_page_says_what_its_data_says(page: Path) -> None:
    """Whoever changes a card or the table of facts runs `make docs`."""
    assert made()[page] == page.read_text(encoding="utf-8"), "run `make docs`"


def test_the_table_of_facts_is_made() -> None:
    """Beside the folder of the techniques."""
    assert DOCS / "facts.md" in made()


@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: str(card.id))
def test_a_page_leaves_nothing_of_its_card_out(card: Card) -> None:
    """Claim, change, signs, needs, risks, decision and condition are all on it."""
    page = (FOLDER / f"{card.id}.md").read_text(encoding="utf-8").replace("\\", "")

    said = [card.title, card.says, card.claim.says, card.decision.reason]
    said += [card.decision.look_again.when, card.decision.look_again.says]
    said += [sign.says for sign in card.proof] + [need.says for need in card.requires]
    said += [word for risk in card.risks for word in (risk.says, risk.remedy)]
    said += [card.change.kubernetes.refused or card.title]
    prerequisites = card.change.kubernetes.prerequisites
    said += [REFERENCE.sub(lambda name: name[1].upper(), one) for one in prerequisites]
    said += [check.says for check in card.change.kubernetes.refuse_when]
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
