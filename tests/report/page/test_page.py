"""What the page says, without looking at it."""

import re
from typing import Any

import pytest

from firstlight.report.experiment import rows
from firstlight.report.markdown import markdown
from firstlight.report.page.html import page
from firstlight.report.page.picture import picture
from firstlight.report.rounds_csv import rounds_csv
from tests.report.documents import HOSTILE, experiment

pytestmark = pytest.mark.timeout(
    20
)  # putting the library together takes its time on a busy machine


def text() -> str:
    return page(experiment())


def test_the_same_document_makes_the_same_page() -> None:
    assert text() == text()


def test_it_asks_for_nothing() -> None:
    """The policy forbids it, and no tag of ours tries to."""
    made = text()
    assert "default-src 'none'" in made
    tags = re.sub(r"<script.*?</script>", "", made, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", tags)


def test_fills_are_apart_and_never_counted() -> None:
    (kinds,) = [
        {row["kind"] for row in rows.dots([one], "warm")} for one in experiment()["steps"][:1]
    ]
    assert {"result", "outlier", "fill, no result"} == kinds
    assert 4 == len(rows.results(experiment()["steps"][0], "warm"))


def test_estimates_are_labelled() -> None:
    assert '<span class="tag">estimate</span>' in text()


def test_markdown_has_no_markup_of_others() -> None:
    told = markdown(experiment())
    assert HOSTILE not in told
    assert "total faster" in told


def test_a_spreadsheet_is_given_no_formula() -> None:
    document = experiment()
    document["steps"][0]["name"] = "=HYPERLINK(1)"
    assert "'=HYPERLINK(1)" in rounds_csv(document)
    assert ",=HYPERLINK" not in rounds_csv(document)


def test_every_round_and_phase_is_a_row() -> None:
    """Two steps, five rounds, a total and two phases each."""
    assert 1 + 2 * 5 * 3 == len(rounds_csv(experiment()).splitlines())


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_charts_are_pictures_too(kind: str, begins: bytes) -> None:
    assert picture(experiment(), kind=kind).startswith(begins)


def test_parts_of_a_waterfall_lie_where_they_were() -> None:
    """Children of older documents, which do not say where, follow one another."""
    child: dict[str, Any] = {"name": "x", "seconds": 2.0, "children": [], "evidence": []}
    phase = {"name": "engine_init", "seconds": 5.0, "children": [child, child], "evidence": []}

    found = rows.bars([phase], 5.0)

    assert [(0, 5), (0, 2), (2, 4)] == [(row["from"], row["to"]) for row in found]


def test_a_picture_says_what_it_shows() -> None:
    """It goes about without its page: name, what came of it, how many rounds each bar is of."""
    drawn = picture(experiment(), kind="svg").decode()

    assert "two steps" in drawn
    assert "faster" in drawn
    assert 2 == drawn.count("median of 4: ")
    assert "window.broken=1&lt;/script" in drawn or "<script>" not in drawn
