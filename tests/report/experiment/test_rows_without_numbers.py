"""A phase that no round shows, and numbers that are said in one breath."""

import io
from typing import Any

import pytest
from rich.console import Console

from firstlight.compare.comparison import compare
from firstlight.compare.document import comparison_document
from firstlight.report.experiment import rows, words
from firstlight.report.experiment.text import print_experiment
from firstlight.report.markdown import markdown
from tests.compare.engines import a_set, rounds
from tests.report.documents import experiment

PART = "engine_init/graph capture"
MINUS = "\N{MINUS SIGN}"


def unseen() -> dict[str, Any]:
    """A run whose step claims a part that no round of either side has."""
    sides = a_set("a", rounds(4, seed=1)), a_set("b", rounds(4, seed=2, name="b"))
    found = comparison_document(compare(*sides, claimed=[PART]))
    document = experiment()
    document["steps"][1]["against_previous"]["warm"] |= {"metrics": found["metrics"]}
    return document


def test_what_was_not_seen_is_said_without_numbers() -> None:
    """As a verdict in the text, the table and Markdown; no bar is drawn of it, nor an effect."""
    document = unseen()
    found = document["steps"][1]["against_previous"]["warm"]
    out = io.StringIO()

    print_experiment(Console(file=out, width=200, color_system=None), document)

    assert f"  warm, {PART}: not seen in these rounds\n" in out.getvalue()
    assert words.verdict(found).endswith("graph capture not seen in these rounds")
    assert "graph capture not seen in these rounds" in markdown(document)
    assert ["total"] == [row["what"] for row in rows.gains(document["steps"], "warm")]
    assert "graph capture" not in words.smallest(found)


@pytest.mark.parametrize(
    ("difference_s", "low_s", "high_s", "said"),
    [
        (-0.1003, -0.1031, -0.0984, f"{MINUS}0.100 s ({MINUS}0.103 s to {MINUS}0.098 s)"),
        (-0.4, -0.403, -0.00003, f"{MINUS}0.400 s ({MINUS}0.403 s to {MINUS}0.000 s)"),
        (-110.0, -120.0, -99.5, f"{MINUS}110.00 s ({MINUS}120.00 s to {MINUS}99.50 s)"),
        (0.0003, 0.0001, 0.0005, "+0.30 ms (+0.10 ms to +0.50 ms)"),
        (0.0, 0.0, 0.0, "+0.00 s (+0.00 s to +0.00 s)"),
    ],
)
def test_a_change_has_the_digits_and_the_unit_of_its_interval(
    difference_s: float, low_s: float, high_s: float, said: str
) -> None:
    metric = {"difference_s": difference_s, "low_s": low_s, "high_s": high_s}

    assert said == words.change(metric)
