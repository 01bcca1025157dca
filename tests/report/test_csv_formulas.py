"""No cell of somebody else's is run by a spreadsheet."""

import csv
import io
import json
from pathlib import Path

import pytest

from firstlight.report.rounds_csv import rounds_csv
from firstlight.wiring.reporting import material, written
from tests.report.documents import experiment


def cells(name: str) -> set[str]:
    """The names of the first step's rows."""
    document = experiment()
    document["steps"][0]["name"] = name
    rows = csv.DictReader(io.StringIO(rounds_csv(document), newline=""))
    return {row["name"] for row in rows if row["step"] == "0"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("|calc", "'|calc"),
        ("  =1", "'  =1"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\n=1", "'\n'=1"),
        ("\tx", "'\tx"),
        ("\uff1d1", "'\uff1d1"),
        ("\uff0b1", "'\uff0b1"),
        ("\uff0d1", "'\uff0d1"),
        ("\uff20x", "'\uff20x"),
        ("a;=1", "a;'=1"),
        ("a; @x;b", "a;' @x;b"),
        ("a\n-1", "a\n'-1"),
        ("a=1", "a=1"),
        ("a - b; c, d", "a - b; c, d"),
        ("compile-cache", "compile-cache"),
    ],
)
def test_what_could_begin_a_formula_is_text(name: str, expected: str) -> None:
    """At the beginning of the cell, and where another country's spreadsheet begins a new one."""
    assert {expected} == cells(name)


def test_numbers_stay_numbers() -> None:
    """Nothing of ours gets an apostrophe."""
    assert "'" not in rounds_csv(experiment())


# Putting the page's script together takes a second by itself.
@pytest.mark.timeout(10)
@pytest.mark.parametrize("kind", [".html", ".md", ".csv", ".svg"])
def test_no_report_turns_or_hides_words(tmp_path: Path, kind: str) -> None:
    """Direction marks and letters that nobody sees are spelled out, in every kind of report."""
    hidden = "\u202e\u2066\u200b\ufeff\u00ad\U000e0041"
    document = experiment()
    document["steps"][0]["name"] = f"base{hidden}line"
    document["steps"][0]["scenarios"]["warm"]["rounds"][1]["slot"] = f"warm/0/1{hidden}"
    (tmp_path / "d.json").write_text(json.dumps(document))

    written(material([str(tmp_path / "d.json")]), tmp_path / f"out{kind}")

    made = (tmp_path / f"out{kind}").read_text()
    ours = made.partition('id="specs"')[0] if kind == ".html" else made
    assert not set(hidden) & set(ours)
    assert "u202e" in ours
