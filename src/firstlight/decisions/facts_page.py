"""
The table of facts as a page.

A user looks up a fact to learn its unit, what it was in the reference case, and how to come by
their own. The page is made from the table that `decide` reads, so that it says the same.
"""

import re
from collections.abc import Mapping

from firstlight.decisions.meanings import Meaning, is_measured
from firstlight.decisions.records import RECORDED
from firstlight.decisions.spelled import spelled

_HEAD = """\
<!-- made from src/firstlight/decisions/facts.yaml by `make docs`; change that -->

# Facts

What the conditions of the built-in register ask for; see [decide](decide.md). What the reference
case has is of somebody else's machines: measure yours. *From records* are those that
`firstlight decide --records` reads in starts of yours.

| fact | what it is | unit | reference case | from records | how to come by yours |
|---|---|---|---|---|---|
"""
_SPECIAL = re.compile(r"([*<>|]|_(?=_)|(?<=_)_)")
"""What a table or its text would be broken by; an underscore inside a name breaks nothing."""


def facts_page(meanings: Mapping[str, Meaning]) -> str:
    """The page, in Markdown: a row for each fact."""
    return _HEAD + "".join(_row(name, meanings[name]) for name in meanings)


def _row(name: str, meaning: Meaning) -> str:
    recorded = "yes" if name in RECORDED else ""
    cells = (meaning.says, meaning.unit, _known(meaning), recorded, meaning.how)
    told = " | ".join(_SPECIAL.sub(r"\\\1", cell) for cell in cells)
    return f"| `{name}` | {told} |\n"


def _known(meaning: Meaning) -> str:
    if meaning.value is None:
        return ""
    return spelled(meaning.value) + ("" if is_measured(meaning) else " (estimate)")
