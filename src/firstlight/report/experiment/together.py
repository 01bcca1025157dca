"""
What several steps came to, as rows: totals that were measured, estimates, and why one is missing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.report.experiment import words
from firstlight.report.experiment.headline import not_applied, not_in_turn

HEADS = ("steps", "scenario", "from", "to", "change", "verdict", "how it is known")


def together(document: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row each, as `HEADS` has it; empty where no technique was run."""
    return [*_totals(document), *_estimates(document), *_missing(document)]


def _totals(document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for kind, by_scenario in (document.get("totals") or {}).items():
        for scenario, total in by_scenario.items():
            first, second = total["n"]
            yield (
                f"{kind}: {words.both(total['steps'])}",
                scenario,
                words.seconds(total["from_s"]),
                words.seconds(total["to_s"]),
                words.change(total),
                "; ".join(filter(None, (total["verdict"], not_applied(total), not_in_turn(total)))),
                f"measured together, {first} and {words.counted(second, 'round')}",
            )


def _estimates(document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for one in document.get("estimates") or ():
        yield (
            f"{one['kind']}: {one['says']}",
            one["scenario"],
            words.seconds(one["from_s"]),
            words.seconds(one["seconds"]),
            words.NOTHING,
            "none: nobody ran it",
            "estimate",
        )


def _missing(document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for one in document.get("no_totals") or ():
        names = words.both([*one["steps"], *one["not_applied"]])
        nothing = (words.NOTHING,) * 3
        why = words.sentence(one["why"])
        yield (f"{one['kind']}: {names}", one["scenario"], *nothing, why, f"no {one['what']}")
