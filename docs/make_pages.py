"""
Write the pages of docs/techniques from the cards: `make docs`.

A test fails when a page is missing, left over, or not what its card says.
"""  # noqa: INP001 - a folder of documents

import json
from pathlib import Path

from firstlight.edges.card_files import card_texts
from firstlight.report.card_page import card_page, card_schema, index_page
from firstlight.techniques.deck import read_deck

FOLDER = Path(__file__).resolve().parent / "techniques"


def pages() -> dict[str, str]:
    """Every file of the folder, by name."""
    deck = read_deck(card_texts())
    schema = json.dumps(card_schema(), indent=1, ensure_ascii=False) + "\n"
    named = {f"{card.id}.md": card_page(card) for card in deck}
    return {"README.md": index_page(deck), "card.schema.json": schema, **named}


def main() -> None:
    """Write what changed, and take away what no card has."""
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    for left_over in {path.name for path in FOLDER.iterdir()} - made.keys():
        (FOLDER / left_over).unlink()


if __name__ == "__main__":
    main()
