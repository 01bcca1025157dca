"""A comparison in the terminal."""

import io

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
