"""
Write the pages that are made from data: `make docs`.

docs/techniques from the cards, docs/facts.md from the table of facts. A test fails when a page
is missing, left over, or not what its data says.
"""  # noqa: INP001 - a folder of documents

import json
from pathlib import Path

from firstlight.decisions.facts_page import facts_page
from firstlight.decisions.meanings import read_meanings
from firstlight.edges.package_data import fact_meanings
from firstlight.report.card_page import card_page, card_schema, index_page
from firstlight.wiring.cards import deck

DOCS = Path(__file__).resolve().parent
TECHNIQUES = DOCS / "techniques"


def pages() -> dict[Path, str]:
    """Every page that is made, by its place."""
    schema = json.dumps(card_schema(), indent=1, ensure_ascii=False) + "\n"
    meanings = read_meanings(fact_meanings(), artefact="facts.yaml")
    return {
        DOCS / "facts.md": facts_page(meanings),
        TECHNIQUES / "README.md": index_page(deck()),
        TECHNIQUES / "card.schema.json": schema,
        **{TECHNIQUES / f"{card.id}.md": card_page(card) for card in deck()},
    }


def main() -> None:
    """Write them, and take away what no card has."""
    TECHNIQUES.mkdir(exist_ok=True)
    made = pages()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    for left_over in {*TECHNIQUES.iterdir()} - made.keys():
        left_over.unlink()


if __name__ == "__main__":
    main()
