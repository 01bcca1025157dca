"""Rounds side by side: a difference with its interval, or none."""

import io

from rich.console import Console, RenderableType

from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.report.rounds import (
    difference,
    phase_ns,
    probe_cost,
    summary,
    summary_table,
    totals_ns,
)
from tests.report.samples import FAILED, starts_of

S = 1_000_000_000


def a_round(load_s: int, init_s: int = 10) -> Start:
    """A start of 5 s of imports, so many of weights, so many of engine, 1 of server."""
    moments = [0, 5, 5 + load_s, 5 + load_s + init_s, 6 + load_s + init_s]
    said = [
        "(APIServer pid=1) INFO 03-04 05:00:00 [a.py:1] vLLM API server version 0.26.0",
        "(EngineCore pid=7) INFO 03-04 05:00:00 [a.py:1] Starting to load model /m...",
        "(EngineCore pid=7) INFO 03-04 05:00:00 [a.py:1] Model loading took 3.00 GiB",
        "(EngineCore pid=7) INFO 03-04 05:00:00 [a.py:1] init engine (profile) took 1.0 seconds",
        "(APIServer pid=1) INFO 03-04 05:00:00 [a.py:1] Application startup complete.",
    ]
    log = "".join(
        f"2026-03-04T05:{at // 60:02}:{at % 60:02}.000000000Z stdout F "
        f"{line.replace('05:00:00', f'05:{at // 60:02}:{at % 60:02}')}\n"
        for at, line in zip(moments, said, strict=True)
    )
    (start,) = starts_of(log)
    return start


FILL = [a_round(load_s, 60) for load_s in (20, 21, 22, 23)]
HIT = [a_round(load_s, 10) for load_s in (20, 21, 22, 23)]
NEVER_UP = starts_of(FAILED)


def shown(table: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_only_rounds_that_came_up_have_a_length() -> None:
    """A failed start is no fast start."""
    assert [86 * S, 87 * S] == totals_ns([*FILL[:2], *NEVER_UP])


def test_a_phase_that_a_round_did_not_have_took_no_time() -> None:
    """So that rounds with and without it can be compared."""
    assert [20 * S, 21 * S] == phase_ns(HIT[:2], Phase.WEIGHT_LOAD)
    assert [0, 0] == phase_ns(HIT[:2], Phase.IMAGE_PULL)


def test_a_difference_names_the_phase_that_moved() -> None:
    """Fifty seconds of engine init, and nothing anywhere else."""
    got = difference(FILL, HIT)

    assert {"total", "process_init", "weight_load", "engine_init", "api_start"} == set(got)
    assert (50.0, True) == (got["engine_init"]["saved_s"], got["engine_init"]["seen"])
    assert (0.0, False) == (got["weight_load"]["saved_s"], got["weight_load"]["seen"])
    assert got["total"]["low_s"] <= 50.0 <= got["total"]["high_s"]


def test_three_rounds_against_three_say_nothing() -> None:
    """No interval of 95 % exists."""
    assert difference(FILL[:3], HIT[:3])["total"] is None


def test_rounds_of_which_none_came_up_have_no_difference() -> None:
    """Not even of nothing."""
    assert {} == difference(NEVER_UP, NEVER_UP) == difference([], [])


def test_a_summary_keeps_the_labels_apart() -> None:
    """Fill rounds and hit rounds are never one number."""
    got = summary({"fill": FILL, "hit": [*HIT, *NEVER_UP]})

    assert (4, 4, 87.5) == tuple(got["fill"][k] for k in ("rounds", "ready", "total_median_s"))
    assert (5, 4, 37.5) == tuple(got["hit"][k] for k in ("rounds", "ready", "total_median_s"))
    assert (36.0, 39.0) == (got["hit"]["total_lowest_s"], got["hit"]["total_highest_s"])


def test_a_label_is_never_markup() -> None:
    """It is somebody's word, on a folder's name."""
    text = shown(summary_table({"[bold]a[/]": HIT, "[/]\x1b[31m": NEVER_UP}))

    assert "[bold]a[/]" in text
    assert "[/]\\x1b[31m" in text
    assert "none came up" in text


def test_the_cost_of_the_probe_is_a_sentence_with_its_interval() -> None:
    """Two digits behind the point, the interval, and a word where zero lies inside it."""
    text = probe_cost(HIT, HIT)

    assert text.startswith("the probe's cost: 0.00 s (")
    assert text.endswith("no difference seen")


def test_the_cost_of_the_probe_needs_rounds() -> None:
    """One against one says nothing, and says so."""
    assert "too few rounds" in probe_cost(HIT[:1], HIT[:1])
