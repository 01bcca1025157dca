"""A run's document has the parts that matter, and sums stay what they are."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from firstlight.experiment.longer_parts import longer_parts


def span(name: str, milliseconds: int, *children: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "seconds": milliseconds / 1000,
        "uncertainty_s": 0.001,
        "explained": True,
        "stretches": 1,
        "children": list(children),
        "evidence": [{"text": str(number)} for number in range(5)],
        **more,
    }


def test_short_parts_stand_together_and_say_how_many_they_are() -> None:
    """Half a percent of the start is long enough; of ten seconds, 50 ms."""
    parts = [span("long", 60), span("short", 40), span("other", 10, explained=False)]

    (found,) = longer_parts([span("phase", 110, *parts)], 10.0, parts=True)

    assert ["long", "2 shorter parts"] == [child["name"] for child in found["children"]]
    assert (0.05, False) == (found["children"][1]["seconds"], found["children"][1]["explained"])
    assert 2 == len(found["evidence"])


def test_one_short_part_keeps_its_name() -> None:
    """It would take as much room without."""
    (found,) = longer_parts(
        [span("phase", 61, span("long", 60), span("short", 1))], None, parts=True
    )

    assert ["long", "short"] == [child["name"] for child in found["children"]]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30), st.integers(0, 60_000))
def test_a_phase_is_the_sum_of_its_parts(lengths: list[int], total_ms: int) -> None:
    """Whatever was put together; and no phase is left out."""
    parts = [span(str(number), length) for number, length in enumerate(lengths)]

    (found,) = longer_parts([span("phase", sum(lengths), *parts)], total_ms / 1000, parts=True)

    told = sum(round(child["seconds"] * 1000) for child in found["children"])
    assert (sum(lengths), sum(lengths) / 1000) == (told, found["seconds"])
