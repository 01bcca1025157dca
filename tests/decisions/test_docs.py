"""The page about decisions, and the table of facts that is made for it."""

import re
from pathlib import Path

from firstlight.decisions.facts_page import facts_page
from firstlight.decisions.meanings import Meaning
from firstlight.decisions.records import RECORDED
from firstlight.decisions.register import Whose, read_register
from firstlight.techniques.sources import Origin, Source

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "decide.md").read_text()


def test_a_fact_is_a_row() -> None:
    """An estimate is called one, and what nobody knows stays empty."""
    case = Source(origin=Origin.REFERENCE_CASE, where="step 1")
    ours = Source(origin=Origin.OURS, where="a guess")
    made = facts_page(
        {
            "stream_gbps": Meaning(says="rate", unit="Gbps", how="a | b", value=13.6, source=case),
            "ebs_gbps": Meaning(says="disk", unit="Gbps", how="x_y, __z__", value=5, source=ours),
            "hit_rate": Meaning(says="share", unit="0 to 1", how="count", value=None, source=None),
        }
    )

    assert [
        r"| `stream_gbps` | rate | Gbps | 13.6 | yes | a \| b |",
        r"| `ebs_gbps` | disk | Gbps | 5 (estimate) |  | x_y, \_\_z\_\_ |",
        "| `hit_rate` | share | 0 to 1 |  |  | count |",
    ] == made.splitlines()[-3:]


def test_every_fact_that_records_tell_is_said_with_its_place() -> None:
    """Each in the table of places."""
    table = PAGE.partition("| fact | in a start |")[2].partition("\n\n")[0]

    assert set(RECORDED) == set(re.findall(r"`(\w+)`", table)) & RECORDED
    assert set() == set(re.findall(r"`(\w+_s)`", table)) - RECORDED


def test_the_register_of_the_page_can_be_read() -> None:
    """As it stands there."""
    text = PAGE.partition("## The file")[2].partition("```yaml\n")[2].partition("```")[0]

    register = read_register(
        text.encode(), artefact="decide.md", techniques=["ebs-weights"], units={}
    )

    assert [Whose.HERE] == [one.origin for one in register.decisions]
    assert {"ebs_gbps": 5} == {name: fact.value for name, fact in register.facts.items()}
