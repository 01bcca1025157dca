"""Every rule has its page, and nothing of the rule is left out of it."""

from pathlib import Path

import pytest

from firstlight.lint.rule import Rule
from firstlight.lint.rules.table import RULES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"
IDS = [rule.code for rule in RULES]


def test_every_rule_has_its_page_and_every_page_its_rule() -> None:
    """A page that is left over tells of something that is gone."""
    assert {f"{code}.md" for code in IDS} | {"README.md"} == {p.name for p in FOLDER.glob("*.md")}


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_a_page_leaves_nothing_of_its_rule_out(rule: Rule) -> None:
    """Title, reason, remedy, sources, techniques, and both examples."""
    page = (FOLDER / f"{rule.code}.md").read_text(encoding="utf-8")
    plain = page.replace("\\", "")

    said = [rule.title, rule.why, rule.remedy, *(source.where for source in rule.sources)]
    said += [f"../techniques/{one}.md" for one in rule.techniques]
    assert [] == [one for one in said if one.replace("\\", "") not in plain]
    for which in ("bad", "good"):
        assert (FOLDER / "examples" / rule.code / f"{which}.yaml").read_text().strip() in page


def test_the_table_has_every_rule() -> None:
    """The worst first."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")

    places = [page.index(f"[{rule.code}]({rule.code}.md) | {rule.severity}") for rule in RULES]
    by_place = [
        rule.severity for _, rule in sorted(zip(places, RULES, strict=True), key=lambda x: x[0])
    ]
    assert by_place == sorted(by_place, key=["error", "warning", "note"].index)
