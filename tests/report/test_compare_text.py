"""A comparison in the terminal."""

import io
import re
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from firstlight.compare.comparison import compare
from firstlight.compare.document import comparison_document
from firstlight.core.phases import Phase
from firstlight.report.compare_text import print_comparison
from tests.compare.engines import a_set, rounds


def test_what_is_held_to_one_error_has_a_column_of_its_own() -> None:
    """The total is one question; a phase is one of several, and its p is larger after Holm."""
    found = comparison_document(
        compare(
            a_set("a", rounds(6, seed=1)),
            a_set("b", rounds(6, seed=2, name="b")),
            claimed=[Phase.ENGINE_INIT.value],
        )
    )
    out = io.StringIO()

    print_comparison(Console(file=out, width=200, color_system=None), found)

    head, *lines = [line for line in out.getvalue().splitlines() if "  " in line][:3]
    assert "  p  p (Holm)  " in head
    by_name = {line.split()[0]: line for line in lines}
    metrics = {one["name"]: one for one in found["metrics"]}
    total, engine = metrics["total"], metrics["engine_init"]
    assert f"{total['p']:.3f}" in by_name["total"]
    assert 1 == sum(word.startswith("0.") for word in by_name["total"].split() if len(word) == 5)
    assert f"{engine['p']:.3f}     {engine['p_adjusted']:.3f}" in by_name["engine_init"]


def printed(document: Mapping[str, Any]) -> str:
    out = io.StringIO()
    print_comparison(Console(file=out, width=200, color_system=None), document)
    return out.getvalue()


def test_what_was_not_seen_has_a_row_without_numbers() -> None:
    """And never a 0.00 s that nobody measured."""
    name = "engine_init/graph capture"
    found = comparison_document(
        compare(
            a_set("a", rounds(4, seed=1)), a_set("b", rounds(4, seed=2, name="b")), claimed=[name]
        )
    )

    row = next(line for line in printed(found).splitlines() if line.startswith(name))

    dash = "\N{EN DASH}"
    assert [dash, dash, dash, "not seen in these rounds"] == re.split(
        r"  +", row[len(name) :].strip()
    )


def test_a_row_has_digits_enough_and_the_same_for_what_belongs_together() -> None:
    """An effect of 2 ms is none of 0.00 s; a change has the digits of its interval."""
    found = comparison_document(
        compare(a_set("a", rounds(4, seed=1)), a_set("b", rounds(4, seed=2, name="b")))
    )
    row = {**found["metrics"][0], "difference_s": -0.1003, "low_s": -0.1031, "high_s": -0.0984}
    row["smallest_effect_s"] = 0.002

    text = printed({**found, "metrics": [row]}).replace("\N{MINUS SIGN}", "-")

    assert "-0.100 s  -0.103 s to -0.098 s" in text
    assert "0.002 s" in text


def test_a_technique_that_took_no_effect_stands_first() -> None:
    """The verdict of no row says faster then."""
    found = comparison_document(
        compare(
            a_set("a", rounds(4, seed=1)),
            a_set("b", rounds(4, seed=2, name="b", factors={Phase.ENGINE_INIT: 0.2})),
            claimed=[Phase.ENGINE_INIT.value],
        )
    )
    off = {
        **found,
        "verdict": "not applied",
        "not_applied": True,
        "effect": {
            "technique": "compile-cache-local",
            "rounds": {"applied": 3, "not applied": 1},
            "says": ["cache-missed"],
        },
    }

    _, verdict, why, *rest = printed(off).splitlines()

    assert "not applied" == verdict
    assert why == (
        "- nothing of this is the technique's: compile-cache-local in the rounds of B: applied in "
        "3, not applied in 1 (cache-missed)"
    )
    assert "faster" in printed(found)
    assert not any(line.endswith("faster") for line in rest)
