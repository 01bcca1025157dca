"""
Write the pages that are made from data: `make docs`.

docs/techniques from the cards, docs/facts.md from the table of facts, docs/rules from the rules
and their examples. A test fails when a page is missing, left over, or not what its data says.
"""  # noqa: INP001 - a folder of documents

import json
from pathlib import Path

from firstlight.decisions.facts_page import facts_page
from firstlight.decisions.meanings import read_meanings
from firstlight.edges.package_data import fact_meanings
from firstlight.lint.document import rules_document
from firstlight.lint.rules.table import RULES
from firstlight.report.card_page import card_page, card_schema, index_page
from firstlight.report.rule_page import rule_page, rules_page
from firstlight.wiring.cards import deck

DOCS = Path(__file__).resolve().parent
TECHNIQUES = DOCS / "techniques"
RULE_PAGES = DOCS / "rules"
EXAMPLES = RULE_PAGES / "examples"
"""A folder a rule, with a manifest that breaks it and one that keeps it."""


def pages() -> dict[Path, str]:
    """Every page that is made, by its place."""
    schema = json.dumps(card_schema(), indent=1, ensure_ascii=False) + "\n"
    meanings = read_meanings(fact_meanings(), artefact="facts.yaml")
    return {
        DOCS / "facts.md": facts_page(meanings),
        TECHNIQUES / "README.md": index_page(deck()),
        TECHNIQUES / "card.schema.json": schema,
        **{TECHNIQUES / f"{card.id}.md": card_page(card) for card in deck()},
        **rule_pages(),
    }


def rule_pages() -> dict[Path, str]:
    """Every page about rules, by its place."""
    rules = rules_document(RULES)["rules"]
    return {
        RULE_PAGES / "README.md": rules_page(rules),
        **{
            RULE_PAGES / f"{rule['code']}.md": rule_page(
                rule, bad=example(rule["code"], "bad"), good=example(rule["code"], "good")
            )
            for rule in rules
        },
    }


def example(code: str, which: str) -> str:
    """The manifest that breaks a rule, or the one that keeps it."""
    return (EXAMPLES / code / f"{which}.yaml").read_text(encoding="utf-8")


def main() -> None:
    """Write them, and take away what no card and no rule has."""
    for folder in (TECHNIQUES, RULE_PAGES):
        folder.mkdir(exist_ok=True)
    made = pages()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    written = {*TECHNIQUES.iterdir(), *RULE_PAGES.glob("*.md")}
    for left_over in written - made.keys():
        left_over.unlink()


if __name__ == "__main__":
    main()
